/* gauntlet doctor: shows what of this machine gauntlet uses, what is missing, and what to do about it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <jansson.h>

#include "base/colour.h"
#include "base/text.h"
#include "cli/absolute.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "cli/paths.h"
#include "data/data.h"
#include "gauntlet/plugin.h"
#include "nn/conv/dnnl.h"
#include "nn/kernels/blas.h"
#include "nn/kernels/blas_core.h"
#include "nn/kernels/cpu.h"
#include "process/sandbox_try.h"
#include "report/plot/gnuplot.h"
#include "run/version.h"

/* note: works, but slower or with less than it could; missing: something that gauntlet needs is not there. */
typedef enum state { OK, NOTE, MISSING } state;
static const char *const state_names[] = {"ok", "note", "missing"};

typedef struct visit {
    cli_paths paths;
    json_t *findings; /* {check, state, found, advice} */
} visit;

static void add(visit *v, const char *check, state is, const char *found, const char *advice) {
    json_array_append_new(v->findings, json_pack("{s:s, s:s, s:s, s:s?}", "check", check, "state",
                                                 state_names[is], "found", found, "advice", advice));
}

/* ---- program and processor ---- */

static void check_program(visit *v) {
    char found[256];
    snprintf(found, sizeof found, "gauntlet %s, plugin ABI %d.%d, source %s, compiled by %s", GNT_VERSION,
             GNT_ABI_MAJOR, GNT_ABI_MINOR, gnt_version_source(), gnt_version_compiler());
    add(v, "program", OK, found, NULL);
}

/* True for a processor with narrower vectors than others of its architecture. */
static int is_narrow(void) {
#if defined(__x86_64__)
    return gnt_cpu_vectors() < 256;
#else
    return 0;
#endif
}

static void check_processor(visit *v) {
    char found[128];
    const char *wrong = gnt_cpu_vectors_error();
    snprintf(found, sizeof found, "%d processors, vectors of %d bits", cli_processors(), gnt_cpu_vectors());
    add(v, "processor",
        wrong         ? MISSING
        : is_narrow() ? NOTE
                      : OK,
        found,
        wrong         ? wrong
        : is_narrow() ? "without AVX2 and FMA everything takes several times as long"
                      : NULL);
}

static void check_blas(visit *v) {
    char found[512], forced[GNT_BLAS_CORE_TEXT];
    const char *core = gnt_blas_core_choice();
    const int down = gnt_blas_core_is_forced_down(forced);
    snprintf(found, sizeof found, "%.200s; kernels of workers: %s", gnt_blas_config(),
             *core ? core : gnt_blas_core());
    add(v, "OpenBLAS", down || forced[0] ? NOTE : OK, found, forced[0] ? forced : NULL);
}

static void check_dnnl(visit *v) {
    char found[64];
    gnt_dnnl_version(found);
    const int none = strcmp(found, "none") == 0;
    add(v, "oneDNN", none ? NOTE : OK, found,
        none ? "convolutions go to OpenBLAS and take longer; unset GAUNTLET_CONV, or install libdnnl-dev and "
               "build again"
             : NULL);
}

/* ---- what suites need ---- */

static void check_sandbox(visit *v) {
    gnt_sandbox_report report = {0};
    gnt_err err = {""};
    const gnt_sandbox_options any = {0};
    if (gnt_sandbox_try(&any, &report, &err) != 0) {
        add(v, "sandbox", MISSING, err.text, "no plugin can run; docs/sandbox.md says what the kernel needs");
        return;
    }
    const int full = gnt_sandbox_level_of(report.level) == GNT_SANDBOX_FULL;
    add(v, "sandbox", full ? OK : NOTE, report.level,
        full ? NULL : "do not run plugins that you do not trust; docs/sandbox.md says what the kernel needs");
}

static void check_plugins(visit *v) {
    const gnt_sandbox_options any = {0};
    gnt_plugin_list list = {0};
    gnt_err err = {""};
    char found[128];
    size_t attacks = 0;
    if (cli_list_plugins(&list, v->paths.plugins, &any, &err) != 0) {
        add(v, "plugins", MISSING, err.text, "build with `make`, or name their folder with --plugins");
        return;
    }
    for (size_t i = 0; i < list.n; i++)
        attacks += list.info[i].kind == GNT_PLUGIN_ATTACK;
    snprintf(found, sizeof found, "%zu defenses, %zu attacks", list.n - attacks, attacks);
    add(v, "plugins", attacks && attacks < list.n ? OK : MISSING, found,
        attacks && attacks < list.n ? NULL : "build with `make`, or name their folder with --plugins");
    gnt_plugin_list_free(&list);
}

