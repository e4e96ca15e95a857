/* A task: its data and model (files of their own), how the model is trained, and what the attacker sees of
 * it. */
#include <math.h>
#include <string.h>

#include "plugin/words.h"
#include "suite/suite_impl.h"

const char *const gnt_partition_names[] = {"iid", "shards", "dirichlet"};
const char *const gnt_schedule_names[] = {"constant", "cosine"};
const char *const gnt_utility_names[] = {"accuracy", "loss"};
enum { PARTITIONS = 3, SCHEDULES = 2, UTILITIES = 2 };

/* ---- federated ---- */

static int read_partition(suite_reader *r, const char *path, const json_t *object, gnt_suite_federated *f) {
    static const char *const keys[] = {"kind", "shards", "alpha"};
    const json_t *p = NULL;
    int kind = GNT_PARTITION_IID;
    const gnt_path at = gnt_path_key(path, "partition");
    if (gnt_doc_object(r->doc, path, object, "partition", &p, r->err))
        return -1;
    if (!p)
        return 0;
    if (gnt_doc_keys(r->doc, at.text, p, keys, 3, r->err) ||
        gnt_doc_need(r->doc, at.text, p, "kind", "\"kind\": \"iid\", \"shards\" or \"dirichlet\"", r->err) ||
        gnt_doc_choice(r->doc, at.text, p, "kind", gnt_partition_names, PARTITIONS, &kind, r->err) ||
        gnt_doc_int(r->doc, at.text, p, "shards", 1, 10000, &f->shards, r->err) ||
        gnt_doc_real(r->doc, at.text, p, "alpha", 1e-3, 1e6, &f->alpha, r->err))
        return -1;
    f->partition = (gnt_partition_kind)kind;
    if (json_object_get(p, "shards") && kind != GNT_PARTITION_SHARDS)
        return suite_fail(
            r, gnt_path_key(at.text, "shards").text,
            "goes with \"kind\": \"shards\", but the kind is \"%s\"; remove it or change the kind",
            gnt_partition_names[kind]);
    if (json_object_get(p, "alpha") && kind != GNT_PARTITION_DIRICHLET)
        return suite_fail(
            r, gnt_path_key(at.text, "alpha").text,
            "goes with \"kind\": \"dirichlet\", but the kind is \"%s\"; remove it or change the kind",
            gnt_partition_names[kind]);
    return 0;
}

/* Every client needs a row, every round a client. */
static int check_clients(suite_reader *r, const char *path, const gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    int64_t rows = t->role_rows[GNT_ROLE_CLIENTS];
    int64_t each = f->partition == GNT_PARTITION_SHARDS ? f->shards : 1;
    const gnt_path clients = gnt_path_key(path, "clients");
    if (f->rounds > 0 && f->clients * each > rows)
        return suite_fail(
            r, clients.text,
            "is %lld, which takes at least %lld rows (%lld each), but data.clients leaves %lld; "
            "lower this or give the clients more rows",
            (long long)f->clients, (long long)(f->clients * each), (long long)each, (long long)rows);
    if ((double)f->clients * f->participation < 1 - 1e-9) {
        char share[GNT_NUMBER_SIZE];
        return suite_fail(r, gnt_path_key(path, "participation").text,
                          "is %s, which of %lld clients is less than one a round; expected at least 1/%lld",
                          gnt_number_text(f->participation, share), (long long)f->clients,
                          (long long)f->clients);
    }
    return 0;
}

