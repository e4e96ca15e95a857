/* Results of a made-up run, from lines of entries, and what a ranking of them has to say. */
#ifndef GNT_TESTS_RANKED_ENTRIES_H
#define GNT_TESTS_RANKED_ENTRIES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "report/report_impl.h"
#include "judge/ranking.h"

enum { SEEDS = 5 };

/* A defense under an attack: of the group, and of a cell of each seed. */
typedef struct entry {
    const char *defense, *mode, *status;
    int stage;
    double psnr, identified, utility;
    const char *mark;   /* or NULL */
    const char *attack; /* NULL: "a" */
    /* how far the seeds of this entry alone go up and down; all entries share another scatter */
    double scatter;
    double strength; /* 0: null */
    double chance;   /* of identification; 0: not stated */
} entry;

#define ROW(d, m, s, at, p, i, u)                                                                            \
    { .defense = d, .mode = m, .status = s, .stage = at, .psnr = p, .identified = i, .utility = u }
#define ROW_WITH(d, m, s, at, p, i, u, more)                                                                 \
    { .defense = d, .mode = m, .status = s, .stage = at, .psnr = p, .identified = i, .utility = u, more }

/* What a run states in addition to its entries. */
typedef struct setting {
    const char *facts;    /* members of the task's entry */
    const char *measure;  /* in place of "psnr" */
    const char *families; /* of every defense */
    const char *knows;    /* families of every attack */
    const char *grants;
    int seeds;
    double target;                /* the utility that defenses are matched to; 0: not stated */
    const char *const *saturated; /* labels, NULL behind them; or NULL */
    const char *hooks;            /* of every defense; NULL: the run does not say */
} setting;

static const setting usual = {"", "psnr", "\"noise\"", "\"noise\"", "\"defense\"", SEEDS, 0, NULL, NULL};

static inline void add_numbers(gnt_text *t, const entry *e, const setting *s, double value) {
    gnt_text_add(t,
                 ", \"measures\": {\"%s\": {\"mean\": %g, \"low\": %g, \"high\": %g}, \"identification\": "
                 "{\"mean\": %g, \"low\": %g, \"high\": %g}}, \"floors\": {\"psnr\": {\"mean_image\": 11, "
                 "\"nearest_public\": 13}}",
                 s->measure, value, value - 1, value + 1, e->identified, e->identified - 0.05,
                 e->identified + 0.05);
}

/* seed 0: the group. */
static inline void add_outcome(gnt_text *t, const entry *e, const setting *s, int seed) {
    static const double shared[SEEDS] = {0.3, -0.5, 0.4, 0.1, -0.3}, own[SEEDS] = {1, -1, 1, -1, 0};
    const double moved = seed ? shared[seed - 1] + e->scatter * own[seed - 1] : 0;
    gnt_text_add(
        t,
        "%s{\"task\": \"t\", \"stage\": %d, \"defense\": \"%s\", \"attack\": \"%s\", \"mode\": \"%s\", "
        "\"matched\": %s, \"status\": \"%s\", \"seed\": %d, \"grants\": [%s], \"utility\": {\"measure\": "
        "\"accuracy\", \"value\": %g, \"standard_error\": 0.01}",
        t->size && gnt_text_get(t)[t->size - 1] == '}' ? ", " : "", e->stage, e->defense,
        e->attack ? e->attack : "a", e->mode, strcmp(e->mode, "matched") ? "false" : "true", e->status, seed,
        s->grants, e->utility);
    if (e->strength > 0)
        gnt_text_add(t, ", \"strength\": %g", e->strength);
    if (!strcmp(e->status, "ok"))
        add_numbers(t, e, s, strcmp(s->measure, "mse") ? e->psnr + moved : e->psnr * (1 + moved / 10));
    if (e->chance > 0)
        gnt_text_add(t, ", \"chance\": {\"identification\": %g}", e->chance);
    if (seed && e->mark)
        gnt_text_add(t, ", \"marks\": [{\"what\": \"acts-otherwise\", \"says\": \"%s\"}]", e->mark);
    gnt_text_add(t, "}");
}

