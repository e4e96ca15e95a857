#include "cli/attack_suite.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "capture/capture_check.h"
#include "cli/attack_entries.h"
#include "suite/suite.h"

/* ---- the captures ---- */

/* A capture: its client (−1: not known), and its folder, resolved. */
typedef struct member {
    int64_t client;
    char *folder;
} member;

/* Captures that are attacked together, and what they say of a defense. */
typedef struct group {
    gnt_digest key;
    /* What captures of other rounds of the same training share with them. */
    gnt_digest kind;
    int64_t round;
    char id[GNT_SUITE_NAME];
    /* By client. */
    member *member;
    size_t n;
    /* The entry of "defenses" that the captures give; NULL: they do not say. */
    json_t *defense;
    /* Its ids, joined by '+'. */
    char *ids;
    /* The first folder as it was typed. */
    const char *first;
} group;

typedef struct making {
    const cli_attack_suite *of;
    const gnt_plugin_list *plugins;
    group *group;
    size_t n;
    gnt_err *err;
} making;

static void note_contradiction(void *user, const char *line) {
    gnt_err *to = user;
    if (!to->text[0] && strncmp(line, "contradiction: ", strlen("contradiction: ")) == 0)
        gnt_fail(to, "%s", line);
}

/* Opens a capture that does not contradict itself. */
static int open_capture(gnt_capture *c, const char *folder, gnt_err *err) {
    gnt_err found = {""};
    if (gnt_capture_read(c, folder, err) != 0)
        return -1;
    const int wrong = gnt_capture_check(c, note_contradiction, &found, err);
    if (wrong > 0)
        gnt_fail(err, "%s: %s; `gauntlet capture --check` shows all that it says", folder, found.text);
    if (wrong != 0)
        gnt_capture_free(c);
    return wrong != 0 ? -1 : 0;
}

/* Returns what the capture says of its defense, as an entry of a suite. */
static json_t *defense_of(const gnt_capture_settings *s, char **ids) {
    json_t *names = json_array(), *params = json_array();
    gnt_text joined;
    gnt_text_init(&joined, 1 << 16);
    if (s->defense.n == 0)
        json_array_append_new(names, json_string("none"));
    for (size_t i = 0; i < s->defense.n; i++) {
        const gnt_capture_member *m = &s->defense.at[i];
        json_t *own = m->params ? json_loads(m->params, 0, NULL) : NULL;
        json_array_append_new(names, json_string(m->id));
        json_array_append_new(params, own ? own : json_object());
        gnt_text_add(&joined, "%s%s", i ? "+" : "", m->id);
    }
    *ids = gnt_strdup(s->defense.n ? gnt_text_get(&joined) : "none");
    gnt_text_free(&joined);
    json_t *entry = s->defense.n ? json_pack("{s:O, s:O}", "defense", names, "params", params)
                                 : json_pack("{s:O}", "defense", names);
    json_decref(names);
    json_decref(params);
    return entry;
}

static group *find_group(making *k, const gnt_digest *key) {
    for (size_t i = 0; i < k->n; i++)
        if (memcmp(&k->group[i].key, key, sizeof *key) == 0)
            return &k->group[i];
    group *g = &k->group[k->n++];
    *g = (group){.key = *key};
    return g;
}

/* Adds a capture behind those of smaller clients, and of the same one. */
static int add_member(group *g, int64_t client, const char *folder, gnt_err *err) {
    char *copy = gnt_strdup(folder);
    if (!copy || GNT_GROW(g->member, g->n) != 0) {
        gnt_free(copy);
        return gnt_fail(err, "out of memory for a capture");
    }
    size_t i = g->n++;
    for (; i > 0 && g->member[i - 1].client > client; i--)
        g->member[i] = g->member[i - 1];
    g->member[i] = (member){client, copy};
    return 0;
}

static int take_capture(making *k, const char *folder) {
    char whole[PATH_MAX];
    gnt_capture c;
    gnt_digest key;
    if (!realpath(folder, whole))
        return gnt_fail(k->err, "%s: %s; expected the folder of a capture", folder, strerror(errno));
    if (open_capture(&c, folder, k->err) != 0)
        return -1;
    gnt_digest kind;
    int rc = gnt_capture_group(&c, &key, k->err) || gnt_capture_kind(&c, &kind, k->err) ? -1 : 0;
    if (rc == 0) {
        group *g = find_group(k, &key);
        g->first = g->first ? g->first : folder;
        g->kind = kind;
        g->round = c.settings.federation.round;
        if (!g->ids && c.settings.defense.at)
            g->defense = defense_of(&c.settings, &g->ids);
        for (size_t i = 0; rc == 0 && i < g->n; i++)
            if (strcmp(g->member[i].folder, whole) == 0)
                rc = gnt_fail(k->err, "%s is named twice; name each capture once", folder);
        if (rc == 0)
            rc = add_member(g, c.settings.federation.client, whole, k->err);
    }
    gnt_capture_free(&c);
    return rc;
}

/* ---- earlier rounds ---- */