static int read_federated(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const keys[] = {"clients",     "partition",  "rounds", "participation",
                                       "local_steps", "batch",      "rate",   "schedule",
                                       "momentum",    "batch_norm", "share"};
    static const char *const stats[] = {"evaluation", "training"};
    gnt_suite_federated *f = &t->federated;
    const json_t *o = NULL;
    int schedule = GNT_SCHEDULE_CONSTANT, training = 1;
    const gnt_path at = gnt_path_key(path, "federated");
    *f = (gnt_suite_federated){
        .clients = 10, .shards = 2, .alpha = 0.5, .participation = 1, .batch = 32, .rate = 0.1};
    if (gnt_doc_object(r->doc, path, object, "federated", &o, r->err))
        return -1;
    if (o &&
        (gnt_doc_keys(r->doc, at.text, o, keys, sizeof keys / sizeof *keys, r->err) ||
         gnt_doc_int(r->doc, at.text, o, "clients", 1, 1000000, &f->clients, r->err) ||
         read_partition(r, at.text, o, f) ||
         gnt_doc_int(r->doc, at.text, o, "rounds", 0, 1000000, &f->rounds, r->err) ||
         gnt_doc_real(r->doc, at.text, o, "participation", 1e-6, 1, &f->participation, r->err) ||
         gnt_doc_int(r->doc, at.text, o, "local_steps", 0, 100000, &f->local_steps, r->err) ||
         gnt_doc_int(r->doc, at.text, o, "batch", 1, 1000000, &f->batch, r->err) ||
         gnt_doc_real(r->doc, at.text, o, "rate", 1e-9, 1e6, &f->rate, r->err) ||
         gnt_doc_choice(r->doc, at.text, o, "schedule", gnt_schedule_names, SCHEDULES, &schedule, r->err) ||
         gnt_doc_real(r->doc, at.text, o, "momentum", 0, 0.9999, &f->momentum, r->err) ||
         gnt_doc_choice(r->doc, at.text, o, "batch_norm", stats, 2, &training, r->err)))
        return -1;
    f->schedule = (gnt_schedule_kind)schedule;
    f->training_stats = training;
    return check_clients(r, at.text, t);
}

static int read_stages(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "stages");
    int64_t rounds = t->federated.rounds;
    if (gnt_doc_list(r->doc, path, object, "stages", 1, GNT_SUITE_MOST_LIST, &list, r->err))
        return -1;
    size_t n = list ? json_array_size(list) : 1;
    t->stages = gnt_array(n, sizeof *t->stages);
    if (!t->stages)
        return suite_no_memory(r);
    t->n_stages = n;
    t->stages[0] = rounds;
    for (size_t i = 0; list && i < n; i++) {
        const gnt_path item = gnt_path_item(at.text, i);
        int64_t stage = 0;
        if (gnt_doc_int_at(r->doc, item.text, json_array_get(list, i), 0, 1000000, &stage, r->err))
            return -1;
        if (stage > rounds)
            return suite_fail(r, item.text,
                              "is %lld, but the task trains for %lld rounds; expected 0 to %lld; or raise "
                              "federated.rounds",
                              (long long)stage, (long long)rounds, (long long)rounds);
        if (i && stage <= t->stages[i - 1])
            return suite_fail(r, item.text, "is %lld, after %lld; expected rising rounds, each once",
                              (long long)stage, (long long)t->stages[i - 1]);
        t->stages[i] = stage;
    }
    return 0;
}

/* ---- observe, shadow, utility ---- */

static int read_attribute(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const char *names[GNT_DATA_ATTRS];
    int which = -1;
    for (int i = 0; i < t->facts.n_attrs; i++)
        names[i] = t->facts.attr[i].name;
    t->observe.attribute = -1;
    if (!json_object_get(object, "attribute"))
        return 0;
    if (t->facts.n_attrs == 0)
        return suite_fail(r, gnt_path_key(path, "attribute").text,
                          "is named, but %s has no private attributes; remove it or choose other data",
                          t->data);
    if (gnt_doc_choice(r->doc, path, object, "attribute", names, (size_t)t->facts.n_attrs, &which, r->err))
        return -1;
    t->observe.attribute = which;
    return 0;
}

static int read_surface(suite_reader *r, const char *path, const json_t *object, gnt_suite_observe *o) {
    const char *names[32];
    int which = 0;
    for (size_t i = 0; i < gnt_surface_words.n && i < 32; i++)
        names[i] = gnt_surface_words.word[i].name;
    if (gnt_doc_choice(r->doc, path, object, "surface", names, gnt_surface_words.n, &which, r->err))
        return -1;
    o->surface = json_object_get(object, "surface") ? gnt_surface_words.word[which].bit : GNT_SURFACE_UPDATE;
    return 0;
}

