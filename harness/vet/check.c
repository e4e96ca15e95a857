/* The job `vet`: one check of one plugin, in a process that is there for nothing else. The facts it leaves:
 *   verdict  "ok", "failed" or "n/a"        why  the sentence that goes with it
 *   gave     [[hook, digest], …] of what each hook gave, for the check "record" */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plugin/load.h"
#include "vet/tour.h"
#include "vet/vet.h"

enum {
    BUDGET = 6,      /* steps of an attack, where its answer and not its quality matters */
    EDGE_POLLS = 12, /* a parameter at its edge is accepted when the hook has worked for so long */
    STOP_POLLS = 2,
    CYCLES = 5, /* create … destroy, looked at for memory that is not given back */
    WARM = 2    /* the first of these may fill what is kept for the life of a process */
};
static const double late_cpu = 1, late_wall = 10;

typedef struct vetting {
    gnt_work *work;
    const gnt_descriptor *descriptor;
    const char *id;
    gnt_params defaults;
    const gnt_descriptor *behind; /* the defense behind an attack's observations, or NULL */
    gnt_params behind_params;
    gnt_vet_spec spec[GNT_VET_MOST_SETTINGS];
    int n_specs;
    int bare; /* it has no hooks: there is nothing but to create it */
    gnt_key key;
    json_t *gave;
    gnt_err failed,
        absent;     /* the first failure, and the first reason that something could not be looked at */
    int64_t looked; /* hooks that ran as they should */
} vetting;

static void fail(vetting *v, const gnt_vet_spec *spec, const char *hook, const char *what) {
    char name[80];
    if (!v->failed.text[0])
        gnt_fail(&v->failed, "%s (%s): %s", hook, gnt_vet_spec_name(spec, name), what);
}

/* Mixes want sets of some size. */
static void make_specs(vetting *v, int64_t budget) {
    v->n_specs = gnt_vet_specs(v->descriptor, budget, v->spec);
    for (int i = 0; v->behind && i < v->n_specs; i++) {
        v->spec[i].behind = v->behind;
        v->spec[i].behind_params = &v->behind_params;
        if (v->spec[i].surface == GNT_SURFACE_ENCODING)
            v->spec[i].batch = GNT_VET_SET;
    }
}

static gnt_vet_tour_spec tour_of(const vetting *v, int setting) {
    return (gnt_vet_tour_spec){.work = v->work,
                               .descriptor = v->descriptor,
                               .params = &v->defaults,
                               .setting = v->spec[setting],
                               .key = v->key,
                               .polls = -1};
}

/* What a check looks for in a hook that has run; 0 when it has seen enough. */
typedef int (*look)(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act);

static int walk(vetting *v, const gnt_vet_tour_spec *spec, look at, gnt_err *err) {
    gnt_vet_tour *t;
    gnt_vet_act act;
    int rc, more = 1;
    if (gnt_vet_tour_open(&t, spec, err) != 0)
        return -1;
    while (more && (rc = gnt_vet_tour_next(t, &act, err)) == 1) {
        if (act.status == GNT_OK && (strcmp(act.name, "create") != 0 || v->bare))
            v->looked++;
        else if (act.status != GNT_OK && !v->absent.text[0])
            v->absent = act.err;
        more = at(v, spec, &act);
    }
    if (!v->work->should_stop(v->work->context)) /* else the hook that took too long stays named */
        v->work->note(v->work->context, "destroy");
    gnt_vet_tour_free(t);
    return more && rc < 0 ? -1 : 0;
}

static int walk_all(vetting *v, gnt_vet_tour_spec like, look at, gnt_err *err) {
    int rc = 0;
    for (int i = 0; rc == 0 && i < v->n_specs && !v->failed.text[0]; i++) {
        like.setting = v->spec[i];
        rc = walk(v, &like, at, err);
    }
    return rc;
}

/* ---- the checks ---- */

static int look_works(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    if (act->status == GNT_FAILED || act->status == GNT_STOPPED)
        fail(v, &tour->setting, act->name, act->err.text);
    else if (act->wrong.text[0])
        fail(v, &tour->setting, act->name, act->wrong.text);
    return 1;
}

static int check_hooks(vetting *v, gnt_err *err) {
    return walk_all(v, tour_of(v, 0), look_works, err);
}

static int look_any(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    (void)v, (void)tour, (void)act;
    return 1;
}

static int check_limits(vetting *v, gnt_err *err) { /* the limits themselves are kept from outside */
    return walk_all(v, tour_of(v, 0), look_any, err);
}

