#include "gate/search_curve_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "judge/measure_text.h"

/* FAR: times what the match is to cost */
enum { TURNS = 50, FAR = 2 };
static const double most_utility = 1e100;

static const gnt_about *about_of(const gnt_results *r, const char *defense) {
    for (size_t i = 0; i < r->n_defense; i++)
        if (!strcmp(r->defense[i], defense))
            return &r->about[i];
    return NULL;
}

static double place_of(const gnt_about *about, double strength) {
    const char *scale = about && about->scale ? about->scale : "";
    if (!strcmp(scale, "log") && strength > 0)
        return log(strength);
    if (!strcmp(scale, "complement") && strength < 1)
        return -log1p(-strength);
    return strength;
}

static const char *measure_of(const gnt_results *r, const char *task) {
    for (size_t i = 0; i < r->n_cell; i++)
        if (!strcmp(r->cell[i].task, task) && r->cell[i].utility.measure[0])
            return r->cell[i].utility.measure;
    return "accuracy";
}

/* True if a cell was trained as the match says, or at the strength `also`. */
static int is_of(const gnt_outcome *o, const gnt_match_row *m, double also) {
    return (o->mode == GNT_ROW_MATCHED || (o->mode == GNT_ROW_SWEEP && o->strength == also)) &&
           !strcmp(o->task, m->task) && !strcmp(o->defense, m->defense);
}

static void add(gate_curve *c, gate_training t) {
    if (isfinite(t.strength) && fabs(t.utility) < most_utility && t.error >= 0 && t.error < most_utility)
        c->training[c->n_training++] = t;
}

/* Returns the place of a seed in the suite's list, in whose order cells are listed. */
static int64_t number_of(int64_t *seed, size_t *n, int64_t of) {
    for (size_t i = 0; i < *n; i++)
        if (seed[i] == of)
            return (int64_t)i;
    seed[*n] = of;
    return (int64_t)(*n)++;
}

static int read_trainings(gate_curve *c, const gnt_results *r, double also) {
    const gnt_match_row *m = c->match;
    const gnt_about *about = about_of(r, m->defense);
    const int sign = gnt_utility_sign(measure_of(r, m->task));
    size_t cells = 0, seeds = 0;
    for (size_t i = 0; i < r->n_cell; i++)
        cells += is_of(&r->cell[i], m, also);
    int64_t *seed = gnt_array(cells + 1, sizeof *seed);
    c->training = gnt_array(m->n_history + cells + 1, sizeof *c->training);
    if (!seed || !c->training) {
        gnt_free(seed);
        return -1;
    }
    for (size_t i = 0; i < m->n_history; i++) {
        const gnt_attempt *h = &m->history[i];
        add(c, (gate_training){h->strength, place_of(about, h->strength), h->seed, sign * h->utility,
                               h->standard_error});
    }
    for (size_t i = 0; i < r->n_cell; i++)
        if (is_of(&r->cell[i], m, also)) {
            const gnt_outcome *o = &r->cell[i];
            add(c, (gate_training){o->strength, place_of(about, o->strength),
                                   -1 - number_of(seed, &seeds, o->seed), sign * o->utility.value,
                                   o->utility.error});
        }
    gnt_free(seed);
    return 0;
}

static int by_place(const void *a, const void *b) {
    const gate_training *x = a, *y = b;
    int d = (x->place > y->place) - (x->place < y->place);
    return d ? d : (x->number > y->number) - (x->number < y->number);
}

/* Counts the attacks on one training run once. */
static void drop_repeated(gate_curve *c) {
    size_t kept = 0;
    qsort(c->training, c->n_training, sizeof *c->training, by_place);
    for (size_t i = 0; i < c->n_training; i++)
        if (kept == 0 || by_place(&c->training[kept - 1], &c->training[i]) != 0)
            c->training[kept++] = c->training[i];
    c->n_training = kept;
}

static void find_means(gate_curve *c) {
    for (size_t i = 0; i < c->n_level; i++) {
        gate_level *l = &c->level[i];
        l->mean = 0;
        for (size_t k = l->first; k < l->first + l->n; k++)
            l->mean += c->training[k].utility / (double)l->n;
    }
}

static void find_far(gate_curve *c, int sign) {
    const double none = sign * c->match->utility_none, cost = fabs(c->match->utility_none - c->match->target);
    for (size_t i = 0; i < c->n_level; i++)
        c->level[i].is_far = c->level[i].mean < none - FAR * cost;
}

static int find_levels(gate_curve *c, int sign) {
    c->level = gnt_array(c->n_training + 1, sizeof *c->level);
    if (!c->level)
        return -1;
    for (size_t i = 0, end; i < c->n_training; i = end) {
        gate_level *l = &c->level[c->n_level++];
        *l = (gate_level){.strength = c->training[i].strength, .place = c->training[i].place, .first = i};
        for (end = i; end < c->n_training && c->training[end].place == l->place; end++)
            ;
        l->n = end - i;
    }
    find_means(c);
    find_far(c, sign);
    return 0;
}

int gate_curve_make(gate_curve *c, const gnt_results *r, const gnt_match_row *match, double also,
                    gnt_err *err) {
    *c = (gate_curve){.match = match};
    if (read_trainings(c, r, also) == 0) {
        drop_repeated(c);
        if (find_levels(c, gnt_utility_sign(measure_of(r, match->task))) == 0)
            return 0;
    }
    gate_curve_free(c);
    return gnt_fail(err, "out of memory for the training runs of %.200s", match->defense);
}

void gate_curve_free(gate_curve *c) {
    gnt_free(c->training);
    gnt_free(c->level);
    *c = (gate_curve){0};
}

