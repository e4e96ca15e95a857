#include "lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/mem.h"
#include "nn/kernels/blas.h"
#include "nn/conv/dnnl.h"
#include "run/version.h"

/* By how much two rates measured one after the other may differ for no reason. */
#define MARGIN 0.03

void bench_line_empty(bench_line *l, const char *name, const char *what) {
    *l = (bench_line){.gauntlet = NAN,
                      .torch = NAN,
                      .ratio = NAN,
                      .floor = NAN,
                      .spread = NAN,
                      .ratio_spread = NAN,
                      .flops = NAN,
                      .bytes = NAN,
                      .apart = NAN,
                      .apart_torch = NAN,
                      .apart_exact = NAN,
                      .peak = NAN,
                      .peak_torch = NAN,
                      .arena = NAN,
                      .operations = NAN,
                      .busy = NAN,
                      .onnx = NAN,
                      .ratio_onnx = NAN,
                      .apart_onnx = NAN,
                      .peak_onnx = NAN,
                      .cells = NAN};
    snprintf(l->name, sizeof l->name, "%s", name);
    snprintf(l->what, sizeof l->what, "%s", what);
}

void bench_machine_before(bench_machine *m, double seconds) {
    double load[3] = {0};
    const char *core = gnt_blas_core_choice();
    *m = (bench_machine){.core = *core ? core : gnt_blas_core(), .seconds = seconds};
    gnt_run_cpu_name(m->cpu);
    gnt_dnnl_version(m->onednn);
    gnt_blas_core_is_forced_down(m->forced);
    getloadavg(load, 1);
    m->before = load[0];
}

void bench_machine_after(bench_machine *m) {
    double load[3] = {0};
    getloadavg(load, 1);
    m->after = load[0];
}

/* ---- JSON ---- */

