/* The tables of the bench, of a file that `bench --keep` wrote: what a step takes next to PyTorch and the
 * floor, what it consists of, the machine, and the quick suite with one job and with two. */
#include "page_tables.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

enum { MOST_FILE = 1 << 20, MOST_ROWS = 256, MOST_WORD = 128 };

/* Above this load of a minute something else ran when the bench began. */
static const double idle = 0.5;

typedef struct bench {
    gnt_doc doc;
    const json_t *machine, *rows; /* borrowed of doc */
} bench;

static int open_bench(bench *b, const char *name, gnt_err *err) {
    char *path = strchr(name, '/') ? gnt_strdup(name) : gnt_format(BASELINES "/%s", name);
    *b = (bench){0};
    int failed = path ? gnt_doc_load(&b->doc, path, MOST_FILE, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    if (failed)
        return -1;
    const gnt_doc *doc = &b->doc;
    if (gnt_doc_need(doc, "", doc->root, "machine", "what the bench ran on", err) ||
        gnt_doc_need(doc, "", doc->root, "rows", "what the bench measured", err) ||
        gnt_doc_object(doc, "", doc->root, "machine", &b->machine, err) ||
        gnt_doc_list(doc, "", doc->root, "rows", 1, MOST_ROWS, &b->rows, err)) {
        gnt_doc_free(&b->doc);
        return -1;
    }
    return 0;
}

/* Reads a number of an object; NaN for null. */
static int read(const bench *b, const char *path, const json_t *object, const char *key, double *out,
                gnt_err *err) {
    *out = NAN;
    if (json_is_null(json_object_get(object, key)))
        return 0;
    return gnt_doc_need(&b->doc, path, object, key, "a number, or null where there is none", err) ||
                   gnt_doc_real(&b->doc, path, object, key, 0, 1e18, out, err)
               ? -1
               : 0;
}

/* ---- rows ---- */

typedef struct row {
    const char *name;
    double gauntlet, torch, ratio, floor; /* ms */
    double spread, peak, peak_torch, arena, flops, bytes;
    double error, error_torch, error_exact;
    double rate, product; /* GFLOP/s at most: multiply-adds in registers, OpenBLAS */
    double operations;    /* of PyTorch's side */
    double cells;         /* NaN but for the quick suite */
} row;

static int read_row(const bench *b, size_t i, row *r, gnt_err *err) {
    const gnt_path at = gnt_path_item("rows", i);
    const json_t *object = json_array_get(b->rows, i);
    const struct {
        const char *key;
        double *to;
    } numbers[] = {{"gauntlet_ms", &r->gauntlet},
                   {"torch_ms", &r->torch},
                   {"ratio", &r->ratio},
                   {"floor_ms", &r->floor},
                   {"spread", &r->spread},
                   {"gauntlet_mb", &r->peak},
                   {"torch_mb", &r->peak_torch},
                   {"arena_mb", &r->arena},
                   {"flops", &r->flops},
                   {"bytes", &r->bytes},
                   {"gauntlet_error", &r->error},
                   {"torch_error", &r->error_torch},
                   {"disagreement", &r->error_exact},
                   {"gflop_per_s", &r->rate},
                   {"product_gflop_per_s", &r->product},
                   {"cells", &r->cells}};
    if (gnt_doc_need(&b->doc, at.text, object, "row", "its name", err) ||
        gnt_doc_text(&b->doc, at.text, object, "row", MOST_WORD, &r->name, err))
        return -1;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (read(b, at.text, object, numbers[k].key, numbers[k].to, err))
            return -1;
    /* files that were kept before it was counted have none */
    r->operations = NAN;
    return json_object_get(object, "torch_operations")
               ? read(b, at.text, object, "torch_operations", &r->operations, err)
               : 0;
}

/* ---- cells of tables ---- */

/* Adds a number with three significant digits, from a thousand on as a whole number. */
static void add_measured(gnt_table *t, double v) {
    if (!isfinite(v))
        gnt_table_number(t, v);
    else
        gnt_table_format(t, "%.*f", v > 0 && v < 1000 ? (int)fmin(3, fmax(0, 2 - floor(log10(v)))) : 0, v);
}

static void add_fixed(gnt_table *t, const char *format, double v) {
    char text[64];
    if (!isfinite(v)) {
        gnt_table_number(t, v);
        return;
    }
    snprintf(text, sizeof text, format, v);
    gnt_table_text(t, text);
}

static void add_times(gnt_table *t, const row *r) {
    if (isfinite(r->cells))
        return;
    gnt_table_text(t, r->name);
    add_measured(t, r->gauntlet);
    add_fixed(t, "%.1f %%", 100 * r->spread);
    add_measured(t, r->torch);
    add_fixed(t, "%.2f", r->ratio);
    add_measured(t, r->floor);
    add_fixed(t, "%.0f %%", 100 * r->floor / r->gauntlet);
    add_fixed(t, "%.0f", r->peak);
    add_fixed(t, "%.0f", r->peak_torch);
}

static void add_work(gnt_table *t, const row *r) {
    if (!isfinite(r->flops))
        return;
    gnt_table_text(t, r->name);
    add_fixed(t, "%.1f", r->flops / 1e6);
    add_fixed(t, "%.1f", r->bytes / 1e6);
    add_fixed(t, "%.1f", r->arena > 0 ? r->arena : NAN);
    add_fixed(t, "%.0e", r->error);
    add_fixed(t, "%.0e", r->error_torch);
    add_fixed(t, "%.0e", r->error_exact);
}

/* What an operation takes at least and at most to launch from Python, in ms, and a GPU's flops in a ms:
 * public figures, whose sources docs/performance.md names. */
static const double launch_least = 0.005, launch_most = 0.025, gpu_flops = 19.5e9;

static void add_gpu(gnt_table *t, const row *r) {
    if (!isfinite(r->operations) || !isfinite(r->flops))
        return;
    const double arithmetic = r->flops / gpu_flops, least = fmax(arithmetic, r->operations * launch_least),
                 most = fmax(arithmetic, r->operations * launch_most);
    gnt_table_text(t, r->name);
    add_measured(t, r->gauntlet);
    add_fixed(t, "%.0f", r->operations);
    add_measured(t, arithmetic);
    add_measured(t, least);
    add_measured(t, most);
    add_fixed(t, "%.2g", r->gauntlet / least);
}

static int fill(const char *name, const char *const *columns, size_t n,
                void (*add)(gnt_table *t, const row *r), gnt_text *out, gnt_err *err) {
    bench b;
    gnt_table t;
    row r;
    if (open_bench(&b, name, err))
        return -1;
    int failed = 0;
    gnt_table_init(&t, NULL);
    for (size_t i = 0; i < n; i++)
        gnt_table_column(&t, columns[i]);
    for (size_t i = 0; !failed && i < json_array_size(b.rows); i++) {
        failed = read_row(&b, i, &r, err);
        if (!failed)
            add(&t, &r);
    }
    if (!failed)
        tables_add(&t, out);
    gnt_table_free(&t);
    gnt_doc_free(&b.doc);
    return failed;
}

int table_bench_times(const char *name, gnt_text *out, gnt_err *err) {
    static const char *const columns[] = {"row",       "gauntlet, ms", "spread",       "PyTorch, ms", "ratio",
                                          "floor, ms", "share",        "MB, gauntlet", "MB, PyTorch"};
    return fill(name, columns, sizeof columns / sizeof *columns, add_times, out, err);
}

int table_bench_work(const char *name, gnt_text *out, gnt_err *err) {
    static const char *const columns[] = {
        "row", "Mflop", "MB moved", "MB, arena", "error in float", "PyTorch in float", "PyTorch in double"};
    return fill(name, columns, sizeof columns / sizeof *columns, add_work, out, err);
}

int table_bench_gpu(const char *name, gnt_text *out, gnt_err *err) {
    static const char *const columns[] = {"row",
                                          "gauntlet, one core, ms",
                                          "PyTorch operations",
                                          "GPU, arithmetic alone, ms",
                                          "GPU with launches of 5 µs, ms",
                                          "of 25 µs, ms",
                                          "GPU faster by at most"};
    return fill(name, columns, sizeof columns / sizeof *columns, add_gpu, out, err);
}

/* ---- sentences ---- */

typedef struct range {
    double least, most;
} range;

static void widen(range *r, double v) {
    if (!isfinite(v))
        return;
    r->least = fmin(r->least, v);
    r->most = fmax(r->most, v);
}

static int read_rates(const bench *b, range *rate, range *product, gnt_err *err) {
    *rate = *product = (range){INFINITY, -INFINITY};
    for (size_t i = 0; i < json_array_size(b->rows); i++) {
        row r;
        if (read_row(b, i, &r, err))
            return -1;
        widen(rate, r.rate);
        widen(product, r.product);
    }
    return rate->most > 0 && product->most > 0
               ? 0
               : gnt_doc_fail(err, &b->doc, "rows", "no row says what the processor reaches");
}

/* Reads a text of the machine; NULL for null. */
static int read_word(const bench *b, const char *key, const char **out, gnt_err *err) {
    *out = NULL;
    if (json_is_null(json_object_get(b->machine, key)))
        return 0;
    return gnt_doc_need(&b->doc, "machine", b->machine, key, "a text, or null where there is none", err) ||
                   gnt_doc_text(&b->doc, "machine", b->machine, key, MOST_WORD, out, err)
               ? -1
               : 0;
}

static int write_machine(const bench *b, gnt_text *out, gnt_err *err) {
    const char *gauntlet, *source, *torch, *cpu, *openblas, *onednn;
    double processors, before, after, seconds;
    range rate, product;
    if (read_word(b, "gauntlet", &gauntlet, err) || read_word(b, "source", &source, err) ||
        read_word(b, "torch", &torch, err) || read_word(b, "cpu", &cpu, err) ||
        read_word(b, "openblas", &openblas, err) || read_word(b, "onednn", &onednn, err) ||
        read(b, "machine", b->machine, "processors", &processors, err) ||
        read(b, "machine", b->machine, "load_before", &before, err) ||
        read(b, "machine", b->machine, "load_after", &after, err) ||
        read(b, "machine", b->machine, "seconds", &seconds, err) || read_rates(b, &rate, &product, err))
        return -1;
    gnt_text_add(out, "gauntlet %s (source %s)", gauntlet ? gauntlet : "unknown",
                 source ? source : "unknown");
    if (torch)
        gnt_text_add(out, ", PyTorch %s", torch);
    gnt_text_add(out, ", OpenBLAS core %s", openblas ? openblas : "unknown");
    if (onednn)
        gnt_text_add(out, ", %s", onednn);
    gnt_text_add(out, "; %s, %.0f processors; %s (load %.1f before, %.1f after), `--seconds %g`.\n",
                 cpu ? cpu : "unknown processor", processors,
                 before <= idle ? "idle but for this" : "**beside other work, which makes times longer**",
                 before, after, seconds);
    gnt_text_add(out,
                 "From row to row a loop of multiply-adds reaches %.0f to %.0f GFLOP/s, the best product of "
                 "OpenBLAS %.0f to %.0f.\n",
                 rate.least, rate.most, product.least, product.most);
    return 0;
}

int table_bench_machine(const char *name, gnt_text *out, gnt_err *err) {
    bench b;
    if (open_bench(&b, name, err))
        return -1;
    const int failed = write_machine(&b, out, err);
    gnt_doc_free(&b.doc);
    return failed;
}

/* Finds the row of the quick suite with so many jobs. */
static int read_suite(const bench *b, int jobs, row *found, gnt_err *err) {
    for (size_t i = 0; i < json_array_size(b->rows); i++) {
        row r;
        char name[MOST_WORD];
        snprintf(name, sizeof name, "quick-suite-%d-job%s", jobs, jobs > 1 ? "s" : "");
        if (read_row(b, i, &r, err))
            return -1;
        if (strcmp(r.name, name) != 0)
            continue;
        *found = r;
        return isfinite(r.gauntlet) && r.gauntlet > 0 && isfinite(r.cells)
                   ? 0
                   : gnt_doc_fail(err, &b->doc, gnt_path_item("rows", i).text, "%s has no time, or no cells",
                                  name);
    }
    return gnt_doc_fail(err, &b->doc, "rows", "has no quick suite with %d job%s; bench --suite times it",
                        jobs, jobs > 1 ? "s" : "");
}

int table_bench_jobs(const char *name, gnt_text *out, gnt_err *err) {
    bench b;
    row one, two;
    if (open_bench(&b, name, err))
        return -1;
    const int failed = read_suite(&b, 1, &one, err) || read_suite(&b, 2, &two, err);
    if (!failed)
        gnt_text_add(out,
                     "%.0f cells: %.1f s with one job, %.1f s with two, %.2f times as many cells a minute.\n",
                     one.cells, one.cells * one.gauntlet / 1e3, two.cells * two.gauntlet / 1e3,
                     one.gauntlet / two.gauntlet);
    gnt_doc_free(&b.doc);
    return failed ? -1 : 0;
}