/* True if h has the same clients as g, each once, in an earlier round. */
static int is_earlier(const group *h, const group *g) {
    if (memcmp(&h->kind, &g->kind, sizeof h->kind) != 0 || h->n != g->n || h->round < 0 ||
        h->round >= g->round)
        return 0;
    for (size_t i = 0; i < g->n; i++)
        if (g->member[i].client < 0 || g->member[i].client != h->member[i].client ||
            (i > 0 && g->member[i].client == g->member[i - 1].client))
            return 0;
    return 1;
}

static json_t *folders_of(const group *g) {
    json_t *list = json_array();
    for (size_t i = 0; i < g->n; i++)
        json_array_append_new(list, json_string(g->member[i].folder));
    return list;
}

/* Returns the captures of the same clients in the latest earlier rounds, earliest first. */
static json_t *history_of(const making *k, const group *g) {
    json_t *list = json_array();
    int64_t before = g->round;
    for (size_t n = 0; n < GNT_SUITE_HISTORY; n++) {
        const group *latest = NULL;
        for (size_t i = 0; i < k->n; i++)
            if (is_earlier(&k->group[i], g) && k->group[i].round < before &&
                (!latest || k->group[i].round > latest->round))
                latest = &k->group[i];
        if (!latest)
            break;
        json_array_insert_new(list, 0, folders_of(latest));
        before = latest->round;
    }
    return list;
}

/* ---- names of tasks ---- */

/* Copies the last part of a path as an id; that of the folder above, `up` levels. */
static void name_after(char id[GNT_SUITE_NAME], const char *path, int up) {
    const char *end = path + strlen(path), *from;
    enum { MOST = GNT_SUITE_NAME - 12 };
    size_t n = 0;
    for (;; up--) {
        for (from = end; from > path && from[-1] != '/'; from--)
            ;
        if (up == 0 || from <= path + 1)
            break;
        end = from - 1;
    }
    for (; from < end && n < MOST; from++) {
        const int good = isalnum((unsigned char)*from) || (n > 0 && (*from == '-' || *from == '_'));
        if (good || n > 0)
            id[n++] = good ? *from : '-';
    }
    snprintf(id + n, GNT_SUITE_NAME - n, "%s", n ? "" : "capture");
}

static int is_taken(const making *k, size_t i, const char *id) {
    for (size_t j = 0; j < i; j++)
        if (strcmp(k->group[j].id, id) == 0)
            return 1;
    return 0;
}

/* Names a task after its capture, or after the folder of several. */
static void name_tasks(making *k) {
    for (size_t i = 0; i < k->n; i++) {
        group *g = &k->group[i];
        char base[GNT_SUITE_NAME];
        name_after(base, g->member[0].folder, g->n > 1);
        snprintf(g->id, sizeof g->id, "%s", base);
        for (size_t n = 2; is_taken(k, i, g->id); n++)
            snprintf(g->id, sizeof g->id, "%.50s-%zu", base, n);
    }
}

/* ---- the defense ---- */

/* Returns the ids of an entry of "defenses", joined by '+'; the caller frees. */
static char *ids_of(const json_t *entry) {
    const json_t *ids = json_object_get(entry, "defense"), *one;
    size_t i;
    gnt_text joined;
    if (!json_is_array(ids))
        return gnt_strdup(json_string_value(ids) ? json_string_value(ids) : "");
    gnt_text_init(&joined, 1 << 16);
    json_array_foreach(ids, i, one)
        gnt_text_add(&joined, "%s%s", i ? "+" : "", json_string_value(one) ? json_string_value(one) : "");
    char *out = gnt_text_take(&joined);
    gnt_text_free(&joined);
    return out;
}

/* Refuses a defense that is not the one which a capture names. */
static int check_same(const making *k, const json_t *entry) {
    char *ids = ids_of(entry);
    int rc = ids ? 0 : gnt_fail(k->err, "out of memory");
    for (size_t i = 0; rc == 0 && i < k->n; i++)
        if (k->group[i].ids && strcmp(k->group[i].ids, ids) != 0)
            rc = gnt_fail(k->err,
                          "--defense says %s, but %s names the defense %s; expected that one, or --defense "
                          "captured",
                          *ids ? ids : "no plugin", k->group[i].first, k->group[i].ids);
    gnt_free(ids);
    return rc;
}

/* Adds the defense that a group's captures name, for its task alone. */
static int add_captured(const making *k, json_t *list, const group *g) {
    if (!g->defense)
        return gnt_fail(k->err,
                        "--defense captured: %s does not say whether there was a defense; name it as "
                        "--defense ID, or leave --defense out",
                        g->first);
    json_t *entry = json_deep_copy(g->defense);
    char label[GNT_SUITE_NAME + 1];
    const size_t n = json_array_size(list);
    snprintf(label, sizeof label, n ? "%.40s %zu" : "%.60s", g->ids, n + 1);
    int bad = !entry || json_object_set_new(entry, "tasks", json_pack("[s]", g->id)) != 0;
    if (!bad && k->n > 1)
        bad = json_object_set_new(entry, "label", json_string(label)) != 0;
    if (bad)
        json_decref(entry);
    return bad || json_array_append_new(list, entry) != 0 ? gnt_fail(k->err, "out of memory") : 0;
}

