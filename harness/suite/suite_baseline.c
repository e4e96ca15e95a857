/* Strengths at which a baseline run matched its defenses, from its results.json. */
#include <math.h>
#include <string.h>

#include "suite/suite_impl.h"

/* Returns the index of the task, or n if there is none. */
static size_t find_task(const gnt_suite *s, const char *id) {
    size_t i = 0;
    while (i < s->n_tasks && strcmp(s->task[i].id, id) != 0)
        i++;
    return i;
}

static size_t find_defense(const gnt_suite *s, const char *label) {
    size_t i = 0;
    while (i < s->n_defenses && strcmp(s->defense[i].label, label) != 0)
        i++;
    return i;
}

static int is_swept_at(const gnt_suite_defense *d, double strength) {
    for (size_t i = 0; i < d->n_sweep; i++)
        if (d->sweep[i] == strength)
            return 1;
    return 0;
}

int gnt_suite_begin_baseline(gnt_suite *s, gnt_err *err) {
    const size_t n = s->n_tasks * s->n_defenses;
    gnt_free(s->baseline);
    s->baseline = gnt_array(n + 1, sizeof *s->baseline);
    if (!s->baseline)
        return gnt_fail(err, "out of memory for the strengths of a baseline");
    for (size_t i = 0; i < n; i++)
        s->baseline[i] = NAN;
    return 0;
}

int gnt_suite_add_baseline(gnt_suite *s, const char *name, const char *task, const char *defense,
                           double strength, gnt_err *err) {
    const size_t t = find_task(s, task), d = find_defense(s, defense);
    if (t == s->n_tasks || d == s->n_defenses || !s->defense[d].match || !s->defense[d].on_task[t] ||
        isnan(strength))
        return 0;
    const gnt_plugin_info *info = s->defense[d].member[s->defense[d].swept].info;
    const gnt_parameter *p = &info->parameters[info->strength];
    char is[GNT_NUMBER_SIZE], low[GNT_NUMBER_SIZE], high[GNT_NUMBER_SIZE];
    if (!(strength >= p->least && strength <= p->most) ||
        (p->type == GNT_TYPE_INT && strength != floor(strength)))
        return gnt_fail(
            err,
            "%s: %.64s was matched on %.64s at %s, which is no longer a valid strength \"%s\" of %s "
            "(%s to %s); create a new baseline",
            name, defense, task, gnt_number_text(strength, is), p->id, info->id,
            gnt_number_text(p->least, low), gnt_number_text(p->most, high));
    if (!is_swept_at(&s->defense[d], strength))
        s->baseline[t * s->n_defenses + d] = strength;
    return 0;
}

double gnt_suite_baseline_of(const gnt_suite *s, size_t task, size_t defense) {
    return s->baseline ? s->baseline[task * s->n_defenses + defense] : NAN;
}
