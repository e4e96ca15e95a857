/* A task: how utility is measured, the region that is scored, and tasks that share a training. Other keys are
 * read by other files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suite/suite_impl.h"

const char *const gnt_utility_names[] = {"accuracy", "loss", "iou"};
enum { UTILITIES = 3 };

/* ---- utility ---- */

static int read_head(suite_reader *r, const char *path, const json_t *object, gnt_suite_head *h) {
    const json_t *o = NULL, *hidden = NULL;
    const gnt_path at = gnt_path_key(path, "head"), widths = gnt_path_key(at.text, "hidden");
    *h = (gnt_suite_head){.hidden = {64}, .n_hidden = 1, .epochs = 20, .batch = 32, .rate = 1e-3};
    if (suite_object(r, path, object, "head", &o))
        return -1;
    if (!o)
        return 0;
    if (suite_keys(r, at.text, o, "hidden", "epochs", "rate", "batch") ||
        suite_list(r, at.text, o, "hidden", 0, GNT_SUITE_HIDDEN, &hidden) ||
        suite_int(r, at.text, o, "epochs", 1, 100000, &h->epochs) ||
        suite_real(r, at.text, o, "rate", 1e-9, 10, &h->rate) ||
        suite_int(r, at.text, o, "batch", 1, 100000, &h->batch))
        return -1;
    if (hidden)
        h->n_hidden = json_array_size(hidden);
    for (size_t i = 0; hidden && i < h->n_hidden; i++)
        if (suite_int_at(r, gnt_path_item(widths.text, i).text, json_array_get(hidden, i), 1, 65536,
                         &h->hidden[i]))
            return -1;
    return 0;
}

static int check_curve(suite_reader *r, const char *path, const gnt_suite_task *t) {
    const gnt_path at = gnt_path_key(path, "curve");
    if (t->curve > 0 && t->by_head)
        return suite_fail(
            r, at.text,
            "requests the utility of the model by round, but utility is that of a head, which is "
            "trained once, at the end; remove it, or take \"by\": \"model\"");
    if (t->curve > 0 && t->federated.rounds == 0)
        return suite_fail(r, at.text,
                          "requests utility by round, but the task trains for none; remove it, or raise "
                          "federated.rounds");
    return 0;
}

static int check_secret(suite_reader *r, const char *path, const gnt_suite_task *t) {
    const gnt_path at = gnt_path_key(path, "secret");
    if (!t->secret)
        return 0;
    if (t->utility != GNT_UTILITY_ACCURACY || t->facts.classes < 2)
        return suite_fail(
            r, at.text,
            "requests a training with changed labels, but the utility is no accuracy on classes; "
            "remove it");
    if (t->by_head)
        return suite_fail(r, at.text,
                          "requests a training with changed labels, which shows what a model learns, but "
                          "utility is that of a head; remove it, or take \"by\": \"model\"");
    return t->federated.rounds > 0
               ? 0
               : suite_fail(r, at.text,
                            "requests a training with changed labels, but the task trains for no round; "
                            "remove it, or raise federated.rounds");
}

/* Checks that utility can be measured in this way. */
static int check_utility(suite_reader *r, const char *path, const json_t *o, const gnt_suite_task *t) {
    const gnt_path by = gnt_path_key(path, "by");
    if (t->is_map && t->utility == GNT_UTILITY_ACCURACY)
        return suite_fail_key(
            r, path, "measure",
            "is \"accuracy\", but the output of %s is a map, not classes; expected %s\"loss\"", t->model,
            t->facts.has_maps ? "\"iou\" or " : "");
    if (!t->facts.has_maps && t->utility == GNT_UTILITY_IOU)
        return suite_fail_key(r, path, "measure",
                              "is \"iou\", but samples of %s have no maps to find; expected %s\"loss\"",
                              t->data, t->is_map ? "" : "\"accuracy\" or ");
    if (o && json_object_get(o, "head") && !t->by_head)
        return suite_fail_key(
            r, path, "head",
            "goes with \"by\": \"head\", but utility is that of the model; remove it or add that");
    if (t->by_head && !t->has_representation)
        return suite_fail(r, by.text,
                          "is \"head\", but a head has no input: the representation of %s is the sample "
                          "itself; name a layer as the task's \"representation\"",
                          t->model);
    if (t->shares_part && !t->by_head)
        return suite_fail(
            r, by.text,
            "is \"model\", but federated.share leaves a part of the model to each client, so that "
            "there is no one model to measure; expected \"head\"");
    return check_curve(r, path, t) || check_secret(r, path, t);
}