static json_t *defenses_of(const making *k) {
    const char *text = k->of->defense;
    json_t *list = json_array();
    int rc = list ? 0 : gnt_fail(k->err, "out of memory");
    if (rc == 0 && text && strcmp(text, "captured") == 0) {
        for (size_t i = 0; rc == 0 && i < k->n; i++)
            rc = add_captured(k, list, &k->group[i]);
    } else if (rc == 0) {
        json_t *entry = text ? cli_attack_defense(text, k->err)
                             : json_pack("{s:s, s:s}", "defense", "none", "label", "unknown");
        rc = entry ? text ? check_same(k, entry) : 0 : -1;
        if (entry && json_array_append_new(list, entry) != 0)
            rc = gnt_fail(k->err, "out of memory");
    }
    if (rc == 0)
        return list;
    json_decref(list);
    return NULL;
}

/* ---- the suite ---- */

static int add_rows(json_t *data, const char *text, const char *key, const char *option, gnt_err *err) {
    json_t *rows = text ? cli_attack_rows(text, option, err) : NULL;
    return !text ? 0 : rows && json_object_set_new(data, key, rows) == 0 ? 0 : -1;
}

static int add_tasks(const making *k, json_t *tasks, const json_t *data) {
    for (size_t i = 0; i < k->n; i++) {
        const group *g = &k->group[i];
        json_t *task = json_pack("{s:s, s:o}", "id", g->id, "captures", folders_of(g)),
               *history = history_of(k, g);
        int bad = !task || json_array_size(json_object_get(task, "captures")) != g->n;
        if (!bad && json_array_size(history) > 0)
            bad = json_object_set(task, "history", history) != 0;
        json_decref(history);
        if (!bad && k->of->defense)
            bad = json_object_set_new(task, "defense_known", json_true()) != 0;
        if (!bad && json_object_size(data) > 0)
            bad = json_object_set_new(task, "data", json_deep_copy(data)) != 0;
        if (bad)
            json_decref(task);
        if (bad || json_array_append_new(tasks, task) != 0)
            return gnt_fail(k->err, "%s: out of memory, or its path is not UTF-8", g->first);
    }
    return 0;
}

static int add_limits(const making *k, json_t *suite) {
    json_t *limits = json_object();
    int bad = !limits;
    if (!bad && k->of->seconds > 0)
        bad |= json_object_set_new(limits, "seconds", json_real(k->of->seconds)) != 0;
    if (!bad && k->of->memory_mb)
        bad |= json_object_set_new(limits, "memory_mb", json_integer((json_int_t)k->of->memory_mb)) != 0;
    if (!bad && json_object_size(limits) > 0)
        bad |= json_object_set(suite, "limits", limits) != 0;
    json_decref(limits);
    return bad ? gnt_fail(k->err, "out of memory for a suite") : 0;
}

static char *make_text(const making *k) {
    json_t *suite = NULL, *tasks = json_array(), *data = json_object(), *attacks = NULL, *defenses = NULL;
    char *text = NULL;
    int rc = add_rows(data, k->of->public_data, "public", "public", k->err) ||
                     add_rows(data, k->of->shadow, "shadow", "shadow", k->err) || add_tasks(k, tasks, data) ||
                     !(defenses = defenses_of(k)) ||
                     !(attacks = cli_attack_attacks(k->of->attacks ? k->of->attacks : "standard-1",
                                                    k->plugins, k->err))
                 ? -1
                 : 0;
    if (rc == 0)
        suite = json_pack("{s:s, s:s, s:I, s:O, s:O, s:O}", "suite", "attack", "title", "Attacks on captures",
                          "seed", (json_int_t)k->of->seed, "tasks", tasks, "defenses", defenses, "attacks",
                          attacks);
    if (rc == 0 && suite && add_limits(k, suite) == 0)
        text = gnt_json_readable(suite);
    if (rc == 0 && !text)
        gnt_fail(k->err, "out of memory for a suite");
    json_decref(suite);
    json_decref(tasks);
    json_decref(data);
    json_decref(attacks);
    json_decref(defenses);
    return text;
}

char *cli_attack_suite_text(const cli_attack_suite *of, const gnt_plugin_list *plugins, gnt_err *err) {
    making k = {.of = of, .plugins = plugins, .err = err, .group = gnt_array(of->n, sizeof *k.group)};
    int rc = k.group ? 0 : gnt_fail(err, "out of memory for %zu captures", of->n);
    for (size_t i = 0; rc == 0 && i < of->n; i++)
        rc = take_capture(&k, of->folder[i]);
    if (rc == 0)
        name_tasks(&k);
    char *text = rc == 0 ? make_text(&k) : NULL;
    for (size_t i = 0; i < k.n; i++) {
        for (size_t j = 0; j < k.group[i].n; j++)
            gnt_free(k.group[i].member[j].folder);
        gnt_free(k.group[i].member);
        json_decref(k.group[i].defense);
        gnt_free(k.group[i].ids);
    }
    gnt_free(k.group);
    return text;
}
