/* Parameters in the job `vet`: values that the host accepts, and plugins at the ends of their ranges. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vet/checking.h"

/* Calls of should_stop before it returns true: a hook that worked so long has accepted its parameters. */
enum { EDGE_POLLS = 12 };

static int inspect_edge(checking *v, const gnt_vet_sequence_spec *sequence,
                        const gnt_vet_hook_result *result) {
    if (result->status != GNT_STOPPED)
        return vet_check_inspect_works(v, sequence, result);
    v->n_ran++;
    return 1;
}

/* Inspects a choice, which may need another parameter too ("custom" needs a list) and then fails with a
 * message. */
static int inspect_choice(checking *v, const gnt_vet_sequence_spec *sequence,
                          const gnt_vet_hook_result *result) {
    if (strcmp(result->name, "create") == 0 && result->status == GNT_FAILED &&
        !strstr(result->err.text, "without calling host->fail"))
        return 1;
    return inspect_edge(v, sequence, result);
}

accepted vet_check_values(const gnt_descriptor *d, const char *plugin, const char *given, const char *id,
                          const char *value, gnt_params *out, gnt_err *why, gnt_err *err) {
    json_t *all = *given ? json_loads(given, JSON_REJECT_DUPLICATES, NULL) : json_object();
    if (!json_is_object(all)) {
        json_decref(all);
        gnt_fail(err, "%s: its parameters are not a JSON object", plugin);
        return VALUES_FAILED;
    }
    int bad = 0;
    for (int32_t i = 0; i < d->n_parameters && !bad; i++)
        if (d->parameters[i].type == GNT_TYPE_MODEL && !d->parameters[i].preset_text &&
            !json_object_get(all, d->parameters[i].id))
            bad = json_object_set_new(all, d->parameters[i].id, json_string("network")) != 0;
    if (value && !bad)
        bad = json_object_set_new(all, id, json_loads(value, JSON_DECODE_ANY, NULL)) != 0;
    char *json = bad ? NULL : json_dumps(all, JSON_REAL_PRECISION(17));
    accepted rc = VALUES_ACCEPTED;
    if (!json) {
        gnt_fail(err, "out of memory for parameters");
        rc = VALUES_FAILED;
    } else if (gnt_params_parse(out, d->parameters, d->n_parameters, plugin, json, why) != 0)
        rc = VALUES_REFUSED;
    free(json);
    json_decref(all);
    return rc;
}

static accepted values_with(const checking *v, const char *id, const char *value, gnt_params *out,
                            gnt_err *why, gnt_err *err) {
    return vet_check_values(v->descriptor, v->id, v->work->request->vet.plugin.params, id, value, out, why,
                            err);
}

/* Checks that the host and then the plugin accept a value, given as JSON text. */
static int try_edge(checking *v, const gnt_parameter *p, const char *value, gnt_err *err) {
    gnt_params params;
    gnt_err why = {0};
    const accepted host = values_with(v, p->id, value, &params, &why, err);
    if (host == VALUES_FAILED)
        return -1;
    if (host == VALUES_REFUSED) {
        gnt_fail(&v->failed, "%s at %.60s: the host refuses it: %s", p->id, value, why.text);
        return 0;
    }
    gnt_vet_sequence_spec like = vet_check_sequence(v, 0);
    like.params = &params;
    like.polls = EDGE_POLLS;
    int rc = vet_check_run(
        v, &like, p->type == GNT_TYPE_CHOICE || p->type == GNT_TYPE_MODEL ? inspect_choice : inspect_edge,
        err);
    gnt_params_free(&params);
    if (v->failed.text[0]) {
        why = v->failed;
        v->failed = (gnt_err){0};
        gnt_fail(&v->failed, "%s at %.60s: %s", p->id, value, why.text);
    }
    return rc;
}

/* Checks that a value out of range is refused before anything is created. */
static int try_beyond(checking *v, const gnt_parameter *p, const char *value, gnt_err *err) {
    gnt_params params;
    gnt_err why = {0};
    const accepted host = values_with(v, p->id, value, &params, &why, err);
    if (host == VALUES_ACCEPTED) {
        gnt_fail(&v->failed, "%s at %.60s is out of range, but was not refused", p->id, value);
        gnt_params_free(&params);
    }
    return host == VALUES_FAILED ? -1 : 0;
}

static int try_number(checking *v, const gnt_parameter *p, gnt_err *err) {
    const int whole = p->type == GNT_TYPE_INT || p->type == GNT_TYPE_INT_LIST;
    const int list = p->type == GNT_TYPE_INT_LIST || p->type == GNT_TYPE_REAL_LIST;
    const double value[4] = {p->least, p->most, whole ? p->least - 1 : nextafter(p->least, -INFINITY),
                             whole ? p->most + 1 : nextafter(p->most, INFINITY)};
    int rc = 0;
    for (int i = list ? 2 : 0; rc == 0 && i < 4 && !v->failed.text[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, list ? "[%.17g]" : "%.17g", value[i]);
        if (isfinite(value[i]) && (!whole || fabs(value[i]) <= 0x1p53))
            rc = i < 2 ? try_edge(v, p, text, err) : try_beyond(v, p, text, err);
    }
    return rc;
}

