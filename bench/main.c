/* bench: the driver: starts both sides of each row, lets them work in turns, and writes the table. */
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/mem.h"
#include "bench.h"
#include "lines.h"
#include "nn/kernels/cpu.h"
#include "onnx.h"
#include "peer.h"

static const char help[] =
    "Usage: bench [-o FILE.json] [--keep FILE.json] [--rows NAME,...] [--seconds S] [--suite] [--list]\n"
    "\n"
    "Times gauntlet's numeric core and PyTorch (Debian's python3-torch, where it is) at the same steps on "
    "the same\n"
    "weights, one thread each, in turns; checks first that their results agree. From the root of the "
    "sources.\n"
    "Rows forward-* also time ONNX Runtime, where " BENCH_ONNX_PLACE
    " names a folder with node_modules/onnxruntime-node.\n"
    "  -o FILE.json     where the table goes; the same as text goes beside it, as FILE.txt\n"
    "  --keep FILE.json also writes it there, for docs/performance.md, where no row and no side failed; "
    "turns "
    "--suite on\n"
    "  --rows NAME,...  only rows whose names begin with one of these\n"
    "  --seconds S      for each row and both sides together (default 8)\n"
    "  --suite          also runs the quick suite with one job and with two: minutes\n"
    "  --list           the names of the rows\n"
    "Milliseconds are of processor time, which leaves out what other programs take of the core; of start-up "
    "and of the\n"
    "suite they are wall time.\n";

static const char python[] = "/usr/bin/python3";

typedef struct options {
    const char *out, *rows;
    /* where a whole run is kept, for the tables of docs/performance.md; or NULL */
    const char *keep;
    double seconds;
    int suite, list;
} options;

enum { MOST_ROUNDS = 200, LEAST_ROUNDS = 5, MOST_LINES = 64, SETS = 24 };