static int look_record(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    char name[80];
    char *full = gnt_format("%s (%s)", act->name, gnt_vet_spec_name(&tour->setting, name));
    const int bad = !full || json_array_append_new(v->gave, json_pack("[s, s]", full, act->digest)) != 0;
    gnt_free(full);
    return !bad;
}

static int check_record(vetting *v, gnt_err *err) {
    return walk_all(v, tour_of(v, 0), look_record, err);
}

static int look_inputs(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    gnt_err what = {0};
    if (!act->wrote)
        return 1;
    gnt_fail(&what, "it wrote to what it was given to read: %s", act->wrote);
    fail(v, &tour->setting, act->name, what.text);
    return 0;
}

static int check_inputs(vetting *v, gnt_err *err) {
    gnt_vet_tour_spec like = tour_of(v, 0);
    like.closed = 1;
    return walk_all(v, like, look_inputs, err);
}

static int look_finite(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    if (act->infinite.text[0])
        fail(v, &tour->setting, act->name, act->infinite.text);
    return 1;
}

static int check_finite(vetting *v, gnt_err *err) {
    return walk_all(v, tour_of(v, 0), look_finite, err);
}

static int look_stops(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    gnt_err what = {0};
    if (act->cpu_late > late_cpu || act->wall_late > late_wall)
        gnt_fail(&what, "it went on for %.1f s after should_stop told it to stop; one is allowed",
                 act->cpu_late > late_cpu ? act->cpu_late : act->wall_late);
    else if (act->polls == 0 && act->seconds > late_cpu)
        gnt_fail(&what, "it worked for %.1f s without asking should_stop", act->seconds);
    else if (act->wall_late > 0 && act->status == GNT_FAILED)
        gnt_fail(&what, "it was told to stop and failed: %s", act->err.text);
    if (what.text[0])
        fail(v, &tour->setting, act->name, what.text);
    if (act->status == GNT_STOPPED)
        v->looked++;
    return 1;
}

static int check_stops(vetting *v, gnt_err *err) {
    gnt_vet_tour_spec like = tour_of(v, 0);
    like.polls = STOP_POLLS;
    like.prepares_twice = 1;
    make_specs(v, 0); /* as much work as it likes to do */
    return walk_all(v, like, look_stops, err);
}

static int look_left(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    gnt_err what = {0};
    if (!act->left.text[0])
        return 1;
    gnt_fail(&what, "it left %s behind", act->left.text);
    fail(v, &tour->setting, act->name, what.text);
    return 0;
}

static int check_leaves(vetting *v, gnt_err *err) {
    return walk_all(v, tour_of(v, 0), look_left, err);
}

/* Bytes that the C library has handed out and not got back; 0 where it does not tell. Exact, for the process
 * was started without the C library's own cache of small blocks. */
static size_t held(void) {
#if defined(__SANITIZE_ADDRESS__)
    return 0;
#else
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
#endif
}

static int check_memory(vetting *v, gnt_err *err) {
    const gnt_vet_tour_spec like = tour_of(v, 0);
    size_t before = 0, least = SIZE_MAX;
    for (int i = 0; i < CYCLES; i++) {
        if (walk(v, &like, look_any, err) != 0)
            return -1;
        const size_t now = held(), more = now > before ? now - before : 0;
        if (i >= WARM && more < least)
            least = more;
        before = now;
    }
    if (before == 0) {
        v->looked = 0;
        gnt_fail(&v->absent, "the C library of this build does not tell what is allocated");
    } else if (least > 0)
        gnt_fail(&v->failed,
                 "each time from create to destroy it keeps %zu bytes more, and never gives them back",
                 least);
    return 0;
}

/* ---- two instances side by side ---- */

enum { MOST_ACTS = 128 };
typedef char digests[MOST_ACTS][GNT_HEX_SIZE];

static int alone(const gnt_vet_tour_spec *spec, digests out, gnt_vet_act *last, int *n, gnt_err *err) {
    gnt_vet_tour *t;
    int rc;
    *n = 0;
    if (gnt_vet_tour_open(&t, spec, err) != 0)
        return -1;
    while (*n < MOST_ACTS && (rc = gnt_vet_tour_next(t, last, err)) == 1)
        memcpy(out[(*n)++], last->digest, GNT_HEX_SIZE);
    gnt_vet_tour_free(t);
    return rc;
}