static int try_choices(checking *v, const gnt_parameter *p, gnt_err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && p->choices[i] && !v->failed.text[0]; i++) {
        json_t *one = json_string(p->choices[i]);
        char *text = one ? json_dumps(one, JSON_ENCODE_ANY) : NULL;
        rc = text ? try_edge(v, p, text, err) : gnt_fail(err, "out of memory");
        free(text);
        json_decref(one);
    }
    return rc == 0 && !v->failed.text[0] ? try_beyond(v, p, "\"no such choice\"", err) : rc;
}

int vet_check_edges(checking *v, gnt_err *err) {
    const gnt_descriptor *d = v->descriptor;
    int rc = 0;
    if (d->n_parameters == 0)
        gnt_fail(&v->reason, "it has no parameters");
    for (int32_t i = 0; rc == 0 && i < d->n_parameters && !v->failed.text[0]; i++) {
        const gnt_parameter *p = &d->parameters[i];
        if (p->type == GNT_TYPE_BOOL) {
            rc = try_edge(v, p, p->preset != 0 ? "false" : "true", err);
            if (rc == 0 && !v->failed.text[0])
                rc = try_beyond(v, p, "2", err);
        } else if (p->type == GNT_TYPE_MODEL)
            rc = p->preset_text ? try_edge(v, p, "\"network\"", err) : try_beyond(v, p, "7", err);
        else if (p->type == GNT_TYPE_CHOICE)
            rc = try_choices(v, p, err);
        else if (p->type == GNT_TYPE_TEXT)
            rc = try_beyond(v, p, "7", err);
        else
            rc = try_number(v, p, err);
    }
    return rc;
}

/* ---- the strength ---- */

enum { MOST_RESULTS = 4096 };

/* What the hooks gave at one end of the range, in their order. */
typedef struct vet_given {
    char (*digest)[GNT_HEX_SIZE]; /* "" where a hook did not return GNT_OK */
    size_t n;
} given;

static int inspect_given(checking *v, const gnt_vet_sequence_spec *sequence,
                         const gnt_vet_hook_result *result) {
    given *to = v->given;
    (void)sequence;
    if (to->n == MOST_RESULTS)
        return 0;
    snprintf(to->digest[to->n++], GNT_HEX_SIZE, "%s", result->status == GNT_OK ? result->digest : "");
    return 1;
}

/* Runs all hooks in all settings with the strength at a value. */
static int run_at(checking *v, const gnt_parameter *p, double value, given *out, gnt_err *err) {
    char text[64];
    gnt_params params;
    int rc = 0;
    snprintf(text, sizeof text, "%.17g", value);
    if (values_with(v, p->id, text, &params, err, err) != VALUES_ACCEPTED)
        return -1;
    v->given = out;
    for (int i = 0; rc == 0 && i < v->n_specs; i++) {
        gnt_vet_sequence_spec like = vet_check_sequence(v, i);
        like.params = &params;
        rc = vet_check_run(v, &like, inspect_given, err);
    }
    gnt_params_free(&params);
    return rc;
}

static const gnt_parameter *strength_of(const gnt_descriptor *d) {
    for (int32_t i = 0; i < d->n_parameters; i++)
        if (d->parameters[i].strength)
            return &d->parameters[i];
    return NULL;
}

/* Compares what two strengths gave, in as far as hooks worked with both. */
static void compare(checking *v, const gnt_parameter *p, const given *least, const given *most) {
    size_t both = 0, n = least->n < most->n ? least->n : most->n;
    for (size_t i = 0; i < n; i++) {
        if (!*least->digest[i] || !*most->digest[i])
            continue;
        both++;
        if (strcmp(least->digest[i], most->digest[i]) != 0)
            return;
    }
    if (both)
        gnt_fail(&v->failed,
                 "every hook gives the same bytes with %s at %g and at %g: the strength does nothing", p->id,
                 p->least, p->most);
    else
        v->n_ran = 0;
}

int vet_check_strength(checking *v, gnt_err *err) {
    const gnt_parameter *p = v->descriptor->kind == GNT_PLUGIN_DEFENSE ? strength_of(v->descriptor) : NULL;
    given end[2] = {{0}, {0}};
    int rc = 0;
    if (!p) {
        gnt_fail(&v->reason, "it has no strength");
        return 0;
    }
    for (int i = 0; rc == 0 && i < 2; i++) {
        end[i].digest = gnt_array(MOST_RESULTS, sizeof *end[i].digest);
        rc = end[i].digest ? run_at(v, p, i ? p->most : p->least, &end[i], err)
                           : gnt_fail(err, "out of memory for digests");
    }
    if (rc == 0)
        compare(v, p, &end[0], &end[1]);
    gnt_free(end[0].digest);
    gnt_free(end[1].digest);
    return rc;
}
