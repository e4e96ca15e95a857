/* Defenses: one plugin or a composition of several, and their strengths. */
#include <math.h>
#include <string.h>

#include "suite/suite_impl.h"

#define ENCODES (GNT_HOOK_ENCODE_SET | GNT_HOOK_ENCODE_BATCH)
#define AFTER_ENCODING (GNT_HOOK_CLIENT_UPDATE | GNT_HOOK_TRANSFORM_UPDATE)

static const gnt_parameter *strength_of(const gnt_plugin_info *info) {
    return info->strength < 0 ? NULL : &info->parameters[info->strength];
}

/* ---- members ---- */

static int read_members(suite_reader *r, const char *path, const json_t *object, gnt_suite_defense *d) {
    const json_t *ids = json_object_get(object, "defense"), *params = json_object_get(object, "params");
    const gnt_path ids_at = gnt_path_key(path, "defense"), params_at = gnt_path_key(path, "params");
    int many = json_is_array(ids);
    size_t n = many ? json_array_size(ids) : 1;
    if (n < 1 || n > GNT_SUITE_MOST_MEMBERS)
        return suite_fail(r, ids_at.text, "is %s; expected the id of a plugin, or a list of 1 to %d ids",
                          gnt_show(ids).text, GNT_SUITE_MOST_MEMBERS);
    if (many && params && (!json_is_array(params) || json_array_size(params) != n))
        return suite_fail(
            r, params_at.text,
            "is %s, but \"defense\" lists %zu plugins; expected a list of %zu objects, one for each",
            gnt_show(params).text, n, n);
    d->member = gnt_array(n, sizeof *d->member);
    if (!d->member)
        return suite_no_memory(r);
    d->n_members = n;
    for (size_t i = 0; i < n; i++) {
        const gnt_path id_at = many ? gnt_path_item(ids_at.text, i) : ids_at;
        const gnt_path own_at = many ? gnt_path_item(params_at.text, i) : params_at;
        if (suite_read_member(r, id_at.text, many ? json_array_get(ids, i) : ids, GNT_PLUGIN_DEFENSE,
                              own_at.text, many ? json_array_get(params, i) : params, &d->member[i]))
            return -1;
    }
    return 0;
}

/* Checks a composition: encodings apply in order, then update transforms in order; at most one member
 * replaces the client's computation, and one the aggregation. */
static int check_composition(suite_reader *r, const char *path, const gnt_suite_defense *d) {
    static const struct {
        uint32_t hook;
        const char *what;
    } single[] = {{GNT_HOOK_CLIENT_UPDATE, "replaces the client's computation (client_update)"},
                  {GNT_HOOK_AGGREGATE, "replaces the server's aggregation (aggregate)"}};
    const gnt_path ids = gnt_path_key(path, "defense");
    for (size_t i = 0; i < d->n_members; i++)
        for (size_t j = 0; j < i; j++) {
            const gnt_plugin_info *a = d->member[j].info, *b = d->member[i].info;
            const gnt_path at = gnt_path_item(ids.text, i);
            if (strcmp(a->id, b->id) == 0)
                return suite_fail(r, at.text, "\"%s\" is listed twice in one defense; remove one", b->id);
            for (size_t k = 0; k < 2; k++)
                if (a->hooks & b->hooks & single[k].hook)
                    return suite_fail(r, at.text,
                                      "%s %s, as %s does; only one member of a defense may: remove one",
                                      b->id, single[k].what, a->id);
            if ((b->hooks & ENCODES) && !(a->hooks & ENCODES) && (a->hooks & AFTER_ENCODING))
                return suite_fail(
                    r, at.text,
                    "%s encodes samples, which happens before %s changes the update; write \"%s\" first",
                    b->id, a->id, b->id);
        }
    return 0;
}

static int join_ids(suite_reader *r, gnt_suite_defense *d) {
    gnt_text t;
    gnt_text_init(&t, 2000);
    for (size_t i = 0; i < d->n_members; i++)
        gnt_text_add(&t, "%s%s", i ? "+" : "", d->member[i].info->id);
    d->plugin = gnt_text_take(&t);
    return d->plugin ? 0 : suite_no_memory(r);
}

/* ---- the strength ---- */

/* Sets d->swept: the member that "swept" names, or the only one with a strength. */
static int find_swept(suite_reader *r, const char *path, const json_t *object, gnt_suite_defense *d) {
    const char *names[GNT_SUITE_MOST_MEMBERS];
    int which = 0, with = 0;
    d->swept = -1;
    for (size_t i = 0; i < d->n_members; i++) {
        names[i] = d->member[i].info->id;
        if (strength_of(d->member[i].info)) {
            with++;
            d->swept = (int32_t)i;
        }
    }
    if (with > 1)
        d->swept = -1;
    if (!json_object_get(object, "swept"))
        return 0;
    if (suite_choice(r, path, object, "swept", names, d->n_members, &which))
        return -1;
    if (!strength_of(d->member[which].info))
        return suite_fail_key(r, path, "swept",
                              "is \"%s\", which has no strength; name a member that has one", names[which]);
    d->swept = which;
    return 0;
}

