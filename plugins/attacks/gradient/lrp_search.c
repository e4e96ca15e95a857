/* lrp-search: searches the batch together with the rates of the local steps, which the client hides.
 *
 * A client that draws the rate of each of its E local steps, as LRP does, hides them from an attacker who
 * matches its weight delta Δ by unrolling. This attack minimises
 *
 *     1 − cos(unrolled update(x, y; rate_1 … rate_E), Δ) + tv·TV(x)
 *
 * over the images x and the logarithms of the rates (log_rates.h). `known` unrolls with the granted rates,
 * `equal` with the announced one in all steps. The gap from `learnt` to `known` is what the drawn rates
 * protect; the gap from `equal` to `learnt` is what a suite misses if its attacks ignore that rates are
 * drawn. With one step, or one gradient, the rate is a factor that the cosine does not see: all three are
 * then the same, and equal invert-gradients with its cosine.
 *
 * Steps that take different samples are unrolled in the order granted, else one sample after another.
 * Labels that are not granted are inferred from the update, which does not reveal which step used them. */
#include <math.h>

#include "defense/perturbed.h"
#include "gauntlet/plugin.h"
#include "search/chosen.h"
#include "search/invert_parameters.h"
#include "hook.h"

enum { RATES_LEARNT, RATES_KNOWN, RATES_EQUAL };

/* Reports the relative spread of the rates found, their deviation over their mean, and that mean over the
 * announced rate. */
static void report_rates(const search *s) {
    const gnt_host *host = s->self->host;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < s->n_rates; i++) {
        const double rate = (double)s->winner_rates[i] / s->announced;
        sum += rate / (double)s->n_rates;
        squares += rate * rate / (double)s->n_rates;
    }
    if (s->n_rates == 0)
        return;
    gnt_host_fact(host, "rates_mean", sum);
    gnt_host_fact(host, "rates_spread", sqrt(fmax(0, squares - sum * sum)) / sum);
}

gnt_status lrp_cost(invert *self, gnt_observation *seen, const granted_defense *granted, int *cost) {
    const gnt_host *host = self->host;
    *cost = DATA_COSINE;
    if (granted->layers)
        return unsupported(host,
                           "it compares directions, but the granted defense adds noise to some layers: leave "
                           "the grant defense out");
    self->data[0].by_rates = self->rates == RATES_LEARNT;
    if (self->rates != RATES_KNOWN)
        seen->rates = NULL;
    else if (!(seen->granted & GNT_KNOWS_RATES))
        return unsupported(host, "rates is \"known\", but the rates that the client used are not granted: "
                                 "grant them (rates), or take \"learnt\"");
    /* an attack that is granted the defense has to adapt to it */
    if (self->rates == RATES_EQUAL && (seen->granted & GNT_KNOWS_DEFENSE))
        return unsupported(host, "rates is \"equal\", as by an attacker who does not know that rates are "
                                 "drawn, but the defense is granted: leave that grant out, or take "
                                 "\"learnt\"");
    return GNT_OK;
}

prior_setting lrp_prior(const invert *self, int cost, const gnt_artefacts *own) {
    (void)self, (void)cost, (void)own;
    return (prior_setting){.kind = PRIOR_TV};
}

gnt_status lrp_bind(search *s, const gnt_observation *seen, const granted_defense *granted) {
    (void)granted;
    return s->self->rates == RATES_LEARNT ? search_rates(s, seen) : GNT_OK;
}

gnt_status lrp_run(search *s, const gnt_observation *seen) {
    TRY(invert_run(s, seen));
    report_rates(s);
    return GNT_OK;
}

CHOSEN_RUN("lrp-search")

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const char *const choices[] = {"learnt", "known", "equal", NULL};

static const gnt_parameter parameters[] = {
    INVERT_COMMON_ROWS,
    GNT_CHOICE(invert, rates, choices, "learnt",
               "of the local steps: searched with the images, those granted, or the announced one for all"),
};

/* The family of defenses that draw rates, whose parameters are not read; and plugins whose parameters are. */
static const char *const families[] = {"step-size", "clip", "soteria", PERTURBING_DEFENSES, NULL};

const gnt_descriptor gradient_lrp_search = {
    GNT_ATTACK("lrp-search", "1.1",
               "searches the input and the hidden rates of the local steps whose update points the same way",
               "MIT", ""),
    GRADIENT_COMMON(invert, families),
    .goals = GNT_GOAL_RECONSTRUCTION,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_ORDER | GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_BUDGET_SCHEDULE};
