#include "image_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/try.h"

/* NEAR: strongest neighbours of an encoding, of which its triangles are made. EACH: triangles grown for an
 * encoding. */
enum { NEAR = 12, EACH = 2, PASSES = 4 };

typedef struct start {
    float strength; /* of a triangle: its least similarity; of the group grown from it: the mean one */
    int32_t corner[3];
} start;

typedef struct search {
    const gnt_host *host;
    dec_groups *g;
    int64_t n;
    float *left;     /* n × n: similarity less what the groups explain */
    int32_t *near;   /* n × NEAR, strongest first */
    start *found;    /* n × EACH */
    float *mean;     /* n: of an encoding's similarity to the group that grows */
    int32_t *member; /* of that group */
    int64_t groups;  /* columns of g in use: 0 … groups−1 */
} search;

static int stronger(const void *a, const void *b) {
    const start *x = a, *y = b;
    if (x->strength != y->strength)
        return x->strength < y->strength ? 1 : -1;
    for (int k = 0; k < 2; k++)
        if (x->corner[k] != y->corner[k])
            return x->corner[k] < y->corner[k] ? -1 : 1;
    return (x->corner[2] > y->corner[2]) - (x->corner[2] < y->corner[2]);
}

static void find_near(search *s) {
    for (int64_t i = 0; i < s->n; i++) {
        int32_t *near = s->near + i * NEAR;
        const float *row = s->left + i * s->n;
        int64_t have = 0;
        for (int64_t j = 0; j < s->n; j++) {
            if (j == i || (have == NEAR && row[j] <= row[near[NEAR - 1]]))
                continue;
            int64_t at = have < NEAR ? have++ : NEAR - 1;
            for (; at > 0 && row[near[at - 1]] < row[j]; at--)
                near[at] = near[at - 1];
            near[at] = (int32_t)j;
        }
    }
}

/* Finds the EACH triangles at encoding i whose least similarity is largest, in order. Returns their
 * number. */
static int triangles_at(const search *s, int64_t i, start *best) {
    int have = 0;
    for (int a = 0; a < NEAR && a < s->n - 1; a++)
        for (int b = 0; b < a; b++) {
            int64_t j = s->near[i * NEAR + a], k = s->near[i * NEAR + b];
            float ij = s->left[i * s->n + j], ik = s->left[i * s->n + k], jk = s->left[j * s->n + k];
            float least = ij < ik ? ij : ik;
            least = least < jk ? least : jk;
            if (have == EACH && least <= best[EACH - 1].strength)
                continue;
            int at = have < EACH ? have++ : EACH - 1;
            for (; at > 0 && best[at - 1].strength < least; at--)
                best[at] = best[at - 1];
            best[at] = (start){least, {(int32_t)i, (int32_t)j, (int32_t)k}};
        }
    return have;
}

/* Adds to the triangle the encoding most similar to the members on average until there are `size`. Returns
 * the mean similarity of two members. */
static float grow(search *s, const start *t, int64_t size) {
    int64_t have = 0;
    double sum = 0;
    memset(s->mean, 0, (size_t)s->n * sizeof *s->mean);
    while (have < size && have < s->n) {
        int64_t next = -1;
        for (int64_t i = 0; have >= 3 && i < s->n; i++)
            if (s->mean[i] > -1e30f && (next < 0 || s->mean[i] > s->mean[next]))
                next = i;
        if (have < 3)
            next = t->corner[have];
        sum += (double)s->mean[next];
        s->member[have++] = (int32_t)next;
        for (int64_t i = 0; i < s->n; i++)
            s->mean[i] += s->left[next * s->n + i];
        s->mean[next] = -INFINITY;
    }
    return (float)(sum / ((double)have * (double)(have - 1) / 2));
}

/* Returns the most members that a group of columns 0 … groups−1 has in common with the grown one. */
static int64_t overlap(const search *s, int64_t size) {
    int64_t m = s->g->originals, most = 0;
    for (int64_t o = 0; o < s->groups; o++) {
        int64_t common = 0;
        for (int64_t k = 0; k < size; k++)
            common += s->g->in[s->member[k] * m + o];
        most = common > most ? common : most;
    }
    return most;
}

/* Makes the grown group a column of g. A member's score is the root of its mean remaining similarity to the
 * others, as products of scores are similarities. */
static void take(search *s, int64_t size) {
    int64_t m = s->g->originals, o = s->groups++;
    for (int64_t a = 0; a < size; a++) {
        double sum = 0, all = 0;
        for (int64_t b = 0; b < size; b++) {
            sum += b == a ? 0 : (double)s->left[s->member[a] * s->n + s->member[b]];
            for (int64_t c = 0; c < b; c++)
                all += (double)s->left[s->member[b] * s->n + s->member[c]];
        }
        all /= (double)size * (double)(size - 1) / 2;
        s->g->in[s->member[a] * m + o] = 1;
        s->g->score[s->member[a] * m + o] = all > 0 && sum > 0 ? sum / (double)(size - 1) / sqrt(all) : 1e-3;
    }
}