const gate_level *gate_curve_level(const gate_curve *c, double strength) {
    for (size_t i = 0; i < c->n_level; i++)
        if (c->level[i].strength == strength)
            return &c->level[i];
    return NULL;
}

void gate_curve_scatter(const gate_curve *c, double *squares, double *freedom, double *stated) {
    double sum = 0;
    for (size_t i = 0; i < c->n_level; i++) {
        const gate_level *l = &c->level[i];
        if (l->is_far)
            continue;
        for (size_t k = l->first; k < l->first + l->n; k++)
            *squares += (c->training[k].utility - l->mean) * (c->training[k].utility - l->mean);
        *freedom += (double)(l->n - 1);
    }
    for (size_t i = 0; i < c->n_training; i++)
        sum += c->training[i].error * c->training[i].error / (double)c->n_training;
    *stated = fmax(*stated, sum);
}

/* ---- replicates ---- */

/* Returns by how much the training runs of a replicate exceed the means of their strengths, summed. */
static double above_means(const gate_curve *c, int64_t number, size_t *n) {
    double sum = 0;
    for (size_t i = 0; i < c->n_level; i++)
        for (size_t k = c->level[i].first; k < c->level[i].first + c->level[i].n; k++)
            if (!c->level[i].is_far && c->training[k].number == number) {
                sum += c->training[k].utility - c->level[i].mean;
                ++*n;
            }
    return sum;
}

static void subtract(gate_curve *c, int64_t number, double effect) {
    for (size_t i = 0; i < c->n_training; i++)
        if (c->training[i].number == number)
            c->training[i].utility -= effect;
}

/* Appends the replicates of the levels that are not far to a list of n; some may be listed twice. */
static size_t add_numbers(const gate_curve *c, int64_t *number, size_t n) {
    for (size_t i = 0; i < c->n_level; i++)
        for (size_t k = 0; k < c->level[i].n && !c->level[i].is_far; k++)
            number[n++] = c->training[c->level[i].first + k].number;
    return n;
}

static size_t numbers_of(const gate_curve *a, const gate_curve *b, int64_t *number) {
    const size_t n = add_numbers(b, number, add_numbers(a, number, 0));
    size_t kept = 0;
    gnt_sort_ints(number, n);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || number[kept - 1] != number[i])
            number[kept++] = number[i];
    return kept;
}

int gate_curves_adjust(gate_curve *a, gate_curve *b, size_t *n, gnt_err *err) {
    int64_t *number = gnt_array(a->n_training + b->n_training + 1, sizeof *number);
    if (!number)
        return gnt_fail(err, "out of memory for the training runs of %.200s", a->match->defense);
    const size_t numbers = numbers_of(a, b, number);
    for (int turn = 0; turn < TURNS; turn++) {
        double all = 0; /* effects are about 0 */
        for (size_t i = 0; i < numbers; i++) {
            size_t trainings = 0;
            double effect = above_means(a, number[i], &trainings) + above_means(b, number[i], &trainings);
            effect /= (double)trainings;
            all += effect / (double)numbers;
            subtract(a, number[i], effect);
            subtract(b, number[i], effect);
        }
        for (size_t i = 0; i < numbers; i++) {
            subtract(a, number[i], -all);
            subtract(b, number[i], -all);
        }
        find_means(a);
        find_means(b);
    }
    *n = numbers ? numbers - 1 : 0;
    gnt_free(number);
    return 0;
}

gate_value gate_curve_at(const gate_curve *c, double place) {
    const gate_level *a = &c->level[0], *b = &c->level[c->n_level - 1];
    if (place < a->place || place > b->place) {
        const gate_level *nearest = place < a->place ? a : b;
        return (gate_value){nearest->mean, 1 / (double)nearest->n, 0, place < a->place ? -1 : 1};
    }
    for (size_t i = 0; i < c->n_level; i++) {
        if (c->level[i].place <= place)
            a = &c->level[i];
        if (c->level[c->n_level - 1 - i].place >= place)
            b = &c->level[c->n_level - 1 - i];
    }
    const double f = b->place > a->place ? (place - a->place) / (b->place - a->place) : 0;
    return (gate_value){.mean = (1 - f) * a->mean + f * b->mean,
                        .share = (1 - f) * (1 - f) / (double)a->n + f * f / (double)b->n,
                        .bend = fabs(a->mean - b->mean) * f * (1 - f)};
}

/* Returns the sum of products of deviations of place and utility, from the means of the curve. */
static double together(const gate_curve *c) {
    double place = 0, utility = 0, sum = 0;
    for (size_t i = 0; i < c->n_training; i++) {
        place += c->training[i].place / (double)c->n_training;
        utility += c->training[i].utility / (double)c->n_training;
    }
    for (size_t i = 0; i < c->n_training; i++)
        sum += (c->training[i].place - place) * (c->training[i].utility - utility);
    return sum;
}

/* Returns where the strongest setting lies, which is where a saturated search ends: +1 if that is the largest
 * place, −1 if it is the smallest; 0 if the search does not show it. */
static int strongest_end(const gate_curve *c) {
    const gate_level *l = gate_curve_level(c, c->match->strength);
    if (strcmp(c->match->verdict, "saturated") != 0 || !l || c->n_level < 2)
        return 0;
    return l == &c->level[c->n_level - 1] ? 1 : l == &c->level[0] ? -1 : 0;
}

int gate_curve_direction(const gate_curve *a, const gate_curve *b) {
    const int end = strongest_end(a) ? strongest_end(a) : strongest_end(b);
    if (end)
        return end;
    return together(a) + together(b) > 0 ? -1 : 1;
}
