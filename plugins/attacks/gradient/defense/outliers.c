#include "defense/outliers.h"

#include <math.h>
#include <string.h>

#include "defense/perturbed.h"
#include "hook.h"

const char *const outliers_choices[] = {"auto", "keep", NULL};

static const double gap = 100, covered = 0.75;
enum { SHARE = 5, OCTAVES = 255, FEW = 4 }; /* at most 1/SHARE lie above a gap */
/* With fewer entries left for each pixel than this, perturbed ones are matched, too. */
enum { PER_PIXEL = 3 };

/* Sizes by octave: numbers within one are less than a factor of 2 apart, so every gap lies between two
 * octaves, and finding it takes no sorting. */
typedef struct spectrum {
    int64_t total, count[OCTAVES];
    float least[OCTAVES], most[OCTAVES];
} spectrum;

typedef struct band { /* sizes low ≤ |v| < high */
    float low, high;
} band;

typedef struct finder {
    const gnt_host *host;
    const gnt_views *update;
    uint8_t **of; /* NULL until something is found */
    int64_t n;
} finder;

/* Returns the octave of a size; 0 for what has none: zero, and numbers too small to be normal. */
static int octave_of(float size) {
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    return (int)(bits >> 23 & 255) % OCTAVES;
}

static int is_flagged(const finder *f, int64_t tensor, int64_t entry) {
    return f->of && f->of[tensor][entry];
}

static void add_tensor(spectrum *s, const finder *f, int64_t t) {
    const gnt_view *v = &f->update->view[t];
    for (int64_t i = 0; i < v->count; i++) {
        float size = fabsf(v->data[i]);
        int o = octave_of(size);
        if (o == 0 || is_flagged(f, t, i))
            continue;
        if (s->count[o] == 0 || size < s->least[o])
            s->least[o] = size;
        if (s->count[o] == 0 || size > s->most[o])
            s->most[o] = size;
        s->count[o]++;
        s->total++;
    }
}

/* Finds the bands above gaps, the largest sizes first. Returns their number. */
static int find_bands(const spectrum *s, band out[OCTAVES]) {
    int64_t above = 0;
    int n = 0, upper = 0;
    float high = INFINITY;
    for (int o = OCTAVES - 1; o > 0 && above * SHARE <= s->total; o--) {
        if (s->count[o] == 0)
            continue;
        if (upper && (double)s->least[upper] >= gap * (double)s->most[o]) {
            out[n++] = (band){s->least[upper], high};
            high = s->least[upper];
        }
        above += s->count[o];
        upper = o;
    }
    return n;
}

static int is_within(const band *b, float value) {
    float size = fabsf(value);
    return size >= b->low && size < b->high;
}

/* ---- is a band how a gradient may look? ---- */

/* How the band's entries lie in the lines of a matrix along one axis. */
typedef struct lines {
    int64_t touched, entries; /* lines that hold some; entries in them */
    int whole;                /* all of every such line but what is zero or an outlier already */
} lines;

/* Counts how n lines of tensor t meet the band; entry k of line l is at l·line + k·step. */
static lines lines_of(const finder *f, int64_t t, const band *b, int64_t n, int64_t line, int64_t length,
                      int64_t step) {
    const gnt_view *v = &f->update->view[t];
    lines out = {.whole = 1};
    for (int64_t l = 0; l < n; l++) {
        int64_t inside = 0, all = 0;
        for (int64_t k = 0; k < length; k++) {
            int64_t i = l * line + k * step;
            if (v->data[i] == 0 || is_flagged(f, t, i))
                continue;
            all++;
            inside += is_within(b, v->data[i]);
        }
        out.whole &= inside == 0 || inside == all;
        out.touched += inside > 0;
        out.entries += inside;
    }
    return out;
}

/* True if the band's entries of a matrix can be a gradient's own: whole rows are large units, whole
 * columns large inputs, and most of a block of rows and columns is one large sample of a batch, to which
 * some units and some inputs belong. Scattered entries cover few of the rows and columns that they lie in. */
static int is_plausible_matrix(const finder *f, int64_t t, const band *b) {
    int64_t rows = f->update->view[t].dim[0], columns = f->update->view[t].count / rows;
    lines r = lines_of(f, t, b, rows, columns, columns, 1), c = lines_of(f, t, b, columns, 1, rows, columns);
    if (r.entries == 0)
        return 1;
    if ((r.whole && r.entries >= FEW * r.touched) || (c.whole && c.entries >= FEW * c.touched))
        return 1; /* a line of one entry is no line */
    return r.touched > 1 && c.touched >= FEW &&
           covered * (double)r.touched * (double)c.touched <= (double)r.entries;
}