/* Each label once. */
static inline void add_plugins(gnt_text *t, const entry *e, size_t n, const setting *s, int defenses) {
    int any = 0;
    for (size_t i = 0; i < n; i++) {
        const char *label = defenses ? e[i].defense : e[i].attack ? e[i].attack : "a";
        int stated = 0;
        for (size_t k = 0; k < i && !stated; k++)
            stated = !strcmp(label, defenses ? e[k].defense : e[k].attack ? e[k].attack : "a");
        if (stated)
            continue;
        const char *influence = defenses ? NULL : strstr(label, " on influence");
        gnt_text_add(t, "%s{\"label\": \"%s\", ", any++ ? ", " : "", label);
        if (influence)
            gnt_text_add(t, "\"influence_of\": \"%.*s\", ", (int)(influence - label), label);
        gnt_text_add(t, "\"members\": [{\"id\": \"%s\", %s%s%s\"families\": [%s]}]}", label,
                     defenses && s->hooks ? "\"hooks\": [" : "", defenses && s->hooks ? s->hooks : "",
                     defenses && s->hooks ? "], " : "", defenses ? s->families : s->knows);
    }
}

static inline char *results_of(const entry *e, size_t n, const setting *s) {
    gnt_text t;
    gnt_text_init(&t, 1 << 20);
    gnt_text_add(&t, "{\"format\": 1, \"suite\": \"s\", \"tasks\": [{\"id\": \"t\"%s%s}], \"defenses\": [",
                 *s->facts ? ", " : "", s->facts);
    add_plugins(&t, e, n, s, 1);
    gnt_text_add(&t, "], \"attacks\": [");
    add_plugins(&t, e, n, s, 0);
    gnt_text_add(&t, "], \"matches\": [");
    if (s->target > 0)
        gnt_text_add(&t,
                     "{\"task\": \"t\", \"defense\": \"%s\", \"verdict\": \"matched\", \"target\": %g, "
                     "\"tolerance\": 0.04}",
                     e[0].defense, s->target);
    for (const char *const *label = s->saturated; label && *label; label++)
        gnt_text_add(&t,
                     ", {\"task\": \"t\", \"defense\": \"%s\", \"verdict\": \"saturated\", \"target\": "
                     "%g, \"tolerance\": 0.04}",
                     *label, s->target);
    gnt_text_add(&t, "], \"cells\": [");
    for (size_t i = 0; i < n; i++)
        for (int seed = 1; seed <= s->seeds; seed++)
            add_outcome(&t, &e[i], s, seed);
    gnt_text_add(&t, "], \"groups\": [");
    for (size_t i = 0; i < n; i++)
        add_outcome(&t, &e[i], s, 0);
    gnt_text_add(&t, "]}");
    char *text = gnt_strdup(gnt_text_get(&t));
    gnt_text_free(&t);
    return text;
}

static inline void parse_entries(gnt_results *r, const entry *e, size_t n, const setting *s) {
    gnt_err err = {""};
    char *text = results_of(e, n, s);
    if (gnt_results_parse(r, "results.json", text, strlen(text), &err))
        fail_msg("%s", err.text);
    gnt_free(text);
}

#define PARSE(r, entries, setting) parse_entries(r, entries, sizeof entries / sizeof *entries, setting)

static inline gnt_ranking rank_of(const gnt_results *r, int64_t stage, const char *measure, size_t n) {
    gnt_ranking ranking;
    assert_int_equal(gnt_rank(&ranking, r, "t", stage, gnt_measure_find(measure)), 0);
    assert_int_equal(ranking.n, n);
    return ranking;
}

static inline void expect_row(const gnt_ranking *ranking, size_t i, const char *defense, gnt_rank_state state,
                              int rank, int tied) {
    assert_string_equal(ranking->row[i].defense, defense);
    assert_int_equal(ranking->row[i].state, state);
    assert_int_equal(ranking->row[i].place.rank, rank);
    assert_int_equal(ranking->row[i].place.tied, tied);
}

static inline void expect_said(const gnt_results *r, int64_t stage, const char *sentence) {
    gnt_text said;
    gnt_text_init(&said, 4096);
    gnt_report_sentence(r, "t", stage, gnt_measure_find("psnr"), &said);
    assert_string_equal(gnt_text_get(&said), sentence);
    gnt_text_free(&said);
}

#endif