/* Hook by hook in turns; compares with what each gave alone. */
static int in_turns(vetting *v, const gnt_vet_tour_spec spec[2], digests was[2], gnt_err *err) {
    gnt_vet_tour *t[2] = {NULL, NULL};
    gnt_vet_act act;
    int rc = 0, n[2] = {0, 0}, running = 3;
    for (int k = 0; rc == 0 && k < 2; k++)
        rc = gnt_vet_tour_open(&t[k], &spec[k], err);
    for (int k = 0; rc == 0 && running; k = 1 - k) {
        if (!(running & 1 << k))
            continue;
        const int more = n[k] < MOST_ACTS ? gnt_vet_tour_next(t[k], &act, err) : 0;
        if (more < 0)
            rc = -1;
        else if (more == 0)
            running &= ~(1 << k);
        else if (memcmp(act.digest, was[k][n[k]++], GNT_HEX_SIZE) != 0)
            fail(v, &spec[k].setting, act.name,
                 "beside a second instance it gives something else than alone: it keeps state outside the "
                 "instance");
        else if (act.status == GNT_OK)
            v->looked++;
        else if (!v->absent.text[0])
            v->absent = act.err;
    }
    for (int k = 0; k < 2; k++)
        gnt_vet_tour_free(t[k]);
    return rc;
}

static int check_instances(vetting *v, gnt_err *err) {
    digests *was = gnt_array(2, sizeof *was);
    gnt_vet_act last;
    int rc = was ? 0 : gnt_fail(err, "out of memory"), n;
    for (int i = 0; rc == 0 && i < v->n_specs && !v->failed.text[0]; i++) {
        gnt_vet_tour_spec spec[2] = {tour_of(v, i), tour_of(v, i)};
        spec[1].key = gnt_key_derive(&v->key, "the other");
        for (int k = 0; rc == 0 && k < 2; k++)
            rc = alone(&spec[k], was[k], &last, &n, err);
        if (rc == 0)
            rc = in_turns(v, spec, was, err);
    }
    gnt_free(was);
    return rc;
}

/* ---- parameters at their edges and beyond ---- */

static int look_edge(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    if (act->status != GNT_STOPPED)
        return look_works(v, tour, act);
    v->looked++;
    return 1;
}

/* One choice may want another parameter with it ("custom" wants a list): then create says so. */
static int look_choice(vetting *v, const gnt_vet_tour_spec *tour, const gnt_vet_act *act) {
    if (strcmp(act->name, "create") == 0 && act->status == GNT_FAILED &&
        !strstr(act->err.text, "without saying why"))
        return 1;
    return look_edge(v, tour, act);
}

/* The plugin's values as they are asked for, where `id` has this one, JSON text (NULL: as they are); a model
 * that must be named is. *out is empty when the host refuses the value: then 1, with its sentence in
 * `why`. */
static int values_of(const gnt_descriptor *d, const char *plugin, const char *given, const char *id,
                     const char *value, gnt_params *out, gnt_err *why, gnt_err *err) {
    json_t *all = *given ? json_loads(given, JSON_REJECT_DUPLICATES, NULL) : json_object();
    if (!json_is_object(all)) {
        json_decref(all);
        return gnt_fail(err, "%s: its parameters are no JSON object", plugin);
    }
    int bad = 0;
    for (int32_t i = 0; i < d->n_parameters && !bad; i++)
        if (d->parameters[i].type == GNT_TYPE_MODEL && !d->parameters[i].preset_text &&
            !json_object_get(all, d->parameters[i].id))
            bad = json_object_set_new(all, d->parameters[i].id, json_string("network")) != 0;
    if (value && !bad)
        bad = json_object_set_new(all, id, json_loads(value, JSON_DECODE_ANY, NULL)) != 0;
    char *json = bad ? NULL : json_dumps(all, JSON_REAL_PRECISION(17));
    const int rc = !json ? gnt_fail(err, "out of memory for parameters")
                         : gnt_params_parse(out, d->parameters, d->n_parameters, plugin, json, why) != 0;
    free(json);
    json_decref(all);
    return rc;
}

static int values_with(const vetting *v, const char *id, const char *value, gnt_params *out, gnt_err *why,
                       gnt_err *err) {
    return values_of(v->descriptor, v->id, v->work->request->vet.plugin.params, id, value, out, why, err);
}

/* The value as JSON text is accepted by the host and then by the plugin. */
static int try_edge(vetting *v, const gnt_parameter *p, const char *value, gnt_err *err) {
    gnt_params params;
    gnt_err why = {0};
    int rc = values_with(v, p->id, value, &params, &why, err);
    if (rc < 0)
        return -1;
    if (rc > 0) {
        gnt_fail(&v->failed, "%s at %.60s: the host refuses it: %s", p->id, value, why.text);
        return 0;
    }
    gnt_vet_tour_spec like = tour_of(v, 0);
    like.params = &params;
    like.polls = EDGE_POLLS;
    rc = walk(v, &like, p->type == GNT_TYPE_CHOICE || p->type == GNT_TYPE_MODEL ? look_choice : look_edge,
              err);
    gnt_params_free(&params);
    if (v->failed.text[0]) {
        why = v->failed;
        v->failed = (gnt_err){0};
        gnt_fail(&v->failed, "%s at %.60s: %s", p->id, value, why.text);
    }
    return rc;
}

