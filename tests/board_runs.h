/* Made-up run folders for the leaderboard, and the places of its JSON. Included after cmocka.h. */
#ifndef TESTS_BOARD_RUNS_H
#define TESTS_BOARD_RUNS_H

#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/mem.h"
#include "board/board.h"
#include "schema.h"
#include "report_folder.h"
#include "result/result.h"
#include "check/check.h"

static inline size_t count_text(const char *text, const char *what) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

/* ---- made-up runs ---- */

/* One defense under one attack; low and high as the interval of a PSNR. */
typedef struct point {
    const char *defense, *mode, *attack, *grants, *status;
    double mean, low, high;
} point;

/* What else a point may say; {.stage = 7} and so on. */
typedef struct extra {
    int stage;         /* 0: 3 */
    const char *mark;  /* what the host found, or NULL */
    double identified; /* a rate; 0: none was measured */
    double utility;    /* of seed 1; 0: 0.8 */
} extra;

typedef struct made {
    const char *name, *suite_digest, *task_digest, *version, *measure;
    const point *point;
    size_t n;
    const extra *extra;  /* of each point, or NULL */
    double floor;        /* of the measure, "nearest_public"; 0: none */
    const char *facts;   /* members of the task's entry as JSON text without braces, or NULL */
    const char *utility; /* its measure; NULL: accuracy */
    double target;       /* utility; 0: not stated */
    /* the verdict, and its reason, of every matched defense whose label begins with '+'; the others are
     * "matched" */
    const char *verdict, *reason;
    const char *task; /* NULL: "t" */
} made;

static inline const char *task_of(const made *m) {
    return m->task ? m->task : "t";
}

enum { BOARD_SEEDS = 5 };

/* The number of a training run with seed 1 … BOARD_SEEDS, such that Student's interval over them is the
 * point's, and each defense goes up and down in its own way. */
static inline double of_training(const point *p, int seed) {
    static const int ways[][BOARD_SEEDS] = {
        {1, -1, 1, -1, 0}, {1, 1, -1, 0, -1}, {1, -1, 0, 1, -1}, {0, 1, 1, -1, -1}, {-1, 0, 1, 1, -1}};
    size_t way = 0;
    for (const char *at = p->defense; *at; at++)
        way = way * 31 + (size_t)*at;
    return p->mean + (p->high - p->low) / 2 * 0.8055 * ways[way % 5][seed - 1];
}

static inline gnt_stat interval(double mean, double low, double high) {
    return (gnt_stat){
        .mean = mean, .low = low, .high = high, .deviation = NAN, .worst = NAN, .median = NAN, .n = 8};
}

/* Seed 0: the group. A cell is granted what the point says, and the defense in any case. */
static inline json_t *outcome(const made *m, size_t at, int seed) {
    const point *p = &m->point[at];
    const extra more = m->extra ? m->extra[at] : (extra){.stage = 0};
    const char *measure = m->measure ? m->measure : "psnr";
    const double utility = more.utility != 0 ? more.utility : 0.8;
    const int is_ok = strcmp(p->status, "ok") == 0;
    uint32_t mode = GNT_ROW_MATCHED, status = 0;
    const gnt_named_stat stats[] = {
        {measure, interval(seed ? of_training(p, seed) : p->mean, p->low, p->high)},
        {"identification", interval(more.identified, more.identified - 0.1, more.identified + 0.1)}};
    gnt_named_floor floor = {measure, 0, {NAN, NAN, NAN, NAN}};
    const gnt_mark mark = {"not-reproducible", more.mark};
    const char *const grants[] = {"defense", p->grants};
    gnt_outcome o;
    gnt_word_bit(&gnt_row_mode_words, p->mode, &mode);
    assert_int_equal(gnt_word_bit(&gnt_status_words, p->status, &status), 0);
    floor.floor[GNT_FLOOR_NEAREST] = m->floor;
    gnt_fields_mark(&gnt_floor_fields, &floor, &floor.floor[GNT_FLOOR_NEAREST]);
    gnt_fields_clear(&gnt_cell_fields, &o);
    o.task = task_of(m);
    o.stage = more.stage ? more.stage : 3;
    o.defense = p->defense;
    o.attack = p->attack;
    o.mode = (gnt_row_mode)mode;
    o.status = (gnt_cell_status)status;
    o.matched = strcmp(p->mode, "matched") == 0 &&
                !(m->verdict && p->defense[0] == '+' && strcmp(m->verdict, "unmatched") == 0);
    o.seed = seed;
    o.n_cells = BOARD_SEEDS;
    o.n_ok = is_ok ? BOARD_SEEDS : 0;
    o.reason = is_ok ? gnt_no_text : "it broke";
    o.grants = (gnt_texts){grants, p->grants[0] ? 2 : 1};
    o.utility = (gnt_utility){.measure = m->utility ? m->utility : "accuracy",
                              .value = utility,
                              .low = utility - 0.01,
                              .high = utility + 0.01,
                              .none = NAN,
                              .error = 0.01};
    if (is_ok) {
        o.measures = (gnt_named_stats){stats, more.identified > 0 ? 2 : 1};
        o.floors = (gnt_named_floors){&floor, m->floor != 0};
    }
    if (more.mark)
        o.marks = (gnt_marks){&mark, 1};
    json_t *all = gnt_fields_encode(seed ? &gnt_cell_fields : &gnt_group_fields, &o, GNT_FIELDS_ALL);
    assert_non_null(all);
    return all;
}

