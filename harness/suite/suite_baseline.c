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

/* Takes one entry of the list; one of a search that failed has no strength. */
static int take(gnt_suite *s, const char *name, const json_t *entry, gnt_err *err) {
    const char *task = json_string_value(json_object_get(entry, "task"));
    const char *defense = json_string_value(json_object_get(entry, "defense"));
    const json_t *strength = json_object_get(entry, "strength");
    const size_t t = find_task(s, task ? task : ""), d = find_defense(s, defense ? defense : "");
    if (t == s->n_tasks || d == s->n_defenses || !s->defense[d].match || !s->defense[d].on_task[t] ||
        !json_is_number(strength))
        return 0;
    const gnt_plugin_info *info = s->defense[d].member[s->defense[d].swept].info;
    const gnt_parameter *p = &info->parameters[info->strength];
    const double v = json_number_value(strength);
    char low[GNT_NUMBER_SIZE], high[GNT_NUMBER_SIZE];
    if (!(v >= p->least && v <= p->most) || (p->type == GNT_TYPE_INT && v != floor(v)))
        return gnt_fail(
            err,
            "%s: %.64s was matched on %.64s at %s, which is no longer a valid strength \"%s\" of %s "
            "(%s to %s); create a new baseline",
            name, defense, task, gnt_show(strength).text, p->id, info->id, gnt_number_text(p->least, low),
            gnt_number_text(p->most, high));
    if (!is_swept_at(&s->defense[d], v))
        s->baseline[t * s->n_defenses + d] = v;
    return 0;
}

int gnt_suite_add_baseline(gnt_suite *s, const char *name, const json_t *list, gnt_err *err) {
    const size_t n = s->n_tasks * s->n_defenses;
    if (!list)
        return 0;
    gnt_free(s->baseline);
    s->baseline = gnt_array(n + 1, sizeof *s->baseline);
    if (!s->baseline)
        return gnt_fail(err, "%s: out of memory for the strengths of a baseline", name);
    for (size_t i = 0; i < n; i++)
        s->baseline[i] = NAN;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (take(s, name, json_array_get(list, i), err) != 0)
            return -1;
    return 0;
}

double gnt_suite_baseline_of(const gnt_suite *s, size_t task, size_t defense) {
    return s->baseline ? s->baseline[task * s->n_defenses + defense] : NAN;
}