/* ---- numbers ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns quantile q of n sorted numbers, linear between them. */
static double quantile(const double *sorted, int n, double q) {
    double at = q * (n - 1);
    int below = (int)at;
    return below + 1 < n ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

static double median(double *v, int n, double *spread) {
    if (n < 1)
        return NAN;
    qsort(v, (size_t)n, sizeof *v, by_size);
    double m = quantile(v, n, 0.5);
    if (spread)
        *spread = (quantile(v, n, 0.75) - quantile(v, n, 0.25)) / m;
    return m;
}

/* ---- one row ---- */

typedef struct meeting {
    const bench_row *row;
    peer gauntlet, torch, onnx;
    bench_line *l;
    double a[MOST_ROUNDS], b[MOST_ROUNDS], ratio[MOST_ROUNDS], busy[MOST_ROUNDS];
    double c[MOST_ROUNDS], ratio_c[MOST_ROUNDS]; /* of ONNX Runtime */
} meeting;

/* Runs a block of n units. *cpu: seconds of a unit; *busy, unless NULL: wall clock over processor time. */
static int block(peer *p, double n, double *cpu, double *busy) {
    char request[64];
    double number[3];
    snprintf(request, sizeof request, "run %.0f", n);
    if (peer_request(p, request, number, 3) || !(number[0] > 0))
        return -1;
    *cpu = number[1] / number[0];
    if (busy)
        *busy = number[2] / number[1];
    return 0;
}

static double units_of(double seconds, double unit) {
    return seconds > unit ? floor(seconds / unit) : 1;
}

static int limits(meeting *m, double seconds) {
    char request[64];
    double number[3];
    snprintf(request, sizeof request, "limits %.3f", seconds);
    if (peer_request(&m->gauntlet, request, number, 3))
        return -1;
    m->l->flop_rate = fmax(m->l->flop_rate, number[0]);
    m->l->byte_rate = fmax(m->l->byte_rate, number[1]);
    m->l->product_rate = fmax(m->l->product_rate, number[2]);
    return 0;
}

/* Warms up another side. Returns how many units are a block of so many seconds, 0 where there is no such
 * side, or −1. */
static double units_of_peer(peer *p, double seconds) {
    double unit;
    if (!p->pid)
        return 0;
    return block(p, 1, &unit, NULL) || block(p, 1, &unit, NULL) ? -1 : units_of(seconds, unit);
}

/* Measures all sides and the machine's limits in turns, until the time is over. */
static int take_turns(meeting *m, double budget) {
    double unit_a, spent = 0, set = budget / SETS;
    int n = 0, both = m->torch.pid != 0;
    if (block(&m->gauntlet, 1, &unit_a, NULL) ||
        block(&m->gauntlet, units_of(set / 4, unit_a), &unit_a, NULL))
        return -1;
    const double n_a = units_of(set / 2, unit_a), n_b = units_of_peer(&m->torch, set / 2),
                 n_c = units_of_peer(&m->onnx, set / 2);
    if (n_b < 0 || n_c < 0)
        return -1;
    while (n < MOST_ROUNDS && (n < LEAST_ROUNDS || spent < budget)) {
        if (block(&m->gauntlet, n_a, &m->a[n], &m->busy[n]) ||
            (n_b > 0 && block(&m->torch, n_b, &m->b[n], NULL)) ||
            (n_c > 0 && block(&m->onnx, n_c, &m->c[n], NULL)) || limits(m, fmin(0.05, set / 10)))
            return -1;
        m->ratio[n] = m->b[n] / m->a[n];
        m->ratio_c[n] = m->c[n] / m->a[n];
        spent += n_a * m->a[n] + n_b * m->b[n] + n_c * m->c[n];
        n++;
    }
    m->l->rounds = n;
    m->l->gauntlet = median(m->a, n, &m->l->spread);
    m->l->busy = median(m->busy, n, NULL);
    if (both) {
        m->l->torch = median(m->b, n, NULL);
        m->l->ratio = median(m->ratio, n, &m->l->ratio_spread);
    }
    if (n_c > 0) {
        m->l->onnx = median(m->c, n, NULL);
        m->l->ratio_onnx = median(m->ratio_c, n, NULL);
    }
    return 0;
}

static int request_rest(meeting *m) {
    char request[96];
    double number[3];
    snprintf(request, sizeof request, "cost %.9g %.9g", m->l->flop_rate, m->l->byte_rate);
    if (peer_request(&m->gauntlet, request, number, 3) ||
        peer_request(&m->gauntlet, "peak", &m->l->peak, 1) ||
        peer_request(&m->gauntlet, "arena", &m->l->arena, 1))
        return -1;
    m->l->flops = number[0];
    m->l->bytes = number[1];
    m->l->floor = number[2];
    if (m->torch.pid && (peer_request(&m->torch, "peak", &m->l->peak_torch, 1) ||
                         peer_request(&m->torch, "operations", &m->l->operations, 1)))
        return -1;
    if (m->onnx.pid && peer_request(&m->onnx, "peak", &m->l->peak_onnx, 1))
        return -1;
    return 0;
}

static void open_torch(meeting *m, char *path) {
    char script[] = "bench/torch_side.py", program[sizeof python];
    memcpy(program, python, sizeof python);
    char *argv[] = {program, script, path, NULL};
    if (access(python, X_OK)) {
        snprintf(m->l->why, sizeof m->l->why, "no %s", python);
        return;
    }
    if (peer_open(&m->torch, argv)) {
        snprintf(m->l->why, sizeof m->l->why, "PyTorch's side did not start");
        return;
    }
    double number[2] = {NAN, NAN};
    if (peer_request(&m->torch, "check", number, 2))
        snprintf(m->l->why, sizeof m->l->why, "PyTorch's side failed");
    m->l->apart_exact = number[0];
    m->l->apart_torch = number[1];
}

/* Starts ONNX Runtime's side, with the network that PyTorch's side exports; says why there is none. */
static void open_onnx(meeting *m, char *self, char *problem) {
    gnt_err err = {0};
    double done;
    char side[] = "--onnx", *library = bench_onnx_library(&err), *network = gnt_format("%s.onnx", problem),
         *request = network ? gnt_format("onnx %s", network) : NULL;
    char *argv[] = {self, side, problem, network, NULL};
    if (!library)
        snprintf(m->l->why, sizeof m->l->why, "%.150s", err.text);
    else if (!m->torch.pid)
        snprintf(m->l->why, sizeof m->l->why, "no ONNX Runtime: PyTorch exports its networks");
    else if (!request || peer_request(&m->torch, request, &done, 1))
        snprintf(m->l->why, sizeof m->l->why, "no ONNX Runtime: PyTorch's side did not export the network");
    else if (peer_open(&m->onnx, argv) || peer_request(&m->onnx, "check", &m->l->apart_onnx, 1))
        snprintf(m->l->why, sizeof m->l->why, "ONNX Runtime's side failed");
    if (network)
        unlink(network);
    gnt_free(library);
    gnt_free(network);
    gnt_free(request);
}

/* Measures a row on all sides. Returns −1, with a sentence, if they disagree: then it is not timed. */
static int meet(meeting *m, char *self, char *path, double seconds, gnt_err *err) {
    char side[] = "--side", name[64], make[] = "--make";
    snprintf(name, sizeof name, "%s", m->row->name);
    char *maker[] = {self, make, name, path, NULL}, *argv[] = {self, side, name, path, NULL};
    double wall, peak;
    if (peer_time(maker, &wall, &peak) != 0)
        return gnt_fail(err, "%s: its problem could not be made", name);
    if (peer_open(&m->gauntlet, argv) || peer_request(&m->gauntlet, "check", &m->l->apart, 1))
        return gnt_fail(err, "%s: gauntlet's side failed", name);
    open_torch(m, path);
    double exact = m->torch.pid ? m->l->apart_exact : 0, rough = m->torch.pid ? m->l->apart_torch : 0;
    if (!(exact <= BENCH_AGREE) || !(m->l->apart <= BENCH_TIED) || !(rough <= BENCH_TIED))
        return gnt_fail(
            err,
            "%s: the sides disagree by %.2g of the result in double; in float gauntlet is off by %.2g, "
            "PyTorch by %.2g; expected %.0e, and %.0e in float",
            name, exact, m->l->apart, rough, BENCH_AGREE, BENCH_TIED);
    if (m->row->kind == BENCH_FORWARD)
        open_onnx(m, self, path);
    if (m->onnx.pid && !(m->l->apart_onnx <= BENCH_AGREE))
        return gnt_fail(err, "%s: ONNX Runtime is off by %.2g of the result; expected %.0e", name,
                        m->l->apart_onnx, BENCH_AGREE);
    if (take_turns(m, seconds) || request_rest(m))
        return gnt_fail(err, "%s: a side ended early", name);
    return 0;
}

/* ---- commands ---- */

static int wanted(const options *o, const char *name) {
    if (!o->rows)
        return 1;
    for (const char *at = o->rows; *at;) {
        size_t n = strcspn(at, ",");
        if (n > 0 && strncmp(at, name, n) == 0)
            return 1;
        at += n + (at[n] == ',');
    }
    return 0;
}

static int time_list(bench_line *l, const char *folder, gnt_err *err) {
    enum { TIMES = 21 };
    char *program = gnt_format("%s/../gauntlet", folder), list[] = "list";
    char *argv[] = {program, list, NULL};
    double took[TIMES], peak = 0;
    int rc = program ? 0 : -1;
    bench_line_empty(l, "start-list", "`gauntlet list`, start to end");
    for (int i = -1; rc == 0 && i < TIMES; i++) /* the first fills the cache of descriptors */
        rc = peer_time(argv, &took[i < 0 ? 0 : i], &peak);
    gnt_free(program);
    if (rc != 0)
        return gnt_fail(err, "start-list: gauntlet list ended with exit code %d", rc);
    l->gauntlet = median(took, TIMES, &l->spread);
    l->peak = peak;
    l->rounds = TIMES;
    return 0;
}

static double cells_in(const char *folder) {
    char *path = gnt_format("%s/results.json", folder);
    json_t *results = path ? json_load_file(path, 0, NULL) : NULL;
    double n = (double)json_array_size(json_object_get(results, "cells"));
    json_decref(results);
    gnt_free(path);
    return n;
}

/* Times the quick suite with an empty store, so with all its training runs and preparations. */
static int time_suite(bench_line *l, const char *folder, const char *work, int jobs, gnt_err *err) {
    char run[] = "run", suite[] = "suites/quick.json", quiet[] = "-q", bare[] = "--no-report", o[] = "-o",
         j[] = "--jobs";
    char name[64], what[96], count[8];
    snprintf(name, sizeof name, "quick-suite-%d-job%s", jobs, jobs > 1 ? "s" : "");
    snprintf(what, sizeof what, "a cell of the quick suite, %d job%s", jobs, jobs > 1 ? "s" : "");
    snprintf(count, sizeof count, "%d", jobs);
    char *program = gnt_format("%s/../gauntlet", folder), *out = gnt_format("%s/%s", work, name);
    char *argv[] = {program, run, suite, quiet, bare, j, count, o, out, NULL};
    bench_line_empty(l, name, what);
    double wall = 0;
    int rc = program && out ? peer_time(argv, &wall, &l->peak) : -1;
    if (rc == 0) {
        l->cells = cells_in(out);
        l->gauntlet = wall / l->cells;
    }
    gnt_free(program);
    gnt_free(out);
    l->rounds = 1;
    return rc == 0 ? 0 : gnt_fail(err, "%s: the run ended with exit code %d", name, rc);
}

/* ---- all ---- */

static int read_options(int argc, char **argv, options *o) {
    static const struct option known[] = {{"rows", required_argument, NULL, 'r'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"keep", required_argument, NULL, 'k'},
                                          {"suite", no_argument, NULL, 'S'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int c;
    *o = (options){.seconds = 8};
    while ((c = getopt_long(argc, argv, "o:h", known, NULL)) != -1) {
        if (c == 'o')
            o->out = optarg;
        else if (c == 'r')
            o->rows = optarg;
        else if (c == 's')
            o->seconds = strtod(optarg, NULL);
        else if (c == 'k')
            o->keep = optarg;
        else if (c == 'S')
            o->suite = 1;
        else if (c == 'l')
            o->list = 1;
        else {
            fputs(help, c == 'h' ? stdout : stderr);
            return c == 'h' ? 1 : -1;
        }
    }
    if (o->keep && o->rows) {
        fprintf(stderr, "bench: --keep keeps whole runs; expected no --rows with it\n");
        return -1;
    }
    o->suite |= o->keep != NULL;
    if (optind == argc && o->seconds > 0)
        return 0;
    fputs(help, stderr);
    return -1;
}

/* Sets the environment of both sides: one thread, and vectors as wide as gauntlet's. */
static void set_environment(void) {
    const char *core = gnt_blas_core_choice();
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("MKL_NUM_THREADS", "1", 1);
    setenv("DNNL_JIT_PROFILE", "0", 1);
    if (*core)
        setenv("OPENBLAS_CORETYPE", core, 1);
    if (gnt_cpu_vectors() == 256) { /* PyTorch's own loops, oneDNN and MKL */
        setenv("ATEN_CPU_CAPABILITY", "avx2", 1);
        setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
        setenv("MKL_ENABLE_INSTRUCTIONS", "AVX2", 1);
    }
}

static int add(bench_line *lines, int *n, int rc, const gnt_err *err) {
    if (rc != 0) {
        fprintf(stderr, "bench: %s\n", err->text);
        return 1;
    }
    bench_print_line(stdout, &lines[(*n)++]);
    return 0;
}

static int compare_rows(const options *o, char *self, const char *work, bench_line *lines, int *n,
                        bench_machine *machine) {
    int failed = 0;
    for (size_t i = 0; i < bench_n_rows; i++) {
        meeting *m = gnt_alloc(sizeof *m);
        char *path = gnt_format("%s/problem.safetensors", work);
        gnt_err err = {0};
        if (wanted(o, bench_rows[i].name) && m && path) {
            m->row = &bench_rows[i];
            m->l = &lines[*n];
            bench_line_empty(m->l, bench_rows[i].name, bench_rows[i].what);
            int rc = meet(m, self, path, o->seconds, &err);
            if (m->torch.pid)
                memcpy(machine->torch, m->torch.version, sizeof machine->torch);
            peer_close(&m->gauntlet);
            peer_close(&m->torch);
            if (m->onnx.pid)
                memcpy(machine->onnx, m->onnx.version, sizeof machine->onnx);
            peer_close(&m->onnx);
            unlink(path);
            failed |= add(lines, n, rc, &err);
        }
        gnt_free(path);
        gnt_free(m);
    }
    return failed;
}

static int time_commands(const options *o, const char *folder, const char *work, bench_line *lines, int *n) {
    gnt_err err = {0};
    int failed = 0;
    if (wanted(o, "start-list"))
        failed |= add(lines, n, time_list(&lines[*n], folder, &err), &err);
    for (int jobs = 1; o->suite && jobs <= 2; jobs++)
        failed |= add(lines, n, time_suite(&lines[*n], folder, work, jobs, &err), &err);
    return failed;
}

/* True if every row was measured, on both sides, and the suite. */
static int is_whole(const bench_line *l, int n) {
    enum { COMMANDS = 3 };
    int whole = n == (int)bench_n_rows + COMMANDS;
    for (int i = 0; i < n; i++)
        whole &= isfinite(l[i].gauntlet) && (!bench_find(l[i].name) || isfinite(l[i].torch));
    return whole;
}

/* Writes the files that were requested. Returns 0, or 1 with a sentence. */
static int write_out(const options *o, const bench_line *lines, int n, const bench_machine *m) {
    if (o->out && (bench_write_json(lines, n, m, o->out) || bench_write_text(lines, n, m, o->out)))
        return fprintf(stderr, "bench: %s cannot be written\n", o->out), 1;
    if (o->keep && !is_whole(lines, n))
        return fprintf(stderr, "bench: %s stays as it was: a row or a side is missing\n", o->keep), 1;
    if (o->keep && bench_write_json(lines, n, m, o->keep))
        return fprintf(stderr, "bench: %s cannot be written\n", o->keep), 1;
    return 0;
}

static int bench(const options *o) {
    const char *place = getenv("TMPDIR");
    char self[4096], folder[4096], work[4096];
    static bench_line lines[MOST_LINES];
    bench_machine machine;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    const int room =
        snprintf(work, sizeof work, "%s/gauntlet-bench-XXXXXX", place && *place ? place : "/tmp");
    if (length <= 0 || room < 0 || room >= (int)sizeof work || !mkdtemp(work)) {
        fprintf(stderr, "bench: cannot make a working folder; set TMPDIR to a folder that can be written\n");
        return 2;
    }
    self[length] = 0;
    memcpy(folder, self, (size_t)length + 1);
    *strrchr(folder, '/') = 0;
    setenv("XDG_CACHE_HOME", work, 1);
    bench_machine_before(&machine, o->seconds);
    int n = 0;
    if (*machine.forced)
        fprintf(stderr, "bench: %s\n", machine.forced);
    bench_print_head(stdout);
    int failed = compare_rows(o, self, work, lines, &n, &machine);
    failed |= time_commands(o, folder, work, lines, &n);
    bench_machine_after(&machine);
    bench_print_foot(stdout, lines, n, &machine);
    failed |= write_out(o, lines, n, &machine);
    char rm[] = "/bin/rm", flags[] = "-rf", *argv[] = {rm, flags, work, NULL};
    double wall, peak;
    peer_time(argv, &wall, &peak);
    return failed ? 1 : 0;
}

int main(int argc, char **argv) {
    options o;
    gnt_err err = {0};
    signal(SIGPIPE, SIG_IGN);
    if (argc == 4 && strcmp(argv[1], "--side") == 0)
        return bench_side(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "--onnx") == 0)
        return bench_onnx_side(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "--make") == 0) {
        const bench_row *row = bench_find(argv[2]);
        int rc =
            row ? bench_problem_write(row, argv[3], &err) : gnt_fail(&err, "there is no row %s", argv[2]);
        if (rc != 0)
            fprintf(stderr, "bench: %s\n", err.text);
        return rc == 0 ? 0 : 2;
    }
    int said = read_options(argc, argv, &o);
    if (said)
        return said > 0 ? 0 : 2;
    for (size_t i = 0; o.list && i < bench_n_rows; i++)
        printf("%-22s %s\n", bench_rows[i].name, bench_rows[i].what);
    if (o.list)
        return 0;
    set_environment();
    return bench(&o);
}