/* An attack whose label has a colon is of the list before it. */
static inline void add_list(json_t *entry, const char *label) {
    const char *colon = strchr(label, ':');
    if (colon)
        json_object_set_new(entry, "list",
                            json_pack("{s:o, s:s, s:s}", "name", json_stringn(label, (size_t)(colon - label)),
                                      "digest", "0123456789abcdef", "status", "draft"));
}

/* An attack adapts to every defense: to the plugin, which goes by its label. A defense whose label begins
 * with "server" aggregates. */
static inline void add_entry(json_t *list, const char *label, const char *version, const made *m) {
    json_t *families = json_array();
    for (size_t i = 0; i < m->n; i++)
        json_array_append_new(families, json_string(m->point[i].defense));
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!strcmp(json_string_value(json_object_get(json_array_get(list, i), "label")), label))
            goto known;
    json_t *entry =
        json_pack("{s:s, s:s, s:[{s:s, s:s, s:[s], s:O, s:{}}]}", "label", label, "plugin", label, "members",
                  "id", label, "version", version, "flags", "randomised", "families", families, "params");
    const char *influence = strstr(label, " on influence");
    if (influence)
        json_object_set_new(entry, "influence_of", json_stringn(label, (size_t)(influence - label)));
    if (strncmp(label, "server", 6) == 0)
        json_object_set_new(json_array_get(json_object_get(entry, "members"), 0), "hooks",
                            json_pack("[s]", "aggregate"));
    add_list(entry, label);
    json_array_append_new(list, entry);
known:
    json_decref(families);
}

/* What follows the points: something undefended that the first point's attack recovers, where none is. */
static inline made with_undefended(const made *m, point *room, extra *more) {
    made all = *m;
    int any = 0;
    for (size_t i = 0; i < m->n; i++) {
        room[i] = m->point[i];
        more[i] = m->extra ? m->extra[i] : (extra){.stage = 0};
        any |= strcmp(m->point[i].status, "ok") == 0;
        if (strcmp(m->point[i].mode, "none") == 0)
            return *m;
    }
    if (!any)
        return *m;
    const int error = m->measure && strcmp(m->measure, "mse") == 0;
    room[m->n] = (point){"none", "none",         m->point[0].attack, m->point[0].grants,
                         "ok",   error ? 0 : 55, error ? 0 : 54,     error ? 0 : 56};
    more[m->n] = (extra){.stage = more[0].stage};
    all.point = room;
    all.extra = more;
    all.n = m->n + 1;
    return all;
}

/* The searches of a run that states its target. */
static inline json_t *matches_of(const made *m) {
    json_t *list = json_array();
    for (size_t i = 0; m->target > 0 && i < m->n; i++)
        if (strcmp(m->point[i].mode, "matched") == 0)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s*, s:f, s:f}", "task", task_of(m),
                                                  "defense", m->point[i].defense, "verdict",
                                                  m->point[i].defense[0] == '+' ? m->verdict : "matched",
                                                  "reason", m->point[i].defense[0] == '+' ? m->reason : NULL,
                                                  "target", m->target, "tolerance", 0.02));
    return list;
}

enum { MOST_POINTS = 32 };

static inline void write_run(const bench *b, const made *given) {
    point room[MOST_POINTS];
    extra more[MOST_POINTS];
    assert_true(given->n < MOST_POINTS);
    const made all_of_it = with_undefended(given, room, more), *m = &all_of_it;
    json_t *cells = json_array(), *groups = json_array(), *defenses = json_array(), *attacks = json_array();
    for (size_t i = 0; i < m->n; i++) {
        for (int seed = 1; seed <= BOARD_SEEDS; seed++)
            json_array_append_new(cells, outcome(m, i, seed));
        json_array_append_new(groups, outcome(m, i, 0));
        add_entry(defenses, m->point[i].defense, m->version ? m->version : "1", m);
        add_entry(attacks, m->point[i].attack, "1", m);
    }
    char *entry =
        gnt_format("{\"id\": \"%s\"%s%s}", task_of(m), m->facts ? ", " : "", m->facts ? m->facts : "");
    json_t *task = json_loads(entry, 0, NULL);
    gnt_free(entry);
    assert_non_null(task);
    if (m->task_digest)
        json_object_set_new(task, "digest", json_string(m->task_digest));
    json_t *all =
        json_pack("{s:i, s:s, s:s, s:s, s:[o], s:o, s:o, s:o, s:o, s:o}", "format", 1, "suite", "s", "title",
                  "A title", "suite_digest", m->suite_digest, "tasks", task, "defenses", defenses, "attacks",
                  attacks, "matches", matches_of(m), "cells", cells, "groups", groups);
    char folder[256], path[512], *text = json_dumps(all, JSON_INDENT(1));
    gnt_err err;
    snprintf(folder, sizeof folder, "%s/%s", b->folder, m->name);
    snprintf(path, sizeof path, "%s/results.json", folder);
    assert_non_null(text);
    assert_int_equal(gnt_make_dirs(folder, &err), 0);
    assert_int_equal(gnt_file_write(path, text, strlen(text), &err), 0);
    free(text);
    json_decref(all);
}