static int read_utility(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const bys[] = {"model", "head"};
    const json_t *o = NULL;
    int which = t->facts.has_maps ? GNT_UTILITY_IOU : t->is_map ? GNT_UTILITY_LOSS : GNT_UTILITY_ACCURACY;
    const gnt_path at = gnt_path_key(path, "utility");
    if (suite_object(r, path, object, "utility", &o))
        return -1;
    if (o && (suite_keys(r, at.text, o, "measure", "by", "head", "curve", "secret") ||
              suite_choice(r, at.text, o, "measure", gnt_utility_names, UTILITIES, &which) ||
              suite_choice(r, at.text, o, "by", bys, 2, &t->by_head) ||
              suite_int(r, at.text, o, "curve", 0, 1000, &t->curve) ||
              suite_bool(r, at.text, o, "secret", &t->secret) || read_head(r, at.text, o, &t->head)))
        return -1;
    t->utility = (gnt_utility_kind)which;
    if (!o) /* the defaults alone */
        read_head(r, at.text, NULL, &t->head);
    return check_utility(r, at.text, o, t);
}

/* Reads the suite's "match", then the task's, which overrides it. */
static int read_matches(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *whole = NULL, *own = NULL;
    if (suite_object(r, "", r->doc->root, "match", &whole) || suite_object(r, path, object, "match", &own))
        return -1;
    suite_match_defaults(&t->match, t->utility);
    return (whole && suite_read_match(r, "match", whole, t->utility, &t->match)) ||
           (own && suite_read_match(r, gnt_path_key(path, "match").text, own, t->utility, &t->match));
}

/* Reads [top, left, height, width], within the task's images. */
static int read_region(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "region");
    int64_t side[4], height = t->facts.dim[1], width = t->facts.dim[2];
    if (suite_list(r, path, object, "region", 4, 4, &list))
        return -1;
    if (!list)
        return 0;
    if (t->facts.has_maps)
        return suite_fail(r, at.text,
                          "is one rectangle for all images, but each image of %s has a sensitive region of "
                          "its own; remove it",
                          t->data);
    if (t->facts.kind != GNT_DATA_IMAGE)
        return suite_fail(r, at.text, "is a part of an image, and %s has none; remove it", t->data);
    for (size_t i = 0; i < 4; i++)
        if (suite_int_at(r, gnt_path_item(at.text, i).text, json_array_get(list, i), i >= 2, 1000000,
                         &side[i]))
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

/* ---- tasks that are like another ---- */

static const gnt_suite_task *earlier_task(suite_reader *r, const char *path, const char *id, size_t before) {
    for (size_t i = 0; i < before; i++)
        if (strcmp(r->s->task[i].id, id) == 0)
            return &r->s->task[i];
    suite_fail(r, path, "is %s; expected the id of an earlier task", gnt_show_text(id).text);
    return NULL;
}

/* Returns the task that `like` names with this task's own keys in place of its own: only what follows
 * training may differ. The caller releases it; NULL after a message. */
