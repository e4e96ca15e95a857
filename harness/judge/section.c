#include "judge/section.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/curve.h"
#include "judge/group_roles.h"
#include "judge/shares.h"

static int by_stage(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

size_t gnt_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_group && n < GNT_MOST_STAGES; i++) {
        size_t k = 0;
        if (strcmp(r->group[i].task, task))
            continue;
        while (k < n && stages[k] != r->group[i].stage)
            k++;
        if (k == n)
            stages[n++] = r->group[i].stage;
    }
    qsort(stages, n, sizeof *stages, by_stage);
    return n;
}

size_t gnt_judged_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]) {
    const size_t n = gnt_stages(r, task, stages);
    if (n == 0 || !gnt_facts_of(r, task)->drawn)
        return n;
    stages[0] = GNT_EVERY_STAGE;
    return 1;
}

int gnt_was_trained(const gnt_results *r, const char *task) {
    const gnt_result_task *of = gnt_task_of(r, task);
    return !of || of->rounds != 0;
}

/* True if the stages are numbers of drawn rounds; runs of versions before had the rounds themselves. */
static int are_numbers(const int64_t *stages, size_t n) {
    return n > 0 && stages[0] == 1 && stages[n - 1] == (int64_t)n;
}

static void every_stage_words(const int64_t *stages, size_t n, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "worst of round%s ", n == 1 ? "" : "s");
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? ", " : "", stages[i]);
}

static void drawn_words(size_t n, int64_t stage, char *text, size_t size) {
    if (stage != GNT_EVERY_STAGE)
        snprintf(text, size, "drawn round %" PRId64 " of %zu", stage, n);
    else
        snprintf(text, size, n == 1 ? "drawn round" : "worst of %zu drawn rounds", n);
}

void gnt_stage_words(const gnt_results *r, const char *task, int64_t stage, char *text, size_t size) {
    int64_t stages[GNT_MOST_STAGES];
    const size_t n = gnt_stages(r, task, stages);
    if (gnt_result_is_of_captures(r->file)) {
        snprintf(text, size, stage ? "captured in round %" PRId64 : "captured", stage);
        return;
    }
    if (gnt_facts_of(r, task)->drawn && are_numbers(stages, n))
        drawn_words(n, stage, text, size);
    else if (stage == GNT_EVERY_STAGE)
        every_stage_words(stages, n, text, size);
    else if (stage || gnt_facts_of(r, task)->in_round)
        snprintf(text, size, "round %" PRId64, stage);
    else
        snprintf(text, size, "%s",
                 gnt_task_of(r, task) && gnt_task_of(r, task)->weights ? "given weights" : "before training");
}

int gnt_utility_varies(const gnt_results *r, const char *task, int64_t stage) {
    double low = NAN, high = NAN;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!gnt_is_at(g, task, stage) || g->status != GNT_CELL_OK || !isfinite(g->utility.value))
            continue;
        low = isnan(low) ? g->utility.value : fmin(low, g->utility.value);
        high = isnan(high) ? g->utility.value : fmax(high, g->utility.value);
    }
    double scale = gnt_utility_scale(gnt_utility_measure(r, task)) == 100 ? 1 : fmax(fabs(low), fabs(high));
    return high - low > 0.01 * scale;
}

const char *gnt_utility_measure(const gnt_results *r, const char *task) {
    for (size_t i = 0; i < r->n_group; i++)
        if (!strcmp(r->group[i].task, task) && r->group[i].utility.measure[0])
            return r->group[i].utility.measure;
    return "";
}

void gnt_section_title(const gnt_results *r, const char *task, int64_t stage, gnt_text *out) {
    char words[64];
    gnt_stage_words(r, task, stage, words, sizeof words);
    gnt_text_add(out, "%s, %s", task, words);
}

int gnt_section_draws(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m) {
    if (m->undrawn || !gnt_has_measure(r, task, stage, NULL, m->name))
        return 0;
    return m != gnt_measure_of(GNT_MEASURE_MSE) ||
           !gnt_has_measure(r, task, stage, NULL, gnt_measure_of(GNT_MEASURE_PSNR)->name);
}

int gnt_is_arena(const gnt_results *r, const char *task) {
    int listed = 0;
    for (size_t i = 0; i < r->n_group && !listed; i++) {
        const gnt_result_attack *of =
            strcmp(r->group[i].task, task) ? NULL : gnt_attack_of(r, r->group[i].attack);
        listed = of && of->list;
    }
    const gnt_task_facts *facts = gnt_facts_of(r, task);
    return listed && (facts->in_round || facts->of_representations) && isfinite(gnt_target_utility(r, task));
}

/* Returns the measure that leads where no arena is. */
static const gnt_measure *first_measure(const gnt_results *r, const char *task, int64_t stage) {
    static const gnt_measure_id attribute[] = {GNT_MEASURE_ATTRIBUTE_RELABELLED,
                                               GNT_MEASURE_ATTRIBUTE_BALANCED};
    const gnt_measure *ssim = gnt_measure_of(GNT_MEASURE_SSIM); /* measured on images alone */
    for (size_t i = 0; i < 2 && !gnt_has_measure(r, task, stage, NULL, ssim->name); i++)
        if (gnt_has_measure(r, task, stage, NULL, gnt_measure_of(attribute[i])->name))
            return gnt_measure_of(attribute[i]);
    for (size_t i = 0; i < GNT_MEASURES; i++)
        if (gnt_section_draws(r, task, stage, gnt_measure_at(i)))
            return gnt_measure_at(i);
    return NULL;
}

const gnt_measure *gnt_section_lead(const gnt_results *r, const char *task, int64_t stage) {
    const gnt_measure *m = first_measure(r, task, stage);
    const gnt_measure *shared = m && gnt_is_arena(r, task) ? gnt_share_measure(m) : m;
    return shared && gnt_has_measure(r, task, stage, NULL, shared->name) ? shared : m;
}

double gnt_section_floor(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         const char **name) {
    double floor[GNT_FLOORS], chance;
    gnt_floors(r, task, stage, NULL, m, floor, &chance);
    return gnt_highest_floor(m, floor, chance, name);
}
