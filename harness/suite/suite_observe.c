/* What the attacker sees of a task: the surface, and one of two ways to observe it. By a probe, the hooks run
 * once more on rows of the role TARGETS; "observe" sets how many rows one observation uses. In the round,
 * observations are what the training run itself computed (suite_round.c). Those of shadow rows the attacker
 * computes itself. */
#include "plugin/abi_words.h"
#include "suite/suite_impl.h"

const char *const gnt_observe_names[] = {"round", "probe"};

static int read_attribute(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const char *names[GNT_DATA_ATTRS];
    int which = -1;
    for (int i = 0; i < t->facts.n_attrs; i++)
        names[i] = t->facts.attr[i].name;
    t->observe.attribute = -1;
    if (!json_object_get(object, "attribute"))
        return 0;
    if (t->facts.n_attrs == 0)
        return suite_fail_key(r, path, "attribute",
                              "is named, but %s has no private attributes; remove it or choose other data",
                              t->data);
    if (suite_choice(r, path, object, "attribute", names, (size_t)t->facts.n_attrs, &which))
        return -1;
    t->observe.attribute = which;
    return 0;
}

static int read_surface(suite_reader *r, const char *path, const json_t *object, gnt_suite_observe *o) {
    const char *names[32];
    int which = 0;
    for (size_t i = 0; i < gnt_surface_words.n && i < 32; i++)
        names[i] = gnt_surface_words.word[i].name;
    if (suite_choice(r, path, object, "surface", names, gnt_surface_words.n, &which))
        return -1;
    o->surface = json_object_get(object, "surface") ? gnt_surface_words.word[which].bit : GNT_SURFACE_UPDATE;
    return 0;
}

/* Refuses keys that describe private batches: a transcript is one observation of all clients. */
static int check_transcript(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const senseless[] = {"batch", "local_steps", "targets", "attribute", "set", "epochs"};
    for (size_t i = 0; i < sizeof senseless / sizeof *senseless; i++)
        if (json_object_get(object, senseless[i]))
            return suite_fail_key(r, path, senseless[i],
                                  "goes with private batches, which a transcript does not have; remove it");
    t->observe.targets = 1;
    return 0;
}

/* Reads "from"; by default a task that is trained is observed in its rounds, on every surface. */
static int read_from(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    if (suite_choice(r, path, object, "from", gnt_observe_names, 2, &t->observe.probe))
        return -1;
    if (!t->observe.probe && t->federated.rounds == 0)
        return suite_fail_key(
            r, path, "from",
            "is \"round\", but the task trains for no rounds, so that nothing is sent in one; "
            "expected \"probe\", or federated.rounds of at least 1");
    return 0;
}

/* Reads the samples that are encoded together, and how often. */
static int read_sets(suite_reader *r, const char *path, const json_t *object, gnt_suite_observe *o) {
    int64_t samples = o->targets * o->batch;
    const gnt_path set = gnt_path_key(path, "set"), epochs = gnt_path_key(path, "epochs");
    o->epochs = 1;
    if (suite_int(r, path, object, "set", 1, 100000, &o->set) ||
        suite_int(r, path, object, "epochs", 1, 10000, &o->epochs))
        return -1;
    o->set_given = o->set != 0;
    if ((o->set || json_object_get(object, "epochs")) &&
        !(o->surface & (GNT_SURFACE_ENCODING | GNT_SURFACE_UPDATE)))
        return suite_fail(
            r, o->set ? set.text : epochs.text,
            "goes with \"surface\": \"encoding\" or \"update\", where sets are encoded; remove it");
    if (o->surface == GNT_SURFACE_ENCODING && !o->set)
        o->set = samples;
    if (!o->set)
        return json_object_get(object, "epochs")
                   ? suite_fail(r, epochs.text,
                                "says how often a set is encoded, but no set is; add \"set\", or remove it")
                   : 0;
    if (o->surface == GNT_SURFACE_UPDATE && o->batch != 1)
        return suite_fail(r, set.text,
                          "is given in addition to \"batch\": %lld, but each encoding of a set is observed "
                          "by itself; remove "
                          "one of the two",
                          (long long)o->batch);
    if (samples % o->set)
        return suite_fail(
            r, set.text,
            "is %lld, which does not divide the %lld private samples (targets × batch) into whole sets",
            (long long)o->set, (long long)samples);
    return 0;
}

/* Reads observations of rows of the role TARGETS, and checks that there are enough. */
static int read_probe(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    gnt_suite_observe *o = &t->observe;
    int64_t rows = t->role_rows[GNT_ROLE_TARGETS];
    if (suite_int(r, path, object, "batch", 1, 100000, &o->batch) ||
        suite_int(r, path, object, "local_steps", 0, 100000, &o->local_steps))
        return -1;
    if (o->batch > rows)
        return suite_fail_key(r, path, "batch",
                              "is %lld, but there are only %lld target rows; reduce it or raise data.targets",
                              (long long)o->batch, (long long)rows);
    if (!o->targets)
        o->targets = rows / o->batch;
    if (o->targets * o->batch > rows)
        return suite_fail_key(
            r, path, "targets",
            "is %lld, and with batch %lld needs %lld target rows, but there are %lld; lower it or raise "
            "data.targets",
            (long long)o->targets, (long long)o->batch, (long long)(o->targets * o->batch), (long long)rows);
    return read_sets(r, path, object, o);
}

int suite_read_observe(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    gnt_suite_observe *o = &t->observe;
    const json_t *value = NULL;
    const gnt_path at = gnt_path_key(path, "observe");
    *o = (gnt_suite_observe){
        .probe = t->federated.rounds == 0, .surface = GNT_SURFACE_UPDATE, .batch = 1, .attribute = -1};
    if (suite_object(r, path, object, "observe", &value))
        return -1;
    if (value && (suite_keys(r, at.text, value, "from", "surface", "batch", "local_steps", "targets",
                             "attribute", "set", "epochs") ||
                  read_from(r, at.text, value, t) || read_surface(r, at.text, value, o) ||
                  suite_int(r, at.text, value, "targets", 1, 100000, &o->targets) ||
                  read_attribute(r, at.text, value, t)))
        return -1;
    if (o->surface == GNT_SURFACE_TRANSCRIPT)
        return check_transcript(r, at.text, value, t);
    if (o->surface == GNT_SURFACE_REPRESENTATION && !t->has_representation)
        return suite_fail_key(
            r, at.text, "surface",
            "is \"representation\", but that of %s is the sample itself; name a layer as the task's "
            "\"representation\"",
            t->model);
    return o->probe ? read_probe(r, at.text, value, t) : suite_read_round(r, path, value, t);
}

int suite_read_shadow(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *o = NULL;
    const gnt_path at = gnt_path_key(path, "shadow");
    int64_t rows = t->role_rows[GNT_ROLE_SHADOW];
    if (suite_object(r, path, object, "shadow", &o))
        return -1;
    if (!o)
        return 0;
    if (suite_keys(r, at.text, o, "observations") ||
        suite_int(r, at.text, o, "observations", 0, 1000000, &t->shadow_observations))
        return -1;
    int64_t each = t->observe.set_given ? t->observe.set : t->observe.batch;
    if (t->shadow_observations && rows < each)
        return suite_fail_key(
            r, at.text, "observations",
            "is %lld, each made of %lld shadow row%s, but data.shadow leaves %lld; raise data.shadow",
            (long long)t->shadow_observations, (long long)each, each == 1 ? "" : "s", (long long)rows);
    return 0;
}