static json_t *unlike(suite_reader *r, const char *path, const json_t *list, size_t index, const char *like) {
    static const char *const own[] = {"id", "like", "observe", "shadow", "match", "adequate"};
    const json_t *object = json_array_get(list, index);
    const gnt_suite_task *of = earlier_task(r, gnt_path_key(path, "like").text, like, index);
    if (!of || gnt_doc_keys(r->doc, path, object, own, sizeof own / sizeof *own, r->err))
        return NULL;
    if (strcmp(of->trained_as, of->id) != 0) {
        suite_fail_key(r, path, "like", "is \"%s\", which is like \"%s\"; name that one", of->id,
                       of->trained_as);
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

static int is_word(const json_t *value, const char *word) {
    const char *text = json_string_value(value);
    return text && strcmp(text, word) == 0;
}

/* Adds how a task that was not yet read is observed; errors are left to its reader. */
static void add_mode(suite_modes *modes, const json_t *task, int trained) {
    const json_t *observe = json_object_get(task, "observe");
    const json_t *from = json_object_get(observe, "from"), *surface = json_object_get(observe, "surface");
    int round = trained && (!from || is_word(from, "round")) && !is_word(surface, "transcript");
    modes->round |= round;
    modes->probe |= !round;
}

/* Returns how the task number `first` and those like it are observed: their data and stages must suit all. */
static suite_modes modes_of(const json_t *list, size_t first) {
    const json_t *task = json_array_get(list, first), *federated = json_object_get(task, "federated");
    const char *id = json_string_value(json_object_get(task, "id"));
    int trained = json_number_value(json_object_get(federated, "rounds")) > 0;
    suite_modes modes = {0};
    add_mode(&modes, task, trained);
    for (size_t i = first + 1; id && i < json_array_size(list); i++) {
        const json_t *other = json_array_get(list, i);
        if (is_word(json_object_get(other, "like"), id))
            add_mode(&modes, other, trained);
    }
    return modes;
}

/* Returns the index of the task that describes the training of `task`: the one with the id `like`, or
 * itself. */
static size_t number_of(const gnt_suite *s, const char *like, size_t task) {
    for (size_t i = 0; like && i < task; i++)
        if (strcmp(s->task[i].id, like) == 0)
            return i;
    return task;
}

/* ---- the whole ---- */

/* Sets the name of its training in keys and jobs: its own id, or that of the task it is like. */
static int name_training(suite_reader *r, gnt_suite_task *t) {
    if (!t->trained_as)
        t->trained_as = gnt_strdup(t->id);
    return t->trained_as ? 0 : suite_no_memory(r);
}

static int read_task(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *data = NULL;
    return suite_keys(r, path, object, "id", "data", "model", "init", "width", "representation", "loss",
                      "weights", "normalise", "federated", "stages", "observe", "shadow", "utility", "match",
                      "region", "hide", "adequate") ||
           suite_read_id(r, path, object, "id", "a name for the task, such as \"id\": \"glyphs-lenet\"",
                         &t->id) ||
           name_training(r, t) || suite_need(r, path, object, "data", "\"data\": {\"name\": …}") ||
           suite_object(r, path, object, "data", &data) ||
           suite_read_data(r, gnt_path_key(path, "data").text, data, t) ||
           suite_read_model(r, path, object, t) || suite_read_federated(r, path, object, t) ||
           suite_read_stages(r, path, object, t) || suite_read_observe(r, path, object, t) ||
           read_region(r, path, object, t) || suite_read_hide(r, path, object, t) ||
           suite_read_shadow(r, path, object, t) || read_utility(r, path, object, t) ||
           read_matches(r, path, object, t) || suite_read_adequate(r, path, object, t);
}

/* Digests the task's JSON, its model file, how it is observed, the rows of each role, seeds, and what is
 * matched; of drawn stages only their number, since runs with other keys can be compared. */
static int digest_task(suite_reader *r, const json_t *object, gnt_suite_task *t) {
    const gnt_suite *s = r->s;
    const json_t *match = json_object_get(r->doc->root, "match");
    char *says = gnt_json_canonical(object), *shared = match ? gnt_json_canonical(match) : gnt_strdup("");
    char drawn[32];
    snprintf(drawn, sizeof drawn, "drawn:%d", t->stages_drawn);
    int rc = says && shared ? 0 : suite_no_memory(r);
    if (rc == 0) {
        gnt_hasher h;
        gnt_hasher_init(&h);
        gnt_hasher_text(&h, says);
        gnt_hasher_text(&h, shared);
        gnt_hasher_text(&h, t->model_json);
        if (!t->observe.probe)
            gnt_hasher_text(&h, gnt_observe_names[0]);
        if (t->stages_drawn)
            gnt_hasher_text(&h, drawn);
        if (t->captures)
            suite_digest_captures(t->captures, &h);
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
    if (json_is_object(object) && suite_text(r, path, object, "like", GNT_SUITE_NAME, &like))
        return -1;
    if (like && !(merged = unlike(r, path, list, i, like)))
        return -1;
    r->modes = modes_of(list, number_of(r->s, like, i));
    t->trained_as = like ? gnt_strdup(like) : NULL;
    const int captured = !like && json_object_get(object, "captures") != NULL;
    int rc = like && !t->trained_as ? suite_no_memory(r)
             : captured             ? suite_read_captures(r, path, object, t)
                                    : read_task(r, path, like ? merged : object, t);
    if (rc == 0)
        rc = digest_task(r, like ? merged : object, t);
    json_decref(merged);
    return rc;
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
                return suite_fail_key(r, at.text, "id",
                                      "is \"%s\", as tasks[%zu].id is; expected an id of its own",
                                      s->task[i].id, j);
    }
    return 0;
}

void suite_free_task(gnt_suite_task *t) {
    gnt_free(t->id);
    gnt_free(t->trained_as);
    gnt_free(t->data);
    gnt_free(t->public_set.data);
    gnt_free(t->prior_set.data);
    gnt_free((void *)(uintptr_t)t->split.target_rows);
    gnt_free(t->model);
    gnt_free(t->model_path);
    gnt_free(t->model_json);
    gnt_free(t->mean);
    gnt_free(t->deviation);
    gnt_free(t->weights);
    gnt_free(t->stages);
    gnt_free(t->drawn);
    gnt_free(t->federated.rows);
    gnt_free(t->federated.n_labels);
    gnt_free(t->federated.labels);
    suite_free_captures(t->captures);
}