static inline void write_about(const bench *b, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s/board.json", b->folder, name);
    assert_int_equal(gnt_file_write(path, text, strlen(text), NULL), 0);
}

enum { MOST_RUNS = 4 };

/* A board of the named runs, "NAME" or "CONTRIBUTOR=NAME", into the folder `out`; its JSON. `checked` (may be
 * NULL) is of the last of them. */
/* The file of mandatory attacks that the next boards have; NULL: none. */
static const char *board_mandatory;
/* The SHA-256 of the season's key that they have; NULL: they are of no season. */
static const char *board_season;

/* The defenses that they are of; NULL: all. */
static const char *board_defenses;

/* Every leaderboard.json is of the schema. */
static inline void check_board_schema(json_t *all) {
    json_t *schema = json_load_file("docs/leaderboard.schema.json", JSON_REJECT_DUPLICATES, NULL);
    gnt_path where = {""};
    assert_non_null(schema);
    if (schema_check(schema, all, &where) != 0)
        fail_msg("%s is not of docs/leaderboard.schema.json", where.text);
    json_decref(schema);
}

static inline json_t *board_with(const bench *b, const char *out, const char *const *names, size_t n,
                                 const gnt_checked *checked) {
    gnt_board_source source[MOST_RUNS];
    char folder[MOST_RUNS][512], who[MOST_RUNS][128], to[256];
    gnt_err err = {""};
    assert_true(n <= MOST_RUNS);
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(names[i], '=');
        snprintf(who[i], sizeof who[i], "%.*s", equals ? (int)(equals - names[i]) : 0, names[i]);
        snprintf(folder[i], sizeof folder[i], "%s/%s", b->folder, equals ? equals + 1 : names[i]);
        source[i] = (gnt_board_source){.folder = folder[i], .contributor = equals ? who[i] : NULL};
    }
    source[n - 1].checked = checked;
    snprintf(to, sizeof to, "%s/%s", b->folder, out);
    gnt_board_options options = {.folder = to,
                                 .source = source,
                                 .n_source = n,
                                 .mandatory = board_mandatory,
                                 .season = board_season,
                                 .defenses = board_defenses};
    if (gnt_board_make(&options, NULL, &err) != 0)
        fail_msg("%s", err.text);
    char *text = read_text(to, "leaderboard.json", NULL);
    json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(all);
    gnt_free(text);
    check_board_schema(all);
    return all;
}

static inline json_t *board_of(const bench *b, const char *out, const char *const *names, size_t n) {
    return board_with(b, out, names, n, NULL);
}

/* The board's Markdown page has this text, and there is an HTML page. */
static inline void expect_page(const bench *b, const char *what) {
    char *page = read_text(b->folder, "out/leaderboard.md", NULL);
    if (!strstr(page, what))
        fail_msg("leaderboard.md lacks \"%s\":\n%.3000s", what, page);
    gnt_free(page);
    page = read_text(b->folder, "out/leaderboard.html", NULL);
    gnt_free(page);
}

static inline const char *word(const json_t *row, const char *key) {
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

/* The place of a defense in a section, against any attacker or one that knows `knows`. */
static inline const json_t *place(const json_t *all, int section, const char *knows, const char *defense) {
    const json_t *list = json_object_get(all, "places");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        const int any = !strcmp(word(row, "attacker"), "any");
        if (json_number_value(json_object_get(row, "section")) == section &&
            !strcmp(word(row, "defense"), defense) &&
            (knows ? !any && !strcmp(word(row, "attacker_knows"), knows) : any))
            return row;
    }
    fail_msg("no place of %s in section %d", defense, section);
    return NULL;
}

/* 0 for none. */
static inline int rank_of(const json_t *row) {
    return (int)json_number_value(json_object_get(row, "rank"));
}

static inline double measured(const json_t *row) {
    return json_number_value(json_object_get(row, "measured"));
}

#define MADE(run_name, points)                                                                               \
    .name = run_name, .suite_digest = "S", .point = points, .n = sizeof points / sizeof *points
#define RUN(run_name, points) write_run(b, &(made){MADE(run_name, points)})
#define BOARD(...)                                                                                           \
    board_of(b, "out", (const char *const[]){__VA_ARGS__},                                                   \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#endif