/* Grows every encoding's best triangles and takes the most similar groups, except those that are mostly
 * groups already. */
static gnt_status grow_missing(search *s) {
    int64_t m = s->g->originals, size = s->g->size < s->n ? s->g->size : s->n, starts = 0;
    find_near(s);
    for (int64_t i = 0; i < s->n; i++) {
        start *at = s->found + starts;
        int many = triangles_at(s, i, at);
        TRY(may_go_on(s->host));
        for (int k = 0; k < many; k++)
            at[k].strength = grow(s, &at[k], size);
        starts += many;
    }
    qsort(s->found, (size_t)starts, sizeof *s->found, stronger);
    for (int64_t k = 0; k < starts && s->groups < m; k++) {
        grow(s, &s->found[k], size);
        if (2 * overlap(s, size) <= size)
            take(s, size);
    }
    return GNT_OK;
}

static void find_left(search *s, const float *similarity) {
    int64_t m = s->g->originals;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double p = 0;
            for (int64_t o = 0; o < s->groups; o++)
                p += s->g->score[i * m + o] * s->g->score[j * m + o];
            float r = (float)((double)similarity[i * s->n + j] - s->g->level - p);
            s->left[i * s->n + j] = s->left[j * s->n + i] = r;
        }
}

static void move_column(dec_groups *g, int64_t to, int64_t from) {
    for (int64_t i = 0; i < g->encodings; i++) {
        g->score[i * g->originals + to] = g->score[i * g->originals + from];
        g->in[i * g->originals + to] = g->in[i * g->originals + from];
        g->score[i * g->originals + from] = 0;
        g->in[i * g->originals + from] = 0;
    }
}

static int64_t count_common(const dec_groups *g, int64_t a, int64_t b) {
    int64_t n = 0;
    for (int64_t i = 0; i < g->encodings; i++)
        n += g->in[i * g->originals + a] && g->in[i * g->originals + b];
    return n;
}

static double power(const dec_groups *g, int64_t o) {
    double sum = 0;
    for (int64_t i = 0; i < g->encodings; i++)
        sum += g->score[i * g->originals + o] * g->score[i * g->originals + o];
    return sum;
}

/* Drops groups of less than a third of the expected size or of the mean power, and those that share half of
 * the size with an earlier one. */
static void drop_poor(search *s) {
    dec_groups *g = s->g;
    double mean = 0;
    for (int64_t o = 0; o < s->groups; o++)
        mean += power(g, o) / (double)s->groups;
    for (int64_t o = s->groups - 1; o >= 0; o--) {
        int poor = 3 * count_common(g, o, o) < g->size || 3 * power(g, o) < mean;
        for (int64_t q = 0; q < o; q++)
            poor |= 2 * count_common(g, o, q) > g->size;
        if (!poor)
            continue;
        s->groups--;
        if (o != s->groups)
            move_column(g, o, s->groups);
        else
            for (int64_t i = 0; i < g->encodings; i++)
                g->score[i * g->originals + o] = g->in[i * g->originals + o] = 0;
    }
}

static gnt_status open_search(search *s, const gnt_host *host, dec_groups *g) {
    size_t n = (size_t)g->encodings;
    *s = (search){.host = host, .g = g, .n = g->encodings};
    s->left = gnt_host_scratch(host, n * n, sizeof *s->left);
    s->near = gnt_host_scratch(host, n * NEAR, sizeof *s->near);
    s->found = gnt_host_scratch(host, n * EACH, sizeof *s->found);
    s->mean = gnt_host_scratch(host, n, sizeof *s->mean);
    s->member = gnt_host_scratch(host, n, sizeof *s->member);
    TRY(have_memory(host, s->left && s->near && s->found && s->mean && s->member,
                    "no memory for grouping that many encodings"));
    return GNT_OK;
}

gnt_status dec_group(dec_groups *g, const gnt_host *host, const float *similarity, int32_t rounds) {
    search s;
    gnt_status status = open_search(&s, host, g);
    if (status == GNT_OK)
        status = dec_factor_level(g, host, similarity);
    for (int32_t r = 0; status == GNT_OK && r < rounds; r++) {
        find_left(&s, similarity);
        status = grow_missing(&s);
        if (status == GNT_OK)
            status = dec_factor(g, host, similarity, PASSES, 0);
        if (status == GNT_OK)
            status = dec_choose_members(g, host, 0);
        if (status == GNT_OK)
            status = dec_factor(g, host, similarity, PASSES, 1);
        int64_t before = s.groups;
        if (status == GNT_OK && r + 1 < rounds)
            drop_poor(&s);
        if (r > 2 && s.groups == before && before == g->originals)
            break;
    }
    return status;
}