static json_t *number(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *rate(double v) {
    return number(v > 0 ? v / 1e9 : NAN);
}

static json_t *text(const char *s) {
    return *s ? json_string(s) : json_null();
}

static json_t *line_json(const bench_line *l) {
    json_t *row = json_object();
    json_object_set_new(row, "row", json_string(l->name));
    json_object_set_new(row, "gauntlet_ms", number(1e3 * l->gauntlet));
    json_object_set_new(row, "torch_ms", number(1e3 * l->torch));
    json_object_set_new(row, "ratio", number(l->ratio));
    json_object_set_new(row, "floor_ms", number(1e3 * l->floor));
    json_object_set_new(row, "spread", number(l->spread));
    json_object_set_new(row, "ratio_spread", number(l->ratio_spread));
    json_object_set_new(row, "rounds", json_integer(l->rounds));
    json_object_set_new(row, "gauntlet_mb", number(l->peak / 1e6));
    json_object_set_new(row, "arena_mb", number(l->arena / 1e6));
    json_object_set_new(row, "torch_mb", number(l->peak_torch / 1e6));
    json_object_set_new(row, "flops", number(l->flops));
    json_object_set_new(row, "bytes", number(l->bytes));
    json_object_set_new(row, "gflop_per_s", rate(l->flop_rate));
    json_object_set_new(row, "gb_per_s", rate(l->byte_rate));
    json_object_set_new(row, "product_gflop_per_s", rate(l->product_rate));
    json_object_set_new(row, "gauntlet_error", number(l->apart));
    json_object_set_new(row, "disagreement", number(l->apart_exact));
    json_object_set_new(row, "torch_error", number(l->apart_torch));
    json_object_set_new(row, "torch_operations", number(l->operations));
    if (isfinite(l->onnx)) {
        json_object_set_new(row, "onnx_ms", number(1e3 * l->onnx));
        json_object_set_new(row, "onnx_ratio", number(l->ratio_onnx));
        json_object_set_new(row, "onnx_error", number(l->apart_onnx));
        json_object_set_new(row, "onnx_mb", number(l->peak_onnx / 1e6));
    }
    json_object_set_new(row, "busy", number(l->busy));
    json_object_set_new(row, "cells", number(l->cells));
    return row;
}

static json_t *machine_json(const bench_machine *m) {
    json_t *all = json_object();
    json_object_set_new(all, "gauntlet", json_string(GNT_VERSION));
    json_object_set_new(all, "source", json_string(gnt_version_source()));
    json_object_set_new(all, "torch", text(m->torch));
    json_object_set_new(all, "onnx", text(m->onnx));
    json_object_set_new(all, "cpu", json_string(m->cpu));
    json_object_set_new(all, "processors", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(all, "openblas", json_string(m->core));
    json_object_set_new(all, "onednn", strcmp(m->onednn, "none") == 0 ? json_null() : text(m->onednn));
    json_object_set_new(all, "blas_core_forced", text(m->forced));
    json_object_set_new(all, "load_before", json_real(m->before));
    json_object_set_new(all, "load_after", json_real(m->after));
    json_object_set_new(all, "seconds", json_real(m->seconds));
    return all;
}

int bench_write_json(const bench_line *l, int n, const bench_machine *m, const char *path) {
    json_t *rows = json_array(), *all = json_object();
    for (int i = 0; i < n; i++)
        json_array_append_new(rows, line_json(&l[i]));
    json_object_set_new(all, "machine", machine_json(m));
    json_object_set_new(all, "rows", rows);
    int rc = json_dump_file(all, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(all);
    return rc;
}

/* ---- text ---- */

static void cell(FILE *to, int wide, int digits, double v, double scale) {
    if (isfinite(v))
        fprintf(to, " %*.*f", wide, digits, scale * v);
    else
        fprintf(to, " %*s", wide, "-");
}

void bench_print_head(FILE *to) {
    fprintf(to, "%-22s %11s %7s %11s %7s %11s %6s %8s %8s %8s %6s %11s %7s\n", "row", "gauntlet ms", "spread",
            "PyTorch ms", "ratio", "floor ms", "floor", "GFLOP/s", "GB/s", "MB", "MB", "ONNX Runt.", "ratio");
    fprintf(to, "%-22s %11s %7s %11s %7s %11s %6s %8s %8s %8s %6s %11s\n", "", "", "", "", "", "", "share",
            "limit", "limit", "gauntlet", "PyTorch", "ms");
}

void bench_print_line(FILE *to, const bench_line *l) {
    fprintf(to, "%-22s", l->name);
    cell(to, 11, l->gauntlet < 0.1 ? 4 : 3, l->gauntlet, 1e3);
    cell(to, 6, 1, l->spread, 100);
    fprintf(to, "%s", isfinite(l->spread) ? "%" : " ");
    cell(to, 11, 3, l->torch, 1e3);
    cell(to, 7, 2, l->ratio, 1);
    cell(to, 11, 3, l->floor, 1e3);
    cell(to, 5, 0, l->floor / l->gauntlet, 100);
    fprintf(to, "%s", isfinite(l->floor) ? "%" : " ");
    cell(to, 8, 0, l->flop_rate > 0 ? l->flop_rate : NAN, 1e-9);
    cell(to, 8, 1, l->byte_rate > 0 ? l->byte_rate : NAN, 1e-9);
    cell(to, 8, 1, l->peak, 1e-6);
    cell(to, 6, 0, l->peak_torch, 1e-6);
    cell(to, 11, 3, l->onnx, 1e3);
    cell(to, 7, 2, l->ratio_onnx, 1);
    fprintf(to, "%s%s\n", l->why[0] ? "  " : "", l->why);
    fflush(to);
}

static void print_load(FILE *to, const bench_machine *m, double busy) {
    fprintf(to, "\nload of the machine (1 min): %.2f before, %.2f after, on %ld processors", m->before,
            m->after, sysconf(_SC_NPROCESSORS_ONLN));
    if (isfinite(busy))
        fprintf(to, "; a processor second took up to %.2f s", busy);
    fprintf(to, "\nms are of processor time (start-list and quick-suite: wall time); a unit is a step, an "
                "evaluation, an "
                "epoch, an attack, a cell\n");
}

/* Prints whether the floor is a lower bound: no row measured OpenBLAS above the rate that it assumes. */
static void print_check(FILE *to, const bench_line *l, int n) {
    double least = NAN;
    for (int i = 0; i < n; i++)
        if (l[i].product_rate > 0)
            least = fmin(least, l[i].flop_rate / l[i].product_rate);
    if (isfinite(least))
        fprintf(to, "check: the GFLOP/s limit is %.2f times OpenBLAS's best product or more: %s\n", least,
                least >= 1 - MARGIN ? "ok" : "NOT ok, floors are too high");
}

void bench_print_foot(FILE *to, const bench_line *l, int n, const bench_machine *m) {
    double busy = NAN;
    for (int i = 0; i < n; i++)
        busy = fmax(busy, l[i].busy);
    print_load(to, m, busy);
    print_check(to, l, n);
    if (*m->forced)
        fprintf(to, "warning: %s\n", m->forced);
}

int bench_write_text(const bench_line *l, int n, const bench_machine *m, const char *json) {
    size_t length = strlen(json);
    if (length > 5 && strcmp(json + length - 5, ".json") == 0)
        length -= 5;
    char *path = gnt_format("%.*s.txt", (int)length, json);
    FILE *f = path ? fopen(path, "w") : NULL;
    gnt_free(path);
    if (!f)
        return -1;
    bench_print_head(f);
    for (int i = 0; i < n; i++)
        bench_print_line(f, &l[i]);
    bench_print_foot(f, l, n, m);
    return fclose(f);
}