static void check_models(visit *v) {
    char *folder[CLI_MODEL_FOLDERS];
    const char *found = NULL;
    cli_find_models(folder, v->paths.models);
    for (int i = 0; folder[i] && !found; i++)
        found = cli_is_folder(folder[i]) ? folder[i] : NULL;
    add(v, "models", found ? OK : MISSING, found ? found : "no folder of models",
        found ? NULL : "name it with --models; suites that give a model's path need none");
    cli_free_models(folder);
}

static void check_data(visit *v) {
    enum { MOST = 4096 };
    gnt_text found;
    size_t n, files = 0;
    const char *const *name = gnt_data_names(&n);
    gnt_text_init(&found, MOST);
    gnt_text_add(&found, "built-in sets");
    for (size_t i = 0; i < n; i++)
        if (!gnt_data_is_builtin(name[i]) && gnt_data_present(name[i], v->paths.data))
            gnt_text_add(&found, "%s%s", files++ ? ", " : "; from files: ", name[i]);
    add(v, "data", OK, gnt_text_get(&found),
        files           ? NULL
        : v->paths.data ? "the folder of --data or GAUNTLET_DATA holds no set that docs/data.md describes"
                        : "sets from files need --data or GAUNTLET_DATA; docs/data.md has their layouts");
    gnt_text_free(&found);
}

/* ---- reports and room ---- */

static void check_gnuplot(visit *v) {
    gnt_err err = {""};
    const int rc = gnt_gnuplot_try("svg", &err) == 0 ? gnt_gnuplot_try("pngcairo", &err) : -1;
    add(v, "gnuplot", rc == 0 ? OK : MISSING, rc == 0 ? "draws SVG and PNG" : err.text,
        rc == 0 ? NULL : "reports have no plots; install gnuplot-nox");
}

static void check_disk(visit *v) {
    enum { LEAST_GB = 2 };
    struct statvfs at;
    char found[64];
    if (statvfs(".", &at) != 0) {
        add(v, "disk", NOTE, strerror(errno), "the room of the working folder is unknown");
        return;
    }
    const double free_gb = (double)at.f_bavail * (double)at.f_frsize / 1e9;
    snprintf(found, sizeof found, "%.1f GB free in the working folder", free_gb);
    add(v, "disk", free_gb < LEAST_GB ? NOTE : OK, found,
        free_gb < LEAST_GB ? "`gauntlet run --dry-run` says how much a suite writes" : NULL);
}

static void check_memory(visit *v) {
    char found[64];
    const double gb = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
    snprintf(found, sizeof found, "%.1f GB", gb);
    add(v, "memory", gb < 2 ? NOTE : OK, found,
        gb < 2 ? "`gauntlet run --dry-run` says how much the largest job of a suite takes" : NULL);
}

/* ---- printing ---- */

static void print(const visit *v) {
    const char *red = gnt_red(STDOUT_FILENO), *end = gnt_not_red(STDOUT_FILENO);
    size_t i;
    json_t *f;
    json_array_foreach(v->findings, i, f) {
        const char *is = json_string_value(json_object_get(f, "state"));
        const char *advice = json_string_value(json_object_get(f, "advice"));
        const int bad = strcmp(is, state_names[MISSING]) == 0;
        printf("%s%-8s%s%-10s %s\n", bad ? red : "", is, bad ? end : "",
               json_string_value(json_object_get(f, "check")),
               json_string_value(json_object_get(f, "found")));
        if (advice)
            printf("%18s → %s\n", "", advice);
    }
}

static int is_well(const visit *v) {
    size_t i;
    json_t *f;
    json_array_foreach(v->findings, i, f) if (strcmp(json_string_value(json_object_get(f, "state")),
                                                     state_names[MISSING]) == 0) return 0;
    return 1;
}

int gnt_cmd_doctor(int argc, char **argv) {
    static void (*const check[])(visit *) = {check_program, check_processor, check_blas,   check_dnnl,
                                             check_sandbox, check_plugins,   check_models, check_data,
                                             check_gnuplot, check_disk,      check_memory};
    visit v = {.paths = {.data = cli_data_folder()}};
    int json = 0;
    const cli_option known[] = {{.name = "json", .kind = CLI_FLAG, .to = &json}, CLI_PATHS(&v.paths), {0}};
    const cli_command command = {.name = "doctor", .options = known};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n)
        return cli_wrong(&command, "expected no further words");
    v.findings = json_array();
    for (size_t i = 0; i < sizeof check / sizeof *check; i++)
        check[i](&v);
    const int well = is_well(&v);
    if (json) {
        json_t *all = json_pack("{s:i, s:b, s:O}", "format", 1, "ok", well, "findings", v.findings);
        json_dumpf(all, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(all);
    } else {
        print(&v);
    }
    json_decref(v.findings);
    return well ? GNT_EXIT_OK : GNT_EXIT_FAILED;
}