static int touches_row(const gnt_view *v, const band *b, int64_t row) {
    int64_t length = v->count / v->dim[0];
    for (int64_t k = 0; k < length; k++)
        if (is_within(b, v->data[row * length + k]))
            return 1;
    return 0;
}

/* True if each entry of a bias in the band has an entry of its unit's weights there too: a bias is as
 * large as its unit. */
static int follows_weights(const finder *f, int64_t t, const band *b) {
    const gnt_view *v = &f->update->view[t], *weight = NULL;
    for (int64_t u = 0; u < f->update->n; u++) {
        const gnt_view *w = &f->update->view[u];
        if (w->layer == v->layer && w->rank > 1 && w->dim[0] == v->count)
            weight = w;
    }
    for (int64_t i = 0; i < v->count; i++)
        if (is_within(b, v->data[i]) && !is_flagged(f, t, i) && (!weight || !touches_row(weight, b, i)))
            return 0;
    return 1;
}

static int is_plausible(const finder *f, int64_t t, const band *b) {
    const gnt_view *v = &f->update->view[t];
    if (v->rank < 2 || v->dim[0] < 1)
        return follows_weights(f, t, b);
    return is_plausible_matrix(f, t, b);
}

/* ---- marking ---- */

static int make_room(finder *f) {
    const int64_t total = entries_of(f->update);
    if (f->of)
        return 1;
    uint8_t *flags = gnt_host_scratch(f->host, (size_t)total, 1);
    f->of = gnt_host_scratch(f->host, f->update->n, sizeof *f->of);
    if (!flags || !f->of)
        return 0;
    memset(flags, 0, (size_t)total);
    for (int64_t t = 0; t < f->update->n; flags += f->update->view[t].count, t++)
        f->of[t] = flags;
    return 1;
}

static void mark(finder *f, int64_t t, const band *b) {
    const gnt_view *v = &f->update->view[t];
    for (int64_t i = 0; i < v->count; i++)
        if (is_within(b, v->data[i]) && !f->of[t][i]) {
            f->of[t][i] = 1;
            f->n++;
        }
}

/* Marks the bands of tensors from … to − 1 taken together. 0 when memory ran out. */
static int judge(finder *f, int64_t from, int64_t to) {
    spectrum s = {0};
    band b[OCTAVES];
    for (int64_t t = from; t < to; t++)
        add_tensor(&s, f, t);
    int n = find_bands(&s, b);
    for (int k = 0; k < n; k++) {
        int plausible = 1;
        for (int64_t t = from; plausible && t < to; t++)
            plausible = is_plausible(f, t, &b[k]);
        if (plausible)
            continue;
        if (!make_room(f))
            return 0;
        for (int64_t t = from; t < to; t++)
            mark(f, t, &b[k]);
    }
    return 1;
}

/* Judges all bands of the update, then those of each matrix, but not of a bias: in it alone, any entry may
 * be far above the rest. */
static int judge_all(finder *f) {
    int done = judge(f, 0, f->update->n);
    for (int64_t t = 0; done && t < f->update->n; t++)
        if (f->update->view[t].rank > 1)
            done = judge(f, t, t + 1);
    if (f->n)
        gnt_host_fact(f->host, "outliers_masked", (double)f->n);
    return done;
}

static int add_perturbed(finder *f, const perturbed *p, int64_t samples) {
    const gnt_model_info *info = f->host->model->info;
    int64_t least = PER_PIXEL * samples;
    for (int32_t i = 0; i < info->rank; i++)
        least *= info->dim[i];
    if (!make_room(f))
        return 0;
    const int64_t n = perturbed_mark(p, f->update, least, f->of);
    gnt_host_fact(f->host, "perturbed_masked", (double)n);
    f->n += n;
    return 1;
}

gnt_status outliers_find(outliers *out, const gnt_host *host, const gnt_observation *seen, int64_t want) {
    finder f = {.host = host, .update = seen->update};
    perturbed p;
    *out = (outliers){0};
    if ((want != OUTLIERS_KEEP && !judge_all(&f)) ||
        (perturbed_read(&p, seen) && !add_perturbed(&f, &p, seen->n)))
        return hook_no_memory(host);
    *out = (outliers){f.n ? f.of : NULL, f.n};
    return GNT_OK;
}