/* Checks, for "match", "sweep" and "strength", that there is a strength and that "params" does not set it
 * too. */
static int need_strength(suite_reader *r, const char *path, const json_t *object, const char *key,
                         const gnt_suite_defense *d) {
    const gnt_path at = gnt_path_key(path, key);
    int with = 0;
    for (size_t i = 0; i < d->n_members; i++)
        with += strength_of(d->member[i].info) != NULL;
    if (with == 0)
        return suite_fail(r, at.text, "needs a strength, but the defense \"%s\" has none; remove \"%s\"",
                          d->plugin, key);
    if (d->swept < 0)
        return suite_fail(
            r, at.text,
            "varies one strength, but %d members of %s have one; add \"swept\" with the id of that "
            "member",
            with, d->plugin);
    const gnt_parameter *p = strength_of(d->member[d->swept].info);
    const json_t *params = json_object_get(object, "params");
    gnt_path own = gnt_path_key(path, "params");
    if (json_is_array(params)) {
        own = gnt_path_item(own.text, (size_t)d->swept);
        params = json_array_get(params, (size_t)d->swept);
    }
    if (json_object_get(params, p->id))
        return suite_fail(r, gnt_path_key(own.text, p->id).text,
                          "is the strength of %s, which \"%s\" sets; remove one of the two",
                          d->member[d->swept].info->id, key);
    return 0;
}

static int read_strength(suite_reader *r, const char *path, const json_t *value, const gnt_suite_defense *d,
                         double *out) {
    const gnt_plugin_info *info = d->member[d->swept].info;
    const gnt_parameter *p = strength_of(info);
    char low[GNT_NUMBER_SIZE], high[GNT_NUMBER_SIZE];
    double v = json_is_number(value) ? json_number_value(value) : NAN;
    int whole = p->type == GNT_TYPE_INT;
    if (!(v >= p->least && v <= p->most) || (whole && v != floor(v)))
        return suite_fail(r, path, "is %s; expected the strength \"%s\" of %s, a%s number from %s to %s%s%s",
                          gnt_show(value).text, p->id, info->id, whole ? " whole" : "",
                          gnt_number_text(p->least, low), gnt_number_text(p->most, high), *p->unit ? " " : "",
                          p->unit);
    *out = v;
    return 0;
}

/* Reads a list of distinct strengths; none if the key is missing. */
static int read_list(suite_reader *r, const char *path, const json_t *object, const char *key, size_t least,
                     size_t most, const gnt_suite_defense *d, double **out, size_t *n_out) {
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, key);
    if (suite_list(r, path, object, key, least, most, &list))
        return -1;
    if (!list)
        return 0;
    if (need_strength(r, path, object, key, d))
        return -1;
    size_t n = json_array_size(list);
    double *strength = *out = gnt_array(n, sizeof *strength);
    if (!strength)
        return suite_no_memory(r);
    for (size_t i = 0; i < n; i++) {
        const gnt_path item = gnt_path_item(at.text, i);
        if (read_strength(r, item.text, json_array_get(list, i), d, &strength[i]))
            return -1;
        for (size_t j = 0; j < i; j++)
            if (strength[j] == strength[i])
                return suite_fail(r, item.text, "is %s, as %s[%zu] is; remove one",
                                  gnt_show(json_array_get(list, i)).text, key, j);
    }
    *n_out = n;
    return 0;
}

/* Reads "match": true, or the strengths of a curve. */
static int read_match(suite_reader *r, const char *path, const json_t *object, gnt_suite_defense *d) {
    if (!json_is_array(json_object_get(object, "match")))
        return suite_bool(r, path, object, "match", &d->match) ||
               (d->match && need_strength(r, path, object, "match", d));
    d->match = 1;
    return read_list(r, path, object, "match", 2, GNT_SUITE_MOST_CURVE, d, &d->curve, &d->n_curve);
}

