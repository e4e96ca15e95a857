/* Matching: its settings in the suite, and the search for one task and defense. */
#include "match/match.h"

#include <math.h>

#include "suite/suite_impl.h"

/* Returns the name of a utility in messages. */
static const char *name_of(gnt_utility_kind utility) {
    return utility == GNT_UTILITY_LOSS ? "a loss" : utility == GNT_UTILITY_IOU ? "an IoU" : "an accuracy";
}

void suite_match_defaults(gnt_suite_match *m, gnt_utility_kind utility) {
    *m = (gnt_suite_match){.kind = GNT_TARGET_RELATIVE,
                           .target = utility == GNT_UTILITY_LOSS ? 1.05 : 0.95,
                           .tolerance = 0.02,
                           .max_strengths = 8,
                           .seeds = 1,
                           .most_seeds = 10,
                           .confirm_seeds = 3,
                           .confirmations = 3,
                           .leakage = {0.5},
                           .n_leakages = 1};
}

/* Reads exactly one of "relative", "absolute" and "added", in the range of the measure. */
static int read_target(suite_reader *r, const char *path, const json_t *object, gnt_utility_kind utility,
                       gnt_suite_match *m) {
    static const char *const keys[] = {
        [GNT_TARGET_ABSOLUTE] = "absolute", [GNT_TARGET_RELATIVE] = "relative", [GNT_TARGET_ADDED] = "added"};
    const json_t *o = NULL;
    const gnt_path at = gnt_path_key(path, "target");
    const int loss = utility == GNT_UTILITY_LOSS;
    if (suite_object(r, path, object, "target", &o))
        return -1;
    if (!o)
        return 0;
    if (gnt_doc_keys(r->doc, at.text, o, keys, 3, r->err))
        return -1;
    if (json_object_size(o) != 1)
        return suite_fail(
            r, at.text, "%s; expected one of {\"relative\": 0.95}, {\"absolute\": 0.85} and {\"added\": 0.9}",
            json_object_size(o) ? "has more than one target" : "is empty");
    m->kind = json_object_get(o, "relative") ? GNT_TARGET_RELATIVE
              : json_object_get(o, "added")  ? GNT_TARGET_ADDED
                                             : GNT_TARGET_ABSOLUTE;
    const char *key = keys[m->kind];
    if (suite_real(r, at.text, o, key, -1e9, 1e9, &m->target))
        return -1;
    const gnt_shown shown = gnt_show(json_object_get(o, key));
    const char *value = shown.text;
    if (m->kind == GNT_TARGET_ADDED)
        return m->target > 0 && m->target <= 1
                   ? 0
                   : suite_fail_key(
                         r, at.text, key,
                         "is %s; expected a share above 0, at most 1, of what private data add to the "
                         "utility of public data alone",
                         value);
    if (!loss && !(m->target > 0 && m->target <= 1))
        return suite_fail_key(r, at.text, key,
                              "is %s; of %s expected a %s above 0, at most 1 (95 %% is 0.95)", value,
                              name_of(utility), m->kind == GNT_TARGET_RELATIVE ? "share" : "value");
    if (loss && m->kind == GNT_TARGET_RELATIVE && m->target < 1)
        return suite_fail_key(
            r, at.text, key,
            "is %s; of a loss expected a multiple of at least 1 (1.05: five per cent worse than "
            "undefended); give tasks that measure something else a \"match\" of their own",
            value);
    if (loss && m->target <= 0)
        return suite_fail_key(r, at.text, key, "is %s; of a loss expected a value above 0", value);
    return 0;
}

static int read_count(suite_reader *r, const char *path, const json_t *object, const char *key, int *out) {
    int64_t value = *out;
    if (suite_int(r, path, object, key, 1, 1000, &value))
        return -1;
    *out = (int)value;
    return 0;
}

static int read_leakage(suite_reader *r, const char *path, const json_t *value, double *out) {
    if (suite_real_at(r, path, value, 0, 1, out))
        return -1;
    return *out > 0 && *out < 1 ? 0
                                : suite_fail(r, path,
                                             "is %s; expected a share above 0 and below 1 of the way from "
                                             "the baseline to no defense, such as 0.5",
                                             gnt_show(value).text);
}

/* Reads one leakage, or an ascending list. */
static int read_leakages(suite_reader *r, const char *path, const json_t *object, gnt_suite_match *m) {
    const json_t *value = json_object_get(object, "leakage"), *list;
    const gnt_path at = gnt_path_key(path, "leakage");
    if (!value)
        return 0;
    if (!json_is_array(value))
        return read_leakage(r, at.text, value, &m->leakage[0]);
    if (suite_list(r, path, object, "leakage", 1, GNT_SUITE_MOST_LEAKAGES, &list))
        return -1;
    m->n_leakages = json_array_size(list);
    for (size_t i = 0; i < m->n_leakages; i++) {
        const gnt_path item = gnt_path_item(at.text, i);
        if (read_leakage(r, item.text, json_array_get(list, i), &m->leakage[i]))
            return -1;
        if (i > 0 && m->leakage[i] <= m->leakage[i - 1])
            return suite_fail(r, item.text,
                              "is %s, after a share that is no smaller; expected ascending order",
                              gnt_show(json_array_get(list, i)).text);
    }
    return 0;
}