/* One observation of all clients: what describes private batches has nothing to describe. */
static int check_transcript(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const senseless[] = {"batch", "local_steps", "targets", "attribute", "set", "epochs"};
    for (size_t i = 0; i < sizeof senseless / sizeof *senseless; i++)
        if (json_object_get(object, senseless[i]))
            return suite_fail(r, gnt_path_key(path, senseless[i]).text,
                              "goes with private batches, and a transcript has none behind it; remove it");
    t->observe.targets = 1;
    return 0;
}

/* Sets that are encoded together, and how often. */
static int read_sets(suite_reader *r, const char *path, const json_t *object, gnt_suite_observe *o) {
    int64_t samples = o->targets * o->batch;
    const gnt_path set = gnt_path_key(path, "set"), epochs = gnt_path_key(path, "epochs");
    o->epochs = 1;
    if (gnt_doc_int(r->doc, path, object, "set", 1, 100000, &o->set, r->err) ||
        gnt_doc_int(r->doc, path, object, "epochs", 1, 10000, &o->epochs, r->err))
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
        return suite_fail(
            r, set.text,
            "stands beside \"batch\": %lld, but each encoding of a set is observed by itself; remove "
            "one of the two",
            (long long)o->batch);
    if (samples % o->set)
        return suite_fail(
            r, set.text,
            "is %lld, which does not divide the %lld private samples (targets × batch) into whole sets",
            (long long)o->set, (long long)samples);
    return 0;
}

static int read_observe(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const keys[] = {"surface",   "batch", "local_steps", "targets",
                                       "attribute", "set",   "epochs"};
    gnt_suite_observe *o = &t->observe;
    const json_t *value = NULL;
    const gnt_path at = gnt_path_key(path, "observe");
    int64_t rows = t->role_rows[GNT_ROLE_TARGETS];
    *o = (gnt_suite_observe){.surface = GNT_SURFACE_UPDATE, .batch = 1, .attribute = -1};
    if (gnt_doc_object(r->doc, path, object, "observe", &value, r->err))
        return -1;
    if (value && (gnt_doc_keys(r->doc, at.text, value, keys, sizeof keys / sizeof *keys, r->err) ||
                  read_surface(r, at.text, value, o) ||
                  gnt_doc_int(r->doc, at.text, value, "batch", 1, 100000, &o->batch, r->err) ||
                  gnt_doc_int(r->doc, at.text, value, "local_steps", 0, 100000, &o->local_steps, r->err) ||
                  gnt_doc_int(r->doc, at.text, value, "targets", 1, 100000, &o->targets, r->err) ||
                  read_attribute(r, at.text, value, t)))
        return -1;
    if (o->surface == GNT_SURFACE_TRANSCRIPT)
        return check_transcript(r, at.text, value, t);
    if (o->surface == GNT_SURFACE_REPRESENTATION && !t->has_representation)
        return suite_fail(
            r, gnt_path_key(at.text, "surface").text,
            "is \"representation\", but that of %s is the sample itself; name a layer as the task's "
            "\"representation\"",
            t->model);
    if (o->batch > rows)
        return suite_fail(r, gnt_path_key(at.text, "batch").text,
                          "is %lld, but there are only %lld target rows; lower it or raise data.targets",
                          (long long)o->batch, (long long)rows);
    if (!o->targets)
        o->targets = rows / o->batch;
    if (o->targets * o->batch > rows)
        return suite_fail(
            r, gnt_path_key(at.text, "targets").text,
            "is %lld, and with batch %lld needs %lld target rows, but there are %lld; lower it or raise "
            "data.targets",
            (long long)o->targets, (long long)o->batch, (long long)(o->targets * o->batch), (long long)rows);
    return read_sets(r, at.text, value, o);
}