/* A value beyond must be refused before anything is created. */
static int try_beyond(vetting *v, const gnt_parameter *p, const char *value, gnt_err *err) {
    gnt_params params;
    gnt_err why = {0};
    const int rc = values_with(v, p->id, value, &params, &why, err);
    if (rc == 0) {
        gnt_fail(&v->failed, "%s at %.60s is beyond its range, and was not refused", p->id, value);
        gnt_params_free(&params);
    }
    return rc < 0 ? -1 : 0;
}

static int try_number(vetting *v, const gnt_parameter *p, gnt_err *err) {
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

static int try_choices(vetting *v, const gnt_parameter *p, gnt_err *err) {
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

static int check_edges(vetting *v, gnt_err *err) {
    const gnt_descriptor *d = v->descriptor;
    int rc = 0;
    if (d->n_parameters == 0)
        gnt_fail(&v->absent, "it has no parameters");
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

/* ---- the job ---- */

/* The defense that stands behind an attack's observations. */
static int open_behind(vetting *v, gnt_err *err) {
    const gnt_request_vetted *q = v->work->request->vet.behind;
    return gnt_plugin_load(&v->behind, q->file, GNT_PLUGIN_DEFENSE, q->id, err) ||
                   values_of(v->behind, q->id, q->params, NULL, NULL, &v->behind_params, err, err)
               ? -1
               : 0;
}

static int open_plugin(vetting *v, gnt_err *err) {
    const gnt_request_vet *q = &v->work->request->vet;
    v->id = q->plugin.id;
    if (gnt_plugin_load(&v->descriptor, q->plugin.file, (int32_t)q->plugin.kind, v->id, err) != 0 ||
        values_with(v, NULL, NULL, &v->defaults, err, err) != 0)
        return -1;
    gnt_key all = gnt_key_of_seed((uint64_t)q->seed);
    v->key = gnt_key_derive(&all, "vet");
    if (q->behind && v->descriptor->kind == GNT_PLUGIN_ATTACK && open_behind(v, err) != 0)
        return -1;
    make_specs(v, BUDGET);
    gnt_plugin_info info;
    if (gnt_info_of_descriptor(&info, v->descriptor, NULL, NULL, 0, err) != 0)
        return -1;
    v->bare = info.hooks == 0;
    gnt_info_free(&info);
    return 0;
}

static int say(vetting *v, gnt_err *err) {
    json_t *facts = v->work->facts;
    const int failed = v->failed.text[0] != 0, ran = v->looked > 0;
    if (!v->n_specs)
        gnt_fail(&v->absent, "there is no made-up input of the kinds and surfaces it names");
    const char *why = failed ? v->failed.text : ran ? "" : v->absent.text;
    int bad = json_object_set_new(facts, "verdict",
                                  json_string(failed ? "failed"
                                              : ran  ? "ok"
                                                     : "n/a")) != 0 ||
              json_object_set(facts, "gave", v->gave) != 0;
    /* a plugin's sentence may hold what is not UTF-8 */
    json_t *text = json_string(why);
    bad |= json_object_set_new(facts, "why", text ? text : json_string("for a reason that is no UTF-8")) != 0;
    return bad ? gnt_fail(err, "out of memory for a verdict") : 0;
}

int gnt_vet_work(gnt_work *w, gnt_err *err) {
    static const struct {
        const char *name;
        int (*run)(vetting *v, gnt_err *err);
    } checks[] = {{"limits", check_limits}, {"hooks", check_hooks},         {"edges", check_edges},
                  {"record", check_record}, {"instances", check_instances}, {"inputs", check_inputs},
                  {"finite", check_finite}, {"stops", check_stops},         {"memory", check_memory},
                  {"leaves", check_leaves}};
    const char *name = w->request->vet.check;
    vetting v = {.work = w, .gave = json_array()};
    int rc = open_plugin(&v, err), found = 0;
    for (size_t i = 0; rc == 0 && v.n_specs && i < sizeof checks / sizeof *checks; i++)
        if (strcmp(checks[i].name, name) == 0) {
            found = 1;
            rc = checks[i].run(&v, err);
        }
    if (rc == 0 && v.n_specs && !found)
        rc = gnt_fail(err, "there is no check called \"%s\"", name);
    if (rc == 0)
        rc = say(&v, err);
    gnt_params_free(&v.defaults);
    gnt_params_free(&v.behind_params);
    json_decref(v.gave);
    return rc;
}
