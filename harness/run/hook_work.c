#include "run/hook_work.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "gauntlet/plugin.h"

/* Products of networks' weights with rows, the bytes of weights that a step of descent moves, and what else
 * one row takes in one epoch. */
static const double dense_rate = 60e9, weight_rate = 10e9, second_per_row = 3e-5;

typedef struct numbers {
    json_t *of;
    const char *id;
} numbers;

static numbers numbers_of(const gnt_request_plugin *p) {
    return (numbers){json_loads(p->params, 0, NULL), p->id};
}

static double number(const numbers *n, const char *name) {
    return json_number_value(json_object_get(n->of, name));
}

static int is_text(const numbers *n, const char *name, const char *text) {
    const char *said = json_string_value(json_object_get(n->of, name));
    return said && !strcmp(said, text);
}

/* ---- networks that plugins learn ---- */

/* Returns the entries that are left of so many after max pooling. */
static double pooled(const numbers *n, double entries) {
    const double window = number(n, "window"), inputs = number(n, "inputs");
    return window > 0 ? ceil(entries / window) : inputs > 0 ? fmin(entries, inputs) : entries;
}

static double weights_of(const numbers *n, double columns) {
    static const double stru[] = {512, 256, 128}, unkwn[] = {1024, 1024, 512, 128};
    const json_t *hidden = json_object_get(n->of, "hidden");
    const int is_unkwn = is_text(n, "architecture", "unkwn"), is_stru = is_text(n, "architecture", "stru");
    const double *width = is_unkwn ? unkwn : stru;
    double weights = 0, before = columns;
    for (int i = 0; (is_unkwn || is_stru) && i < (is_unkwn ? 4 : 3); before = width[i++])
        weights += before * width[i];
    if (weights > 0)
        return weights;
    if (!json_is_array(hidden))
        return columns * json_number_value(hidden);
    for (size_t i = 0; i < json_array_size(hidden); i++) {
        const double next = json_number_value(json_array_get(hidden, i));
        weights += before * next;
        before = next;
    }
    return weights;
}

/* Returns what one network of so many weights takes. */
static double learning(const numbers *n, double weights, double rows) {
    const double batch = fmax(1, number(n, "batch"));
    return number(n, "epochs") * rows *
           (6 * weights / dense_rate + 12 * weights / batch / weight_rate + second_per_row);
}

/* Returns what networks of three hidden layers take, drawn with widths up to `widest`. */
static double zoo(const numbers *n, double nets, double columns, double rows) {
    const double width = 0.4 * number(n, "widest"); /* the mean one */
    return nets * learning(n, width * (columns + 2 * width), rows);
}

double run_cost_of_learning(const gnt_request_plugin *p, double rows, double entries) {
    const numbers n = numbers_of(p);
    const double columns = pooled(&n, entries), nets = number(&n, "nets"), zoos = number(&n, "zoos");
    double seconds = 0;
    if (!strcmp(n.id, "via-task")) /* it reads the task's answers alone */
        seconds = 2e-4 * rows;
    else if (number(&n, "zoo") > 0)
        seconds = zoo(&n, number(&n, "zoo"), columns, rows);
    else if (nets > 0 && number(&n, "widest") > 0)
        seconds = zoo(&n, nets * fmax(1, zoos), columns, rows);
    else if (number(&n, "epochs") > 0)
        seconds = learning(&n, weights_of(&n, columns), rows);
    else if (number(&n, "trees") > 0)
        seconds = 3e-7 * number(&n, "trees") * rows * sqrt(columns);
    json_decref(n.of);
    return seconds;
}

double run_memory_of_learning(const gnt_request_plugin *p, double rows, double entries) {
    const numbers n = numbers_of(p);
    const double columns = pooled(&n, entries), width = 0.4 * number(&n, "widest"),
                 nets = fmax(1, fmax(number(&n, "zoo"), number(&n, "nets"))),
                 weights = width > 0 ? width * (columns + 2 * width) : weights_of(&n, columns);
    const int learns = number(&n, "epochs") > 0;
    json_decref(n.of);
    return learns ? 4 * rows * columns + 4 * (nets + 2) * weights : 0; /* one learns, with its gradient */
}

/* ---- training runs ---- */

/* Scores of how much each layer depends on the region: a product for each probe, sample and layer. */
static double scores(const numbers *n, const hook_work *w) {
    return fmax(1, number(n, "samples")) * fmax(1, number(n, "probes")) * w->layers * 3 * w->gradient;
}

/* One local step of a defense that trains an extractor against networks of its own. */
static double adversaries(const numbers *n, const hook_work *w, double batch) {
    const double width = fmax(number(n, "width"), 0.01), wide = width * width;
    const int two = !strcmp(n->id, "tappfl"); /* g and h; the others have g and a head */
    if (w->image)
        return batch * (6 * w->gradient + 0.12 * wide);
    return two ? 1.6e-4 + batch * (1.4e-5 + 1e-3 * wide) : batch * (6e-6 + 2e-4 * wide);
}

double run_cost_of_training(const gnt_request_plugin *p, const hook_work *w, const gnt_request_federated *g,
                            double turns, double rows) {
    const numbers n = numbers_of(p);
    const double clients = (double)g->clients;
    double seconds = 0;
    if (!strcmp(n.id, "tappfl") || !strcmp(n.id, "adversarial") || !strcmp(n.id, "dpfe"))
        seconds = turns * (double)g->local_steps * adversaries(&n, w, (double)g->batch);
    else if (!strcmp(n.id, "fedre") || !strcmp(n.id, "fedre-sample"))
        seconds = scores(&n, w) * (is_text(&n, "measured", "each_round") ? turns : fmin(turns, clients));
    else if (!strcmp(n.id, "pda-pam"))
        seconds = scores(&n, w) * turns;
    else if (!strcmp(n.id, "loda"))
        seconds = 0.4 * rows * number(&n, "steps") * w->gradient;
    json_decref(n.of);
    return seconds;
}

/* ---- attacks ---- */

double run_evaluations_of(const gnt_request_attacker *a) {
    static const char *const names[] = {"iterations", "steps", "epochs", "evaluations"};
    const numbers n = numbers_of(&a->plugin);
    double steps = (double)a->budget;
    for (size_t i = 0; steps <= 0 && i < sizeof names / sizeof *names; i++)
        steps = number(&n, names[i]);
    if (number(&n, "inner") > 0) /* L-BFGS, which ends where it has converged */
        steps *= number(&n, "inner") * 0.3;
    else if (is_text(&n, "search", "cmaes")) /* candidates' updates alone, without derivatives by them */
        steps *= number(&n, "population") * 0.3;
    json_decref(n.of);
    return steps;
}

double run_cost_of_reading(const gnt_request_attacker *a, const hook_work *w, double samples,
                           double public_rows) {
    const char *id = a->plugin.id;
    if (!strcmp(id, "linear-layer")) /* of one sample in the clear it divides two rows */
        return samples > 1 || (a->granted & GNT_KNOWS_DEFENSE) ? 2e-6 * w->update : 0;
    return !strcmp(id, "string-hypothesis") ? public_rows * w->gradient : 0;
}
