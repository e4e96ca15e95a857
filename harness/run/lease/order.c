#include "run/lease/order.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/mem.h"

/* Kinds of job by the first word of their names; what a cell needs later has a higher step. */
static const struct kind {
    const char *word;
    int step;
    /* Seconds, until such a job has ended. */
    double guess;
} kinds[] = {
    {"data", 0, 1},
    {"start", 0, 1},
    {"model", 0, 20},
    {"prepare", 1, 5},
    {"train", 2, 10},
    {"public", 2, 9},
    {"shuffled-labels", 2, 10},
    {"secret-labels", 2, 10},
    {"prepare-attack", 3, 5},
    {"observe", 3, 1},
    {"probe", 3, 1},
    {"capture", 3, 1},
    {"shadow", 3, 1},
    {"replay", 4, 4},
    {"attack", 4, 10},
    {"score", 5, 1},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds, N_STEPS = 6, OTHER_STEP = 3 };
/* Training runs of a search that are likely to follow one, and samples of a class that are enough to know
 * it. */
enum { FOLLOWING = 4, ENOUGH = 16 };

typedef struct job_class {
    double sum, guess;
    size_t n;
    int step;
} job_class;

struct run_order {
    json_t *index; /* class -> its number */
    job_class *of;
    size_t n;
    /* Seconds behind each step, until another time is learnt. */
    double behind[N_STEPS];
    int knows_behind;
};

run_order *run_order_make(void) {
    run_order *o = gnt_alloc(sizeof *o);
    if (o && !(o->index = json_object())) {
        gnt_free(o);
        return NULL;
    }
    return o;
}

void run_order_free(run_order *o) {
    if (!o)
        return;
    json_decref(o->index);
    gnt_free(o->of);
    gnt_free(o);
}

static const struct kind *kind_of(const char *name) {
    const size_t n = strcspn(name, " ");
    for (size_t i = 0; i < N_KINDS; i++)
        if (strlen(kinds[i].word) == n && strncmp(kinds[i].word, name, n) == 0)
            return &kinds[i];
    return NULL;
}

/* Returns the class of jobs like this; NULL when out of memory. */
static job_class *class_of(run_order *o, const char *name, const char *attack) {
    char text[512];
    const struct kind *kind = kind_of(name);
    snprintf(text, sizeof text, "%.*s|%s", (int)strcspn(name, "/"), name, attack ? attack : "");
    const json_t *known = json_object_get(o->index, text);
    if (known)
        return &o->of[json_integer_value(known)];
    if (GNT_GROW(o->of, o->n) != 0)
        return NULL;
    if (json_object_set_new(o->index, text, json_integer((json_int_t)o->n)) != 0)
        return NULL;
    o->of[o->n] = (job_class){.step = kind ? kind->step : OTHER_STEP, .guess = kind ? kind->guess : 1};
    return &o->of[o->n++];
}

int run_order_wants(run_order *o, const char *name, const char *attack) {
    const job_class *c = class_of(o, name, attack);
    return c && c->n < ENOUGH;
}

void run_order_learn(run_order *o, const char *name, const char *attack, double seconds) {
    job_class *c = class_of(o, name, attack);
    if (!c || !isfinite(seconds) || seconds < 0)
        return;
    c->sum += seconds;
    c->n++;
    o->knows_behind = 0;
}

static double seconds_of(const job_class *c) {
    return c->n ? c->sum / (double)c->n : c->guess;
}

double run_order_seconds(run_order *o, const char *name, const char *attack) {
    const job_class *c = class_of(o, name, attack);
    const struct kind *kind = kind_of(name);
    return c ? seconds_of(c) : kind ? kind->guess : 1;
}

/* Finds the seconds that a cell needs after a job of each step, by the longest class of each step. */
static void find_behind(run_order *o) {
    double most[N_STEPS] = {0}, sum = 0;
    int known[N_STEPS] = {0};
    for (size_t i = 0; i < o->n; i++)
        if (o->of[i].n) {
            most[o->of[i].step] = fmax(most[o->of[i].step], o->of[i].sum / (double)o->of[i].n);
            known[o->of[i].step] = 1;
        }
    for (size_t i = 0; i < N_KINDS; i++)
        if (!known[kinds[i].step])
            most[kinds[i].step] = fmax(most[kinds[i].step], kinds[i].guess);
    for (int i = N_STEPS - 1; i >= 0; i--) {
        o->behind[i] = sum;
        sum += most[i];
    }
    o->knows_behind = 1;
}

static double behind(run_order *o, int step) {
    if (!o->knows_behind)
        find_behind(o);
    return o->behind[step];
}

/* True for a training run of a search: the last part of its name is "search3", else "s1" (request_seed). */
static int is_of_search(const char *name) {
    const char *draw = strrchr(name, '/');
    return draw && strncmp(draw, "/search", strlen("/search")) == 0;
}

/* The number of its class, doubled, and 1 more for a search's; behind all classes when out of memory. */
size_t run_order_rank_of(run_order *o, const char *name, const char *attack) {
    const job_class *c = class_of(o, name, attack);
    return 2 * (c ? (size_t)(c - o->of) : SIZE_MAX / 4) + (size_t)is_of_search(name);
}

double run_order_rank_priority(run_order *o, size_t rank) {
    const job_class other = {.step = OTHER_STEP, .guess = 1},
                    *c = rank / 2 < o->n ? &o->of[rank / 2] : &other;
    return seconds_of(c) * (rank % 2 ? 1 + FOLLOWING : 1) + behind(o, c->step);
}

double run_order_priority(run_order *o, const char *name, const char *attack) {
    return run_order_rank_priority(o, run_order_rank_of(o, name, attack));
}
