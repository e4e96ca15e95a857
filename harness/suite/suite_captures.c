/* A task that attacks captures: what was observed, the model and the training come from these; the suite adds
 * the rows and the knowledge of the attacker. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"
#include "gauntlet/plugin.h"
#include "suite/suite_impl.h"

/* The rows, and updates of shadow rows, that an attacker has where the suite gives no number. */
enum { MOST_CAPTURES = 4096, USUAL_ROWS = 1000, USUAL_OBSERVATIONS = 200, MOST_GENERATED = 1000000 };
/* The attacker's rows, by the keys of "data". */
static const char *const row_names[] = {"public", "shadow"};

int gnt_suite_is_of_captures(const gnt_suite *s) {
    return s->n_tasks > 0 && s->task[0].captures != NULL;
}

static void free_folders(gnt_suite_folders *f) {
    for (size_t i = 0; i < f->n; i++)
        gnt_free(f->folder[i]);
    gnt_free(f->folder);
    gnt_free(f->digest);
}

void suite_free_captures(gnt_suite_captures *c) {
    if (!c)
        return;
    free_folders(&c->attacked);
    for (size_t i = 0; i < c->n_earlier; i++)
        free_folders(&c->earlier[i]);
    gnt_free(c->defense);
    gnt_free(c);
}

static void digest_folders(const gnt_suite_folders *f, gnt_hasher *h) {
    for (size_t i = 0; i < f->n; i++)
        gnt_hasher_text(h, f->digest[i]);
}

void suite_digest_captures(const gnt_suite_captures *c, gnt_hasher *h) {
    digest_folders(&c->attacked, h);
    for (size_t i = 0; i < c->n_earlier; i++)
        digest_folders(&c->earlier[i], h);
}

/* ---- what the first capture says of all ---- */

static int copy_reals(suite_reader *r, const gnt_reals *from, double **to) {
    if (!from->at)
        return 0;
    *to = gnt_array(from->n, sizeof **to);
    if (!*to)
        return suite_no_memory(r);
    memcpy(*to, from->at, from->n * sizeof **to);
    return 0;
}

static void take_shape(gnt_data_facts *f, const gnt_capture *c) {
    const gnt_capture_settings *s = &c->settings;
    const gnt_nn_shape sample = gnt_model_sample(c->model);
    *f = (gnt_data_facts){.kind = (gnt_data_kind)__builtin_ctz(s->data_kind),
                          .rank = sample.rank,
                          .features = gnt_nn_count(&sample),
                          .classes = (int32_t)s->model.classes,
                          .has_maps = gnt_model_is_map(c->model),
                          .n_attrs = (int32_t)s->attributes.n};
    memcpy(f->dim, sample.dim, (size_t)sample.rank * sizeof *f->dim);
    for (size_t i = 0; i < s->attributes.n; i++) {
        f->attr[i].values = (int32_t)s->attributes.at[i].values;
        snprintf(f->attr[i].name, sizeof f->attr[i].name, "%s", s->attributes.at[i].name);
    }
}

static void take_training(gnt_suite_task *t, const gnt_capture_settings *s) {
    const gnt_capture_training *how = &s->training;
    const gnt_capture_federation *f = &s->federation;
    t->federated = (gnt_suite_federated){.clients = f->clients > 0 ? f->clients : 1,
                                         .partition = GNT_PARTITION_IID,
                                         .participation = 1,
                                         .local_steps = how->local_steps,
                                         .batch = how->batch > 0 ? how->batch : how->samples,
                                         .rate = isnan(how->rate) ? 0 : how->rate,
                                         .momentum = how->momentum,
                                         .decay = how->decay,
                                         .adam = how->optimizer == GNT_CAPTURE_ADAM,
                                         .training_stats = how->batch_norm == GNT_CAPTURE_TRAINING};
    t->observe = (gnt_suite_observe){.probe = 1,
                                     .surface = s->surface,
                                     .batch = how->samples,
                                     .local_steps = how->local_steps,
                                     .targets = (int64_t)t->captures->attacked.n,
                                     .attribute = -1,
                                     .epochs = 1,
                                     .client_rows = how->samples};
}

/* Returns the ids of the defense that a capture names; NULL: out of memory. The caller frees. */
static char *defense_of(const gnt_capture_settings *s) {
    gnt_text ids;
    gnt_text_init(&ids, 1 << 16);
    for (size_t i = 0; i < s->defense.n; i++)
        gnt_text_add(&ids, "%s%s", i ? "+" : "", s->defense.at[i].id);
    char *out = !s->defense.at ? gnt_strdup("") : s->defense.n ? gnt_text_take(&ids) : gnt_strdup("none");
    gnt_text_free(&ids);
    return out;
}

