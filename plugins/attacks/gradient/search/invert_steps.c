/* The steps of a search: restarts of Adam, one after another or drawn to their mean, or of L-BFGS. */
#include <math.h>
#include <string.h>

#include "search/invert.h"
#include "first_dense.h"
#include "hook.h"

static const double near_rate = 0.2; /* of the rate, where the search begins near the batch */

typedef struct climber { /* one restart */
    float *q, *grad;
    gnt_adam *adam;
    int ended; /* its cost was not finite */
} climber;

static double rate_at(const search *s, int64_t step, int64_t steps) {
    const invert *p = s->self;
    return gnt_rate_milestones(s->is_near ? near_rate * p->rate : p->rate, step, steps, p->milestones.at,
                               (int32_t)p->milestones.n, p->decay);
}

void search_keep(search *s, int32_t restart, const float *q, double cost) {
    if (!(cost < s->least))
        return;
    s->least = cost;
    s->chosen = restart;
    memcpy(s->winner, s->x, (size_t)(s->n * s->features) * sizeof *s->x);
    if (s->winner_q)
        memcpy(s->winner_q, q, (size_t)search_size(s) * sizeof *q);
    if (s->n_rates)
        memcpy(s->winner_rates, s->term[0].rates, (size_t)s->n_rates * sizeof *s->winner_rates);
}

/* Takes one step of one restart. `centre`: the mean of all restarts, towards which the weight `group`
 * draws it; NULL: none. */
static gnt_status step_once(search *s, climber *c, int32_t restart, int64_t k, int64_t steps, double group,
                            const float *centre) {
    const gnt_host *host = s->self->host;
    double cost;
    TRY(may_go_on(host));
    TRY(search_evaluate(s, c->q, &cost, c->grad));
    if (s->answer)
        s->answer->cost(s->answer->context, restart, k, cost);
    gnt_host_progress(host, (double)++s->done, (double)s->total);
    c->ended = !isfinite(cost);
    s->early |= c->ended && k + 1 < steps;
    if (c->ended)
        return GNT_OK;
    search_keep(s, restart, c->q, cost);
    for (int64_t i = 0; centre && i < s->at[s->n]; i++)
        c->grad[i] += (float)(2 * group / (double)s->at[s->n]) * (c->q[i] - centre[i]);
    (s->with_signs ? gnt_adam_step_signed : gnt_adam_step)(c->adam, c->q, c->grad, rate_at(s, k, steps));
    search_into_box(s, c->q);
    return GNT_OK;
}

/* Runs the restarts one after another, in the memory of one. */
static gnt_status alone(search *s, climber *c, int64_t restarts, int64_t steps) {
    for (int32_t r = 0; r < restarts; r++) {
        search_begin(s, r, c->q);
        if (s->by_lbfgs) {
            TRY(search_descend(s, r, steps, c->q));
            continue;
        }
        gnt_adam_reset(c->adam);
        c->ended = 0;
        for (int64_t k = 0; k < steps && !c->ended; k++) {
            TRY(step_once(s, c, r, k, steps, 0, NULL));
        }
    }
    return GNT_OK;
}

static void take_mean(const search *s, const climber *c, int64_t restarts, float *centre) {
    int64_t going = 0;
    memset(centre, 0, (size_t)s->at[s->n] * sizeof *centre);
    for (int64_t r = 0; r < restarts; r++)
        going += !c[r].ended;
    for (int64_t r = 0; r < restarts; r++)
        for (int64_t i = 0; !c[r].ended && i < s->at[s->n]; i++)
            centre[i] += c[r].q[i] / (float)going;
}

/* Runs the restarts in parallel, with the group consistency of GradInversion but without its registration:
 * restarts that agree on an image are right about it more often than each alone. */
static gnt_status together(search *s, climber *c, int64_t restarts, int64_t steps, double group,
                           float *centre) {
    for (int64_t r = 0; r < restarts; r++)
        search_begin(s, (int32_t)r, c[r].q);
    for (int64_t k = 0; k < steps; k++) {
        take_mean(s, c, restarts, centre);
        for (int32_t r = 0; r < restarts; r++) {
            TRY(c[r].ended ? GNT_OK : step_once(s, &c[r], r, k, steps, group, centre));
        }
    }
    return GNT_OK;
}

const char *const invert_signed_choices[] = {"auto", "always", "never", NULL};

enum { LONG_SEARCH = 1000 }; /* steps */

int search_has_kinks(const gnt_model_info *m) {
    static const char *const kinked[] = {"relu", "leaky_relu", "max_pool", NULL};
    for (int32_t i = 0; i < m->n_layers; i++)
        if (is_any(m->layer[i].type, kinked))
            return 1;
    return 0;
}

/* Signs find the way fast and through kinks, where the gradient's size says little of how far to go; where
 * the cost is smooth, the gradient itself comes closer in the end. A likelihood says its own size. */
static int uses_signs(const search *s, int64_t steps) {
    const int64_t choice = s->self->signs;
    if (s->gaussian[0] || search_is_likely(s))
        return 0;
    return choice == SIGNED_ALWAYS ||
           (choice == SIGNED_AUTO && (steps < LONG_SEARCH || search_has_kinks(s->self->host->model->info)));
}

gnt_status search_run(search *s, int64_t restarts, int64_t steps, double group) {
    const gnt_host *host = s->self->host;
    int side_by_side = group > 0 && restarts > 1;
    size_t size = (size_t)search_size(s), n = side_by_side ? (size_t)restarts : 1;
    climber *c = gnt_host_scratch(host, n, sizeof *c);
    float *room = gnt_host_scratch(host, (2 * n + 1) * size, sizeof *room);
    gnt_status status = c && room ? GNT_OK : hook_no_memory(host);
    s->least = INFINITY;
    s->with_signs = uses_signs(s, steps);
    for (size_t r = 0; status == GNT_OK && r < n; r++) {
        c[r] = (climber){.q = room + 2 * r * size, .grad = room + (2 * r + 1) * size};
        c[r].adam = gnt_adam_new((int64_t)size, 0.9, 0.999, 1e-8);
        if (!c[r].adam)
            status = hook_no_memory(host);
    }
    if (status == GNT_OK)
        status = side_by_side ? together(s, c, restarts, steps, group, room + 2 * n * size)
                              : alone(s, c, restarts, steps);
    for (size_t r = 0; c && r < n; r++)
        gnt_adam_free(c[r].adam);
    gnt_project_box(s->winner, s->n * s->features, 0, 1);
    if (status == GNT_OK && !isfinite(s->least))
        return gnt_host_fail(host, "its cost was never finite, from any start");
    return status;
}

void search_report_end(const search *s, const gnt_observation *seen) {
    const int64_t allowed = seen->budget > 0 ? seen->budget : s->total;
    const int left = s->early && s->done < allowed;
    gnt_answer_ended(s->answer,
                     !left           ? GNT_ENDED_BUDGET
                     : s->least == 0 ? GNT_ENDED_TOLERANCE
                                     : GNT_ENDED_STALL,
                     s->done);
}