static int read_shadow(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const keys[] = {"observations"};
    const json_t *o = NULL;
    const gnt_path at = gnt_path_key(path, "shadow");
    int64_t rows = t->role_rows[GNT_ROLE_SHADOW];
    if (gnt_doc_object(r->doc, path, object, "shadow", &o, r->err))
        return -1;
    if (!o)
        return 0;
    if (gnt_doc_keys(r->doc, at.text, o, keys, 1, r->err) ||
        gnt_doc_int(r->doc, at.text, o, "observations", 0, 1000000, &t->shadow_observations, r->err))
        return -1;
    int64_t each = t->observe.set_given ? t->observe.set : t->observe.batch;
    if (t->shadow_observations && rows < each)
        return suite_fail(
            r, gnt_path_key(at.text, "observations").text,
            "is %lld, each made of %lld shadow row%s, but data.shadow leaves %lld; raise data.shadow",
            (long long)t->shadow_observations, (long long)each, each == 1 ? "" : "s", (long long)rows);
    return 0;
}

static int read_head(suite_reader *r, const char *path, const json_t *object, gnt_suite_head *h) {
    static const char *const keys[] = {"hidden", "epochs", "rate", "batch"};
    const json_t *o = NULL, *hidden = NULL;
    const gnt_path at = gnt_path_key(path, "head"), widths = gnt_path_key(at.text, "hidden");
    *h = (gnt_suite_head){.hidden = {64}, .n_hidden = 1, .epochs = 20, .batch = 32, .rate = 1e-3};
    if (gnt_doc_object(r->doc, path, object, "head", &o, r->err))
        return -1;
    if (!o)
        return 0;
    if (gnt_doc_keys(r->doc, at.text, o, keys, sizeof keys / sizeof *keys, r->err) ||
        gnt_doc_list(r->doc, at.text, o, "hidden", 0, GNT_SUITE_HIDDEN, &hidden, r->err) ||
        gnt_doc_int(r->doc, at.text, o, "epochs", 1, 100000, &h->epochs, r->err) ||
        gnt_doc_real(r->doc, at.text, o, "rate", 1e-9, 10, &h->rate, r->err) ||
        gnt_doc_int(r->doc, at.text, o, "batch", 1, 100000, &h->batch, r->err))
        return -1;
    if (hidden)
        h->n_hidden = json_array_size(hidden);
    for (size_t i = 0; hidden && i < h->n_hidden; i++)
        if (gnt_doc_int_at(r->doc, gnt_path_item(widths.text, i).text, json_array_get(hidden, i), 1, 65536,
                           &h->hidden[i], r->err))
            return -1;
    return 0;
}

/* Is there something to measure in this way? */
static int check_utility(suite_reader *r, const char *path, const json_t *o, const gnt_suite_task *t) {
    const gnt_path by = gnt_path_key(path, "by");
    if (t->is_map && t->utility == GNT_UTILITY_ACCURACY)
        return suite_fail(r, gnt_path_key(path, "measure").text,
                          "is \"accuracy\", but the output of %s is a map, not classes; expected \"loss\"",
                          t->model);
    if (o && json_object_get(o, "head") && !t->by_head)
        return suite_fail(
            r, gnt_path_key(path, "head").text,
            "goes with \"by\": \"head\", but utility is that of the model; remove it or add that");
    if (t->by_head && !t->has_representation)
        return suite_fail(
            r, by.text,
            "is \"head\", but a head has nothing to read: the representation of %s is the sample "
            "itself; name a layer as the task's \"representation\"",
            t->model);
    if (t->shares_part && !t->by_head)
        return suite_fail(
            r, by.text,
            "is \"model\", but federated.share leaves a part of the model to each client, so that "
            "there is no one model to measure; expected \"head\"");
    return 0;
}

static int read_utility(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const keys[] = {"measure", "by", "head"}, *const bys[] = {"model", "head"};
    const json_t *o = NULL;
    int which = t->is_map ? GNT_UTILITY_LOSS : GNT_UTILITY_ACCURACY;
    const gnt_path at = gnt_path_key(path, "utility");
    if (gnt_doc_object(r->doc, path, object, "utility", &o, r->err))
        return -1;
    if (o && (gnt_doc_keys(r->doc, at.text, o, keys, sizeof keys / sizeof *keys, r->err) ||
              gnt_doc_choice(r->doc, at.text, o, "measure", gnt_utility_names, UTILITIES, &which, r->err) ||
              gnt_doc_choice(r->doc, at.text, o, "by", bys, 2, &t->by_head, r->err) ||
              read_head(r, at.text, o, &t->head)))
        return -1;
    t->utility = (gnt_utility_kind)which;
    if (!o) /* the defaults alone */
        read_head(r, at.text, NULL, &t->head);
    return check_utility(r, at.text, o, t);
}