static uint32_t private_knowledge(const gnt_capture *c) {
    const gnt_capture_private *b = &c->batch;
    const gnt_capture_training *t = &c->settings.training;
    const int whole = b->rows == t->samples;
    return b->rows == 0 ? 0
                        : (uint32_t)((b->labels || whole ? GNT_KNOWS_LABELS : 0) |
                                     (t->local_steps ? GNT_KNOWS_RATES : 0) |
                                     (t->local_steps && whole && !b->order ? GNT_KNOWS_ORDER : 0) |
                                     (whole && gnt_model_buffer_size(c->model) ? GNT_KNOWS_BN_STATS : 0) |
                                     (whole && b->mask ? GNT_KNOWS_REGION : 0));
}

static int take_first(suite_reader *r, const char *path, const gnt_capture *c, gnt_suite_task *t) {
    const gnt_capture_settings *s = &c->settings;
    if (c->batch.rows && c->batch.rows < s->training.samples)
        return suite_fail(
            r, path,
            "has a private batch of %lld samples, fewer than the %lld that the update was computed "
            "with, so that no answer could be compared with it; attack it without its "
            "private.safetensors",
            (long long)c->batch.rows, (long long)s->training.samples);
    take_shape(&t->facts, c);
    take_training(t, s);
    t->captures->rows = c->batch.rows;
    t->captures->goals = s->goals;
    t->captures->from_private = private_knowledge(c);
    t->captures->defense = defense_of(s);
    for (int32_t i = 0; i < t->facts.n_attrs; i++)
        if (strcmp(t->facts.attr[i].name, s->attribute) == 0)
            t->observe.attribute = i;
    t->model = gnt_strdup(s->model.name);
    t->model_path = gnt_format("%s/capture.json", t->captures->attacked.folder[0]);
    t->model_json = gnt_strdup(s->model.architecture);
    t->stages = gnt_array(1, sizeof *t->stages);
    if (!t->captures->defense || !t->model || !t->model_path || !t->model_json || !t->stages)
        return suite_no_memory(r);
    t->stages[0] = s->federation.round > 0 ? s->federation.round : 0;
    t->n_stages = 1;
    suite_note_layers(t, c->model);
    return copy_reals(r, &s->model.mean, &t->mean) || copy_reals(r, &s->model.deviation, &t->deviation);
}

/* ---- the captures ---- */

/* Returns the folder that a suite names: absolute, in the suite's, or in the working folder. The caller
 * frees; NULL after a message. */
static char *find_folder(suite_reader *r, const char *path, const char *name) {
    char *wanted = gnt_format("%s/capture.json", name);
    char *found =
        wanted ? suite_find_file(r, path, wanted, "the folder of a capture, which has a capture.json") : NULL;
    if (!wanted)
        suite_no_memory(r);
    if (found)
        *strrchr(found, '/') = 0;
    gnt_free(wanted);
    return found;
}

/* What captures are compared with: those of their own round, and those that are attacked. */
typedef struct comparing {
    gnt_digest group, kind;
    /* The clients of those that are attacked; −1: not known. */
    int64_t *client;
    size_t n;
} comparing;

/* Opens the next capture of a list. */
static int open_one(suite_reader *r, const char *path, const json_t *value, gnt_suite_folders *all,
                    gnt_capture *c) {
    const size_t i = all->n;
    const char *name = NULL;
    gnt_digest files;
    if (suite_text_at(r, path, value, 4000, &name) || !(all->folder[i] = find_folder(r, path, name)))
        return -1;
    all->n++;
    if (gnt_capture_digest(all->folder[i], &files, r->err) != 0 ||
        gnt_capture_read(c, all->folder[i], r->err) != 0)
        return suite_fail_in(r, path);
    gnt_digest_hex(&files, all->digest[i]);
    return 0;
}

/* Compares capture i with the first of its list, which it is itself if i is 0. */
static int check_group(suite_reader *r, const char *path, const gnt_capture *c, size_t i, gnt_digest *group) {
    gnt_digest of;
    if (gnt_capture_group(c, &of, r->err) != 0)
        return -1;
    if (i == 0)
        *group = of;
    return memcmp(&of, group, sizeof of) == 0
               ? 0
               : suite_fail(r, path,
                            "has other settings, weights before or private tensors than the first of the "
                            "list; expected captures of one round and one kind of client, and other ones in "
                            "a task of their own");
}

