/* gauntlet program: profiles a model's compute graph, and compares its time with the machine's limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sort.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/named_model.h"
#include "cli/worker_blas.h"
#include "nn/kernels/blas_core.h"
#include "nn/kernels/limits.h"
#include "nn/plan/program.h"
#include "nn/model/recipe.h"

static const char *const kinds[] = {"match", "dlg", "gradient", "train", "features", "forward"};
enum { N_KINDS = sizeof kinds / sizeof *kinds, MOST_NAMES = 64 };

typedef struct options {
    const char *model;
    gnt_recipe_kind kind;
    gnt_nn_shape sample;
    uint64_t batch, classes;
    double seconds;
    int explain;
} options;

static int read_kind(void *to, char *text) {
    for (int i = 0; i < N_KINDS; i++)
        if (strcmp(text, kinds[i]) == 0) {
            *(gnt_recipe_kind *)to = (gnt_recipe_kind)i;
            return 0;
        }
    fprintf(
        stderr,
        "gauntlet program: --kind is \"%.60s\"; expected match, dlg, gradient, train, features or forward\n",
        text);
    return -1;
}

static int read_options(int argc, char **argv, options *o) {
    const cli_option known[] = {
        {.name = "explain", .kind = CLI_FLAG, .to = &o->explain},
        {.name = "kind", .kind = CLI_READ, .to = &o->kind, .read = read_kind},
        {.name = "batch", .kind = CLI_WHOLE, .to = &o->batch, .least = 1, .most = 4096},
        CLI_SAMPLE(&o->sample),
        CLI_CLASSES(&o->classes),
        {.name = "seconds", .kind = CLI_REAL, .to = &o->seconds, .least = 0, .most = 600},
        {0}};
    const cli_command command = {.name = "program", .options = known};
    cli_words words;
    *o = (options){.sample = {3, {3, 32, 32}}, .batch = 1, .classes = 10, .seconds = 1};
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1 || !o->explain)
        return cli_wrong(&command, "expected --explain and one model");
    o->model = words.word[0];
    return CLI_GO_ON;
}

/* ---- costs ---- */

typedef struct line { /* all steps of one name */
    const char *name;
    int steps;
    double flops, bytes, floor, seconds;
} line;

typedef struct cost {
    line of[MOST_NAMES], all;
    int n;
} cost;

static void add_up(cost *c, const gnt_program *p, double flop_rate, double byte_rate, const double *seconds) {
    gnt_program_size size = gnt_program_measure(p);
    for (int32_t i = 0; i < size.steps + size.constant; i++) {
        gnt_step_cost s = gnt_program_step(p, i);
        if (s.stage < 0)
            continue;
        int k = 0;
        while (k < c->n && strcmp(c->of[k].name, s.name) != 0)
            k++;
        if (k == MOST_NAMES)
            continue;
        c->n += k == c->n;
        c->of[k].name = s.name;
        line *to[] = {&c->of[k], &c->all};
        double computing = flop_rate > 0 ? s.flops / flop_rate : 0,
               moving = byte_rate > 0 ? s.bytes / byte_rate : 0;
        for (int j = 0; j < 2; j++) {
            to[j]->steps++;
            to[j]->flops += s.flops;
            to[j]->bytes += s.bytes;
            to[j]->floor += s.conversion ? 0 : computing > moving ? computing : moving;
            to[j]->seconds += seconds[i];
        }
    }
}

static int by_seconds(const void *a, const void *b) {
    const line *x = a, *y = b;
    double p = x->seconds > 0 ? x->seconds : x->flops + x->bytes,
           q = y->seconds > 0 ? y->seconds : y->flops + y->bytes;
    return (p < q) - (p > q);
}

/* Returns the thread's processor time, which excludes other programs on a shared core. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs the program with a clock at each step, and keeps the minimum seconds of each. */
static void time_steps(gnt_recipe *r, double *once, double *least, int32_t n, int first) {
    for (int32_t i = 0; i < n; i++)
        once[i] = 0;
    gnt_program_run_timed(r->program, 0, once);
    if (r->kind == GNT_RECIPE_FEATURES)
        gnt_program_run_timed(r->program, 1, once);
    for (int32_t i = 0; i < n; i++)
        least[i] = first || once[i] < least[i] ? once[i] : least[i];
}

/* Returns the median seconds of a run, and the minimum of each of the n steps, from separate runs. `once` has
 * room for n values. */