/* The suite's own "match" first, then what the task says otherwise. */
static int read_matches(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *whole = NULL, *own = NULL;
    if (gnt_doc_object(r->doc, "", r->doc->root, "match", &whole, r->err) ||
        gnt_doc_object(r->doc, path, object, "match", &own, r->err))
        return -1;
    suite_match_defaults(&t->match, t->utility);
    return (whole && suite_read_match(r, "match", whole, t->utility, &t->match)) ||
                   (own && suite_read_match(r, gnt_path_key(path, "match").text, own, t->utility, &t->match))
               ? -1
               : 0;
}

/* [top, left, height, width], within the task's images. */
static int read_region(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "region");
    int64_t side[4], height = t->facts.dim[1], width = t->facts.dim[2];
    if (gnt_doc_list(r->doc, path, object, "region", 4, 4, &list, r->err))
        return -1;
    if (!list)
        return 0;
    if (t->facts.kind != GNT_DATA_IMAGE)
        return suite_fail(r, at.text, "is a part of an image, and %s has none; remove it", t->data);
    for (size_t i = 0; i < 4; i++)
        if (gnt_doc_int_at(r->doc, gnt_path_item(at.text, i).text, json_array_get(list, i), i >= 2, 1000000,
                           &side[i], r->err))
            return -1;
    t->region = (gnt_suite_region){side[0], side[1], side[2], side[3]};
    if (side[0] + side[2] > height || side[1] + side[3] > width)
        return suite_fail(
            r, at.text,
            "is %lld rows from row %lld and %lld columns from column %lld, but images of %s have %lld "
            "rows and %lld columns; expected [top, left, height, width] within them",
            (long long)side[2], (long long)side[0], (long long)side[3], (long long)side[1], t->data,
            (long long)height, (long long)width);
    return 0;
}

/* ---- the whole ---- */

/* ---- tasks that are like another ---- */

static const gnt_suite_task *earlier_task(suite_reader *r, const char *path, const char *id, size_t before) {
    for (size_t i = 0; i < before; i++)
        if (strcmp(r->s->task[i].id, id) == 0)
            return &r->s->task[i];
    suite_fail(r, path, "is %s; expected the id of a task that stands before this one",
               gnt_show_text(id).text);
    return NULL;
}

/* What `like` names, with what this task says of itself in place of that: only what comes after training may differ. The
 * caller releases it. NULL after a sentence. */