/* Checks that a capture of an earlier round is of the client that is attacked in its place. */
static int check_earlier(suite_reader *r, const char *path, const gnt_capture *c, size_t i,
                         const comparing *with) {
    gnt_digest kind;
    if (gnt_capture_kind(c, &kind, r->err) != 0)
        return -1;
    if (memcmp(&kind, &with->kind, sizeof kind) != 0)
        return suite_fail(r, path,
                          "has other settings than the captures that are attacked; expected those of earlier "
                          "rounds of the same training");
    return c->settings.federation.client >= 0 && c->settings.federation.client == with->client[i]
               ? 0
               : suite_fail(
                     r, path,
                     "is not said to be of the client that is attacked in its place (federation.client); "
                     "expected the same clients in the same order");
}

/* Makes room for a list of folders. */
static int begin_folders(suite_reader *r, gnt_suite_folders *all, size_t n) {
    *all = (gnt_suite_folders){.folder = gnt_array(n, sizeof *all->folder),
                               .digest = gnt_array(n, sizeof *all->digest)};
    return all->folder && all->digest ? 0 : suite_no_memory(r);
}

static int read_attacked(suite_reader *r, const char *path, const json_t *list, gnt_suite_task *t,
                         comparing *with) {
    gnt_suite_folders *all = &t->captures->attacked;
    with->n = json_array_size(list);
    with->client = gnt_array(with->n, sizeof *with->client);
    if (!with->client || begin_folders(r, all, with->n) != 0)
        return suite_no_memory(r);
    for (size_t i = 0; i < with->n; i++) {
        const gnt_path at = gnt_path_item(path, i);
        gnt_capture c = {0};
        int rc = open_one(r, at.text, json_array_get(list, i), all, &c) ||
                 check_group(r, at.text, &c, i, &with->group);
        if (rc == 0 && i == 0)
            rc = take_first(r, at.text, &c, t) || gnt_capture_kind(&c, &with->kind, r->err);
        if (rc == 0)
            with->client[i] = c.settings.federation.client;
        gnt_capture_free(&c);
        if (rc != 0)
            return -1;
    }
    all->round = t->stages[0];
    t->observe.targets = (int64_t)with->n;
    return 0;
}

/* Reads the captures of one earlier round. */
static int read_round(suite_reader *r, const char *path, const json_t *list, gnt_suite_task *t,
                      const comparing *with) {
    gnt_suite_captures *of = t->captures;
    const int64_t after = of->n_earlier ? of->earlier[of->n_earlier - 1].round : -1;
    gnt_suite_folders *all = &of->earlier[of->n_earlier++];
    gnt_digest group;
    if (json_array_size(list) != with->n)
        return suite_fail(r, path,
                          "is %s; expected a list of %zu folder%s, one for each capture that is attacked",
                          gnt_show(list).text, with->n, with->n == 1 ? "" : "s");
    if (begin_folders(r, all, with->n) != 0)
        return -1;
    for (size_t i = 0; i < with->n; i++) {
        const gnt_path at = gnt_path_item(path, i);
        gnt_capture c = {0};
        const int rc = open_one(r, at.text, json_array_get(list, i), all, &c) ||
                       check_group(r, at.text, &c, i, &group) || check_earlier(r, at.text, &c, i, with);
        all->round = rc == 0 ? c.settings.federation.round : -1;
        gnt_capture_free(&c);
        if (rc != 0)
            return -1;
    }
    return all->round > after && all->round < of->attacked.round
               ? 0
               : suite_fail(r, path,
                            "is of round %lld; expected rising rounds, known, before round %lld, which is "
                            "attacked",
                            (long long)all->round, (long long)of->attacked.round);
}

static int read_folders(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *list = NULL, *history = NULL;
    comparing with = {0};
    const gnt_path at = gnt_path_key(path, "captures"), before = gnt_path_key(path, "history");
    int rc = suite_list(r, path, object, "captures", 1, MOST_CAPTURES, &list) ||
             suite_list(r, path, object, "history", 1, GNT_SUITE_HISTORY, &history) ||
             read_attacked(r, at.text, list, t, &with);
    for (size_t i = 0; rc == 0 && history && i < json_array_size(history); i++)
        rc = read_round(r, gnt_path_item(before.text, i).text, json_array_get(history, i), t, &with);
    gnt_free(with.client);
    return rc;
}

/* ---- the attacker's rows ---- */

static int same_set(const gnt_suite_other_set *a, const gnt_suite_other_set *b) {
    return a->data && b->data && strcmp(a->data, b->data) == 0 && a->seed == b->seed;
}