/* Writes a fixed strength into the member's canonical parameters. */
static int set_fixed(suite_reader *r, const char *path, gnt_suite_defense *d) {
    gnt_suite_member *m = &d->member[d->swept];
    gnt_params p = {0};
    if (gnt_params_parse(&p, m->info->parameters, m->info->n_parameters, path, m->params, r->err))
        return suite_fail_at_path(r);
    if (d->has_fixed &&
        gnt_params_set_strength(&p, m->info->parameters, m->info->n_parameters, d->fixed, path, r->err)) {
        gnt_params_free(&p);
        return suite_fail_at_path(r);
    }
    d->has_fixed = 1;
    d->fixed = gnt_params_get_strength(&p, m->info->parameters, m->info->n_parameters);
    gnt_free(m->params);
    m->params = gnt_params_canonical(&p);
    gnt_params_free(&p);
    return m->params ? 0 : suite_no_memory(r);
}

static int read_strengths(suite_reader *r, const char *path, const json_t *object, gnt_suite_defense *d) {
    const json_t *fixed = json_object_get(object, "strength");
    const gnt_path at = gnt_path_key(path, "strength");
    if (find_swept(r, path, object, d) || read_match(r, path, object, d) ||
        read_list(r, path, object, "sweep", 1, GNT_SUITE_MOST_LIST, d, &d->sweep, &d->n_sweep))
        return -1;
    if (fixed && (d->match || d->n_sweep))
        return suite_fail(
            r, at.text,
            "is given in addition to \"%s\"; a fixed strength is a defense of its own: write a second entry",
            d->match ? "match" : "sweep");
    if (fixed &&
        (need_strength(r, path, object, "strength", d) || read_strength(r, at.text, fixed, d, &d->fixed)))
        return -1;
    d->has_fixed = fixed != NULL;
    return d->swept < 0 || d->match || d->n_sweep ? 0 : set_fixed(r, at.text, d);
}

/* Refuses tasks without training, whose utility no strength changes. */
static int check_match_tasks(suite_reader *r, const char *path, const gnt_suite_defense *d) {
    const gnt_suite *s = r->s;
    for (size_t t = 0; d->match && t < s->n_tasks; t++)
        if (d->on_task[t] && s->task[t].federated.rounds == 0)
            return suite_fail_key(
                r, path, "match",
                "is true, but tasks[%zu] (%s) trains for no rounds, so every strength leaves the same "
                "utility; give it federated.rounds, or list other \"tasks\" here",
                t, s->task[t].id);
    return 0;
}

/* Refuses a target by what private data add, where nothing is trained on public data alone. */
static int check_targets(suite_reader *r, const char *path, const gnt_suite_defense *d) {
    const gnt_suite *s = r->s;
    for (size_t i = 0; d->match && i < s->n_tasks; i++) {
        const gnt_suite_task *t = &s->task[i];
        if (d->on_task[i] && t->match.kind == GNT_TARGET_ADDED &&
            (t->role_rows[GNT_ROLE_PUBLIC] == 0 || t->public_set.data))
            return suite_fail_key(
                r, path, "match",
                "aims at a share of what private data add to public data alone "
                "(match.target.added), but tasks[%zu] (%s) has no public rows of its own set; "
                "give it data.public",
                i, t->id);
    }
    return 0;
}

/* ---- the whole ---- */

static int read_defense(suite_reader *r, const char *path, const json_t *object, const char *const *labels,
                        size_t n, gnt_suite_defense *d) {
    return suite_keys(r, path, object, "defense", "params", "match", "sweep", "strength", "swept", "label",
                      "tasks") ||
           suite_need(r, path, object, "defense", "the id of a plugin, such as \"defense\": \"none\"") ||
           read_members(r, path, object, d) || check_composition(r, path, d) || join_ids(r, d) ||
           read_strengths(r, path, object, d) ||
           suite_read_label(r, path, object, d->plugin, "defenses", labels, n, &d->label) ||
           suite_read_on_task(r, path, object, &d->on_task) || check_match_tasks(r, path, d) ||
           check_targets(r, path, d);
}

int suite_read_defenses(suite_reader *r, const json_t *list) {
    gnt_suite *s = r->s;
    size_t n = json_array_size(list);
    const char **labels = gnt_array(n, sizeof *labels);
    int rc = 0;
    s->defense = gnt_array(n, sizeof *s->defense);
    if (!s->defense || !labels)
        rc = suite_no_memory(r);
    for (size_t i = 0; i < n && rc == 0; i++) {
        s->n_defenses = i + 1;
        rc = read_defense(r, gnt_path_item("defenses", i).text, json_array_get(list, i), labels, i,
                          &s->defense[i]);
        labels[i] = s->defense[i].label;
    }
    gnt_free(labels);
    return rc;
}

void suite_free_defense(gnt_suite_defense *d) {
    for (size_t i = 0; i < d->n_members; i++)
        suite_free_member(&d->member[i]);
    gnt_free(d->member);
    gnt_free(d->label);
    gnt_free(d->plugin);
    gnt_free(d->sweep);
    gnt_free(d->curve);
    gnt_free(d->on_task);
}