static double measure(gnt_recipe *r, double budget, double *once, double *least, int32_t n) {
    enum { MOST = 1000 };
    double took[MOST], end = now() + budget;
    int runs = 0, timed = 0;
    gnt_recipe_run(r);
    do {
        double began = now();
        gnt_recipe_run(r);
        took[runs++] = now() - began;
    } while (runs < MOST && now() < end - budget / 2);
    do
        time_steps(r, once, least, n, timed++ == 0);
    while (timed < MOST && now() < end);
    gnt_sort_reals(took, (size_t)runs);
    return took[runs / 2];
}

static void print_lines(cost *c, int timed) {
    qsort(c->of, (size_t)c->n, sizeof *c->of, by_seconds);
    printf("\n%-14s %6s %10s %10s", "operation", "steps", "Mflop", "MB");
    printf(timed ? " %10s %10s %7s\n" : "\n", "floor ms", "ms", "share");
    for (int i = 0; i <= c->n; i++) {
        const line *l = i < c->n ? &c->of[i] : &c->all;
        printf("%-14s %6d %10.3f %10.3f", i < c->n ? l->name : "all", l->steps, l->flops / 1e6,
               l->bytes / 1e6);
        if (timed)
            printf(" %10.4f %10.4f %6.1f%%", 1e3 * l->floor, 1e3 * l->seconds,
                   100 * l->seconds / c->all.seconds);
        printf("\n");
    }
}

static void print_counts(const gnt_program_size *size, const line *all) {
    printf("nodes        %d in the graph, %d after simplification\n", size->graph_nodes, size->nodes);
    printf("steps        %d, and %d computed once\n", size->steps, size->constant);
    printf("fused groups %d of %d elementwise functions and sums\n", size->chains, size->chained);
    printf("conversions  %d of layout, or copies\n", size->conversions);
    printf("flops        %.6g million\n", all->flops / 1e6);
    printf("bytes        %.6g million\n", all->bytes / 1e6);
    printf("arena        %.2f MB, of which scratch %.2f MB; plus inputs %.2f MB\n", (double)size->arena / 1e6,
           (double)size->scratch / 1e6, (double)size->inputs / 1e6);
}

static int explain(const options *o, gnt_recipe *r) {
    gnt_program_size size = gnt_program_measure(r->program);
    int32_t n = size.steps + size.constant;
    double *least = gnt_array(2 * (size_t)n + 1, sizeof *least), flop_rate = 0, byte_rate = 0, median = 0;
    size_t working_set = size.arena + size.inputs;
    cost c = {0};
    if (!least)
        return -1;
    if (o->seconds > 0) {
        flop_rate = gnt_limit_flops(o->seconds / 8);
        byte_rate = gnt_limit_bytes(working_set, o->seconds / 8);
        median = measure(r, o->seconds * 3 / 4, least + n, least, n);
    }
    add_up(&c, r->program, flop_rate, byte_rate, least);
    printf("%s, batch %ld: %s\n\n", o->model, o->batch, kinds[o->kind]);
    printf("parameters   %lld, and %lld statistics\n", (long long)r->n_weights, (long long)r->n_statistics);
    print_counts(&size, &c.all);
    if (o->seconds > 0) {
        printf("limits       %.1f GFLOP/s (multiply-adds in registers), %.1f GB/s (copy within %.1f MB)\n",
               flop_rate / 1e9, byte_rate / 1e9, (double)working_set / 1e6);
        printf("floor        %.4f ms\n", 1e3 * c.all.floor);
        printf("measured     %.4f ms (median of processor time), of which the floor is %.0f %%\n",
               1e3 * median, 100 * c.all.floor / median);
    }
    print_lines(&c, o->seconds > 0);
    gnt_free(least);
    return 0;
}

int gnt_cmd_program(int argc, char **argv) {
    options o;
    gnt_err err = {0};
    gnt_model *m = NULL;
    gnt_recipe *r = NULL;
    int code = read_options(argc, argv, &o);
    if (code != CLI_GO_ON)
        return code;
    if (o.seconds > 0)
        cli_start_with_worker_blas(argc, argv);
    gnt_key key = gnt_key_of_seed(1);
    gnt_stream random = gnt_stream_open(&key, "explain");
    int rc = cli_load_model(&m, o.model, &o.sample, (int32_t)o.classes, &err);
    if (rc == 0)
        rc = gnt_recipe_new(&r, m, o.kind, o.batch, 4, &err);
    if (rc == 0)
        rc = gnt_recipe_fill(r, m, &random, &err);
    if (rc == 0 && explain(&o, r))
        rc = gnt_fail(&err, "out of memory");
    if (rc != 0)
        cli_error("program", &err, GNT_EXIT_WRONG);
    gnt_recipe_free(r);
    gnt_model_free(m);
    return rc == 0 ? GNT_EXIT_OK : GNT_EXIT_WRONG;
}