/* Returns the rows of a role: those that the suite gives, or as many as there usually are. */
static int64_t rows_of(const gnt_suite_other_set *set, int64_t there) {
    return set->rows >= 0 ? set->rows : there < USUAL_ROWS ? there : USUAL_ROWS;
}

/* Finds the captures' attribute in the attacker's rows. */
static int32_t find_attribute(const gnt_suite_task *t, const gnt_data_facts *f) {
    const gnt_data_attr *wanted = t->observe.attribute >= 0 ? &t->facts.attr[t->observe.attribute] : NULL;
    for (int32_t i = 0; wanted && i < f->n_attrs; i++)
        if (strcmp(f->attr[i].name, wanted->name) == 0 && f->attr[i].values == wanted->values)
            return i;
    return -1;
}

/* Checks the number of public rows of a set of their own, where no other role takes any. */
static int take_public(suite_reader *r, const char *path, const gnt_suite_other_set *set,
                       const gnt_data_facts *f, gnt_suite_task *t) {
    const int64_t most = f->part[GNT_PART_PUBLIC] ? f->part[GNT_PART_PUBLIC] : f->part[GNT_PART_TRAIN];
    t->role_rows[GNT_ROLE_PUBLIC] = rows_of(set, most);
    if (set->rows > most)
        return suite_fail_key(r, path, "rows", "is %lld, but %s provides %lld rows; expected at most that",
                              (long long)set->rows, set->data, (long long)most);
    return 0;
}

/* Has a built-in set generate no more rows than the attacker has: those of set[i] are in parts[i]. */
static int generate(suite_reader *r, const char *path, gnt_data_facts *f, const gnt_suite_other_set set[2],
                    gnt_suite_task *t) {
    static const int parts[2] = {GNT_PART_PUBLIC, GNT_PART_TRAIN};
    for (int p = 0; p < 3; p++)
        t->rows[p] = 1;
    for (int i = 0; i < 2; i++) {
        if (set[i].rows > MOST_GENERATED)
            return suite_fail_key(r, gnt_path_key(path, row_names[i]).text, "rows",
                                  "is %lld; expected at most %d of a built-in set", (long long)set[i].rows,
                                  MOST_GENERATED);
        if (set[i].data && strcmp(set[i].data, t->data) == 0 && set[i].seed == t->data_seed)
            t->rows[parts[i]] = set[i].rows > 0 ? set[i].rows : USUAL_ROWS;
    }
    memcpy(f->part, t->rows, sizeof f->part);
    return 0;
}

static int deal(suite_reader *r, const char *path, const gnt_suite_other_set set[2], gnt_data_facts f[2],
                gnt_suite_task *t) {
    enum { PUBLIC, SHADOW };
    const int own = set[SHADOW].data ? SHADOW : PUBLIC; /* the set of the task; the other is its public set */
    const int64_t *part = f[own].part;
    const int shares = same_set(&set[PUBLIC], &set[SHADOW]), both = shares && !part[GNT_PART_PUBLIC] ? 2 : 1;
    t->data = gnt_strdup(set[own].data);
    t->data_seed = set[own].seed;
    if (!t->data)
        return suite_no_memory(r);
    if (gnt_data_is_builtin(t->data) && part[GNT_PART_PUBLIC] && generate(r, path, &f[own], set, t) != 0)
        return -1;
    if (set[SHADOW].data)
        t->split.n[GNT_ROLE_SHADOW] = rows_of(&set[SHADOW], part[GNT_PART_TRAIN] / both);
    if (own == PUBLIC || shares)
        t->split.n[GNT_ROLE_PUBLIC] = rows_of(
            &set[PUBLIC], part[GNT_PART_PUBLIC] ? part[GNT_PART_PUBLIC] : part[GNT_PART_TRAIN] / both);
    if (suite_deal_rows(r, path, &f[own], t) != 0)
        return -1;
    t->captures->has_data = 1;
    t->captures->known_attribute = find_attribute(t, &f[own]);
    if (own == PUBLIC || shares || !set[PUBLIC].data)
        return 0;
    t->public_set = set[PUBLIC];
    t->public_set.data = gnt_strdup(set[PUBLIC].data);
    if (!t->public_set.data)
        return suite_no_memory(r);
    if (take_public(r, gnt_path_key(path, "public").text, &set[PUBLIC], &f[PUBLIC], t) != 0)
        return -1;
    t->public_set.rows = t->role_rows[GNT_ROLE_PUBLIC];
    return 0;
}