int suite_read_match(suite_reader *r, const char *path, const json_t *object, gnt_utility_kind utility,
                     gnt_suite_match *m) {
    if (suite_keys(r, path, object, "target", "tolerance", "seeds", "most", "most_seeds", "confirm_seeds",
                   "confirmations", "bracket", "paired", "leakage") ||
        read_target(r, path, object, utility, m) ||
        suite_real(r, path, object, "tolerance", 1e-6, 1e6, &m->tolerance) ||
        read_count(r, path, object, "most", &m->max_strengths) ||
        read_count(r, path, object, "seeds", &m->seeds) ||
        read_count(r, path, object, "most_seeds", &m->most_seeds) ||
        read_count(r, path, object, "confirm_seeds", &m->confirm_seeds) ||
        read_count(r, path, object, "confirmations", &m->confirmations) ||
        suite_bool(r, path, object, "bracket", &m->bracket) ||
        suite_bool(r, path, object, "paired", &m->paired) || read_leakages(r, path, object, m))
        return -1;
    if (utility != GNT_UTILITY_LOSS && m->tolerance >= 1)
        return suite_fail_key(r, path, "tolerance",
                              "is %s; of %s (0 to 1) expected less than 1, such as 0.02",
                              gnt_show(json_object_get(object, "tolerance")).text, name_of(utility));
    if (m->most_seeds < m->seeds) {
        if (json_object_get(object, "most_seeds"))
            return suite_fail_key(r, path, "most_seeds",
                                  "is %d, but every strength is tried with %d seeds; expected at least that",
                                  m->most_seeds, m->seeds);
        m->most_seeds = m->seeds;
    }
    return 0;
}

int gnt_suite_match_spec(const gnt_suite *s, size_t task, size_t defense, double none_utility,
                         double public_utility, struct gnt_match_spec *out, gnt_err *err) {
    const gnt_suite_task *t = &s->task[task];
    const gnt_suite_defense *d = &s->defense[defense];
    const gnt_suite_match *m = &t->match;
    if (d->swept < 0)
        return gnt_fail(err, "%s: defense %s has no strength to search for", s->file, d->label);
    const gnt_plugin_info *info = d->member[d->swept].info;
    const gnt_parameter *p = &info->parameters[info->strength];
    const int n_seeds = (int)s->n_seeds;
    double target = m->target;
    if (m->kind != GNT_TARGET_ABSOLUTE && isnan(none_utility))
        target = 0.5; /* in a dry run utility is unknown; any value in range gives the same bounds */
    else if (m->kind == GNT_TARGET_RELATIVE)
        target = gnt_match_relative(none_utility, m->target);
    else if (m->kind == GNT_TARGET_ADDED)
        target = gnt_match_added(public_utility, none_utility, m->target);
    double least = p->least, most = p->most;
    const gnt_match_scale scale = p->scale == GNT_SCALE_LOG          ? GNT_MATCH_LOG
                                  : p->scale == GNT_SCALE_COMPLEMENT ? GNT_MATCH_COMPLEMENT
                                                                     : GNT_MATCH_LINEAR;
    if (p->scale == GNT_SCALE_LOG &&
        least == 0) /* a logarithmic scale has no 0: begin nine decades below the maximum */
        least = p->most * 1e-9;
    if (scale == GNT_MATCH_COMPLEMENT && most == 1) /* nor does one in 1 − p have 1 */
        most = 1 - (1 - least) * 1e-9;
    *out = (gnt_match_spec){.has_strength = 1,
                            .least = least,
                            .most = most,
                            .scale = scale,
                            .integer = p->type == GNT_TYPE_INT,
                            .smaller_is_stronger = p->strength < 0,
                            .start = NAN,
                            .lower_is_better = t->utility == GNT_UTILITY_LOSS,
                            .target = target,
                            .tolerance = m->tolerance,
                            .max_strengths = m->max_strengths,
                            .seeds = d->n_curve ? n_seeds : m->seeds,
                            .most_seeds = d->n_curve ? n_seeds : m->most_seeds,
                            .confirm_seeds = m->confirm_seeds,
                            .confirmations = m->confirmations,
                            .listed = d->curve,
                            .n_listed = (int)d->n_curve};
    if (gnt_match_check(out, err))
        return gnt_fail_in(err, "%s: strength \"%s\" of %s", s->file, p->id, info->id);
    return 0;
}