static json_t *unlike(suite_reader *r, const char *path, const json_t *list, size_t index, const char *like) {
    static const char *const own[] = {"id", "like", "observe", "shadow", "match"};
    const json_t *object = json_array_get(list, index);
    const gnt_suite_task *of = earlier_task(r, gnt_path_key(path, "like").text, like, index);
    if (!of || gnt_doc_keys(r->doc, path, object, own, sizeof own / sizeof *own, r->err))
        return NULL;
    if (strcmp(of->trained_as, of->id) != 0) {
        suite_fail(r, gnt_path_key(path, "like").text, "is \"%s\", which is like \"%s\"; name that one",
                   of->id, of->trained_as);
        return NULL;
    }
    json_t *all = json_copy(json_array_get(list, (size_t)(of - r->s->task)));
    if (!all) {
        suite_no_memory(r);
        return NULL;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        json_object_del(all, own[i]);
    json_object_update(all, (json_t *)object);
    json_object_del(all, "like");
    return all;
}

static int read_task(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const keys[] = {
        "id",     "data",    "model",     "init",      "width",  "representation",
        "loss",   "weights", "normalise", "federated", "stages", "observe",
        "shadow", "utility", "match",     "region",    "hide"};
    const json_t *data = NULL;
    return gnt_doc_keys(r->doc, path, object, keys, sizeof keys / sizeof *keys, r->err) ||
                   suite_read_id(r, path, object, "id",
                                 "a name for the task, such as \"id\": \"glyphs-lenet\"", &t->id) ||
                   gnt_doc_need(r->doc, path, object, "data", "\"data\": {\"name\": …}", r->err) ||
                   gnt_doc_object(r->doc, path, object, "data", &data, r->err) ||
                   suite_read_data(r, gnt_path_key(path, "data").text, data, t) ||
                   suite_read_model(r, path, object, t) || read_federated(r, path, object, t) ||
                   read_stages(r, path, object, t) || read_observe(r, path, object, t) ||
                   read_region(r, path, object, t) || suite_read_hide(r, path, object, t) ||
                   read_shadow(r, path, object, t) || read_utility(r, path, object, t) ||
                   read_matches(r, path, object, t)
               ? -1
               : 0;
}

/* What the suite says of the task, the model behind the name, how many rows there are of each role, seeds, and what is
 * matched. */
static int digest_task(suite_reader *r, const json_t *object, gnt_suite_task *t) {
    const gnt_suite *s = r->s;
    const json_t *match = json_object_get(r->doc->root, "match");
    char *says = gnt_json_canonical(object), *shared = match ? gnt_json_canonical(match) : gnt_strdup("");
    int rc = says && shared ? 0 : suite_no_memory(r);
    if (rc == 0) {
        gnt_hasher h;
        gnt_hasher_init(&h);
        gnt_hasher_text(&h, says);
        gnt_hasher_text(&h, shared);
        gnt_hasher_text(&h, t->model_json);
        for (size_t i = 0; i < GNT_ROLES; i++)
            gnt_hasher_u64(&h, (uint64_t)t->role_rows[i]);
        gnt_hasher_u64(&h, s->seed);
        for (size_t i = 0; i < s->n_seeds; i++)
            gnt_hasher_u64(&h, s->seeds[i]);
        const gnt_digest digest = gnt_hasher_end(&h);
        gnt_digest_hex(&digest, t->digest);
    }
    gnt_free(says);
    gnt_free(shared);
    return rc;
}

static int read_entry(suite_reader *r, const char *path, const json_t *list, size_t i) {
    gnt_suite_task *t = &r->s->task[i];
    const json_t *object = json_array_get(list, i);
    const char *like = NULL;
    json_t *merged = NULL;
    if (json_is_object(object) && gnt_doc_text(r->doc, path, object, "like", GNT_SUITE_NAME, &like, r->err))
        return -1;
    if (like && !(merged = unlike(r, path, list, i, like)))
        return -1;
    int rc = read_task(r, path, like ? merged : object, t);
    if (rc == 0)
        rc = digest_task(r, like ? merged : object, t);
    json_decref(merged);
    if (rc != 0)
        return -1;
    t->trained_as = gnt_strdup(like ? like : t->id);
    return t->trained_as ? 0 : suite_no_memory(r);
}

int suite_read_tasks(suite_reader *r, const json_t *list) {
    gnt_suite *s = r->s;
    size_t n = json_array_size(list);
    s->task = gnt_array(n, sizeof *s->task);
    if (!s->task)
        return suite_no_memory(r);
    s->n_tasks = n;
    for (size_t i = 0; i < n; i++) {
        const gnt_path at = gnt_path_item("tasks", i);
        if (read_entry(r, at.text, list, i))
            return -1;
        for (size_t j = 0; j < i; j++)
            if (strcmp(s->task[j].id, s->task[i].id) == 0)
                return suite_fail(r, gnt_path_key(at.text, "id").text,
                                  "is \"%s\", as tasks[%zu].id is; expected an id of its own", s->task[i].id,
                                  j);
    }
    return 0;
}

void suite_free_task(gnt_suite_task *t) {
    gnt_free(t->id);
    gnt_free(t->trained_as);
    gnt_free(t->data);
    gnt_free(t->lent.data);
    gnt_free((void *)(uintptr_t)t->split.target_rows);
    gnt_free(t->model);
    gnt_free(t->model_path);
    gnt_free(t->model_json);
    gnt_free(t->mean);
    gnt_free(t->deviation);
    gnt_free(t->weights);
    gnt_free(t->stages);
}