/* Checks that shadow rows have the labels of the clients' samples, since updates are computed from them. */
static int check_classes(suite_reader *r, const char *path, const gnt_data_facts *f,
                         const gnt_suite_task *t) {
    return f->classes == t->facts.classes && f->has_maps == t->facts.has_maps
               ? 0
               : suite_fail(r, path,
                            "has %d %s, but the captures' model has %d outputs; expected a set with the same "
                            "classes, whose updates can be computed",
                            f->classes, f->has_maps ? "pixels in a map" : "classes", t->facts.classes);
}

static int read_rows(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *data = NULL, *one[2] = {NULL, NULL};
    gnt_suite_other_set set[2] = {{0}};
    gnt_data_facts f[2];
    const gnt_path at = gnt_path_key(path, "data");
    if (suite_object(r, path, object, "data", &data))
        return -1;
    int rc = data ? suite_keys(r, at.text, data, "public", "shadow") : 0;
    for (size_t i = 0; rc == 0 && data && i < 2; i++) {
        const gnt_path own = gnt_path_key(at.text, row_names[i]);
        rc = suite_object(r, at.text, data, row_names[i], &one[i]);
        if (rc == 0 && one[i])
            rc = suite_read_known_rows(r, own.text, one[i], t, &set[i], &f[i]);
        if (rc == 0 && i == 1 && one[i])
            rc = check_classes(r, own.text, &f[i], t);
    }
    if (rc == 0 && (one[0] || one[1]))
        rc = deal(r, at.text, set, f, t);
    gnt_free(set[0].data);
    gnt_free(set[1].data);
    if (rc == 0 && !t->data && !(t->data = gnt_strdup("captures")))
        rc = suite_no_memory(r);
    return rc;
}

/* Sets how many updates of shadow rows are computed, unless the suite says it. */
static void choose_observations(const json_t *object, gnt_suite_task *t) {
    const int64_t most = t->role_rows[GNT_ROLE_SHADOW] / t->observe.batch;
    if (!json_object_get(object, "shadow"))
        t->shadow_observations = most < USUAL_OBSERVATIONS ? most : USUAL_OBSERVATIONS;
}

/* ---- the whole ---- */

static int read_rest(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    choose_observations(object, t);
    return suite_read_shadow(r, path, object, t) || suite_read_adequate(r, path, object, t);
}

int suite_read_captures(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    t->captures = gnt_alloc(sizeof *t->captures);
    if (!t->captures)
        return suite_no_memory(r);
    *t->captures = (gnt_suite_captures){.known_attribute = -1};
    suite_match_defaults(&t->match, GNT_UTILITY_ACCURACY);
    return suite_keys(r, path, object, "id", "captures", "history", "defense_known", "data", "shadow",
                      "adequate") ||
           suite_read_id(r, path, object, "id", "a name for the task, such as \"id\": \"client-7\"",
                         &t->id) ||
           (!(t->trained_as = gnt_strdup(t->id)) && suite_no_memory(r)) ||
           suite_bool(r, path, object, "defense_known", &t->captures->defense_known) ||
           read_folders(r, path, object, t) || read_rows(r, path, object, t) || read_rest(r, path, object, t);
}

static int is_none(const gnt_suite_defense *d) {
    return strcmp(d->plugin, "none") == 0;
}

static int check_defense(suite_reader *r, size_t i) {
    const gnt_suite_defense *d = &r->s->defense[i];
    const gnt_path at = gnt_path_item("defenses", i);
    if (d->match || d->n_sweep)
        return suite_fail_key(
            r, at.text, d->match ? "match" : "sweep",
            "varies the strength, but captures were made at one; expected \"params\" alone");
    for (size_t t = 0; t < r->s->n_tasks; t++)
        if (d->on_task[t] && !r->s->task[t].captures->defense_known && !is_none(d))
            return suite_fail(
                r, at.text,
                "is %s, but the attacker of tasks[%zu] (%s) does not know the defense; expected "
                "\"none\", or \"defense_known\": true in that task",
                d->plugin, t, r->s->task[t].id);
    return 0;
}

int suite_check_captures(suite_reader *r) {
    const gnt_suite *s = r->s;
    for (size_t t = 0; t < s->n_tasks; t++)
        if (!s->task[t].captures != !s->task[0].captures)
            return suite_fail(r, gnt_path_item("tasks", t).text,
                              "%s captures, and tasks[0] %s; captures are not compared with what a run "
                              "observes: expected a suite of their own",
                              s->task[t].captures ? "attacks" : "attacks no",
                              s->task[0].captures ? "does" : "does not");
    for (size_t i = 0; gnt_suite_is_of_captures(s) && i < s->n_defenses; i++)
        if (check_defense(r, i) != 0)
            return -1;
    return 0;
}
