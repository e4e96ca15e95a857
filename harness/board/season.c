/* Runs of a season: `gauntlet accept` ran a submission again under a secret key, in a folder with
 * season.json, and kept what was submitted next to it. Those who make the board vouch for such folders by
 * giving the season's key; then the contributor is the one who signed the submission, and the submitted
 * numbers are compared with the run's. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "board/board_impl.h"

enum { MOST_BYTES = 1 << 16 };

#define SEASON_TEXT(key)                                                                                     \
    { GNT_FIELD(gnt_season_run, key, TEXT), .needed = 1 }
static const gnt_field strength_rows[] = {
    {GNT_FIELD(gnt_season_strengths, defense, TEXT), .needed = 1},
    {GNT_FIELD(gnt_season_strengths, submitted, REALS), .needed = 1},
    {GNT_FIELD(gnt_season_strengths, chosen, REALS), .needed = 1},
};
static const gnt_fields strength_fields = GNT_FIELDS_OF(gnt_season_strengths, strength_rows);
static const gnt_field rows[] = {
    {GNT_FIELD(gnt_season_run, format, INT), .least = 1, .most = 1, .needed = 1},
    SEASON_TEXT(key_sha256),
    SEASON_TEXT(name),
    SEASON_TEXT(signed_by),
    {GNT_FIELD(gnt_season_run, strengths, LIST), .group = &strength_fields, .optional = 1},
};
static const gnt_fields fields = GNT_FIELDS_OF(gnt_season_run, rows);

int gnt_season_run_write(const char *folder, const gnt_season_run *of, gnt_err *err) {
    char *path = gnt_format("%s/season.json", folder);
    json_t *json = gnt_fields_encode(&fields, of, GNT_FIELDS_ALL);
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
    const int rc =
        path && text ? gnt_file_write(path, text, strlen(text), err) : gnt_fail(err, "out of memory");
    json_decref(json);
    gnt_free(text);
    gnt_free(path);
    return rc;
}

/* ---- reading ---- */

static int is_hex(const char *text) {
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

/* Takes what season.json says over into the run. */
static int take(board_run *run, const gnt_season_run *of, const char *season, gnt_err *err) {
    if (!is_hex(of->key_sha256) || (*of->signed_by && !is_hex(of->signed_by)))
        return gnt_fail(err, "%s/season.json: key_sha256 and signed_by are not of 64 hexadecimal digits",
                        run->folder);
    if (strcmp(of->key_sha256, season) != 0)
        return gnt_fail(
            err,
            "%s/season.json: was run under another season's key, with the SHA-256 %s, not %s; give "
            "that key, or leave the run out",
            run->folder, of->key_sha256, season);
    memcpy(run->season, of->key_sha256, sizeof run->season);
    memset(run->key, 0, sizeof run->key);
    memcpy(run->key, of->signed_by, strlen(of->signed_by));
    gnt_free(run->seal);
    run->seal = *of->signed_by ? gnt_format("submission signed by %s", of->signed_by)
                               : gnt_strdup("unsigned submission");
    run->submitted_as = gnt_strdup(of->name);
    return run->seal && run->submitted_as ? 0 : gnt_fail(err, "leaderboard: out of memory");
}

static int read_file(board_run *run, const char *path, const char *season, gnt_err *err) {
    gnt_doc doc;
    gnt_season_run of;
    if (gnt_doc_load(&doc, path, MOST_BYTES, err) != 0)
        return -1;
    int rc = gnt_fields_decode(&fields, &of, doc.root, &run->season_memory, "season.json", err);
    rc = rc ? gnt_fail_in(err, "%s", run->folder) : take(run, &of, season, err);
    if (rc == 0)
        run->strengths = of.strengths;
    gnt_doc_free(&doc);
    return rc;
}

int board_read_season(const board *b, board_run *run, gnt_err *err) {
    char *path = b->options->season ? gnt_format("%s/season.json", run->folder) : NULL;
    if (b->options->season && !path)
        return gnt_fail(err, "leaderboard: out of memory");
    int rc = 0;
    if (path && gnt_file_exists(path))
        rc = read_file(run, path, b->options->season, err);
    gnt_free(path);
    return rc;
}

/* ---- comparing ---- */

static const board_run *run_of(const board *b, const board_place *p) {
    return p->worst ? &b->run[p->worst->run] : NULL;
}

int board_submitted(const board *b, const board_contest *c, const gnt_measure *m, uint32_t threat,
                    const board_place *p, gnt_stat *out) {
    const board *alone = run_of(b, p) ? run_of(b, p)->submitted : NULL;
    int found = 0;
    for (size_t i = 0; alone && i < alone->n_contest && !found; i++) {
        const board_contest *was = &alone->contest[i];
        if (was->stage != c->stage || strcmp(was->task, c->task) != 0)
            continue;
        board_place *places = gnt_array(was->n_row + 1, sizeof *places);
        const size_t n = places ? board_rank(was, m, threat, places) : 0;
        for (size_t k = 0; k < n && !found; k++)
            if (places[k].worst && strcmp(places[k].row->label, p->row->label) == 0) {
                *out = places[k].measured;
                found = 1;
            }
        gnt_free(places);
    }
    return found;
}

/* Returns 1 if the run surely leaks more than was submitted, −1 if less; 0: their intervals meet, or one is
 * unknown. */
static int differs(const gnt_measure *m, const gnt_stat *is, const gnt_stat *was) {
    if (!isfinite(is->low) || !isfinite(is->high) || !isfinite(was->low) || !isfinite(was->high) ||
        (is->low <= was->high && was->low <= is->high))
        return 0;
    return gnt_leaks_more(m, is->mean, was->mean) ? 1 : -1;
}

void board_say_submitted(const board *b, const board_contest *c, const gnt_measure *m, uint32_t threat,
                         const board_place *p, gnt_text *out) {
    gnt_stat was;
    const board_run *run = run_of(b, p);
    if (!run || !*run->season)
        return;
    if (!board_submitted(b, c, m, threat, p, &was)) {
        gnt_text_add(out, "no number was submitted");
        return;
    }
    const int more = differs(m, &p->measured, &was);
    gnt_text_add(out, "as submitted: ");
    gnt_measure_write(m, &was, out);
    if (more)
        gnt_text_add(out, "; it leaks %s than was submitted, by more than both intervals",
                     more > 0 ? "more" : "less");
}

static void say_reals(const gnt_reals *list, gnt_text *out) {
    char number[GNT_NUMBER_SIZE];
    for (size_t i = 0; i < list->n; i++)
        gnt_text_add(out, "%s%s", i ? ", " : "", gnt_number_text(list->at[i], number));
}

void board_say_strengths(const board *b, const board_place *p, gnt_text *out) {
    const board_run *run = run_of(b, p);
    for (size_t i = 0; run && i < run->strengths.n; i++) {
        const gnt_season_strengths *s = &run->strengths.at[i];
        if (strcmp(s->defense, p->row->label) != 0)
            continue;
        gnt_text_add(out, "%sstrengths chosen here: ", out->size ? "; " : "");
        say_reals(&s->chosen, out);
        gnt_text_add(out, " (submitted: ");
        say_reals(&s->submitted, out);
        gnt_text_add(out, ")");
    }
}

void board_say_draws(const board *b, const board_place *p, gnt_text *out) {
    const board_run *run = run_of(b, p);
    if (p->place.rank && run && !*run->season)
        gnt_text_add(out, "ranked on the submitter's own draws");
}

void board_say_other_file(const board *b, const board_place *p, gnt_text *out) {
    const board_run *run = run_of(b, p), *was = run && run->submitted ? &run->submitted->run[0] : NULL;
    const gnt_result_defense *of = was ? gnt_defense_of(&run->results, p->row->label) : NULL;
    for (size_t i = 0; of && i < of->members.n; i++) {
        const gnt_result_member *m = &of->members.at[i];
        const char *here = board_plugin_digest(run, m), *there = board_plugin_digest(was, m);
        if (strcmp(here, there) == 0)
            continue;
        gnt_text_add(out, "%s%s is %.12s here, ", out->size ? "; " : "", m->id, here);
        if (*there)
            gnt_text_add(out, "but the submission says that it ran %.12s", there);
        else
            gnt_text_add(out, "and the submission does not say which file it ran");
    }
}

/* Adds a line for a place whose numbers or files are not those that were submitted. */
static void note_place(board *b, const board_contest *c, const board_place *p) {
    gnt_stat was;
    gnt_text file;
    const board_run *run = run_of(b, p);
    if (!run || !*run->season)
        return;
    const char *defense = p->row->label;
    if (board_submitted(b, c, c->lead, c->threat[0], p, &was)) {
        const int more = differs(c->lead, &p->measured, &was);
        if (more) {
            gnt_text_add(&b->notices,
                         "run %zu: %s in %s leaks %s than was submitted, by more than both intervals: ",
                         p->worst->run + 1, defense, c->task, more > 0 ? "more" : "less");
            gnt_measure_write(c->lead, &p->measured, &b->notices);
            gnt_text_add(&b->notices, " under the season's key, ");
            gnt_measure_write(c->lead, &was, &b->notices);
            gnt_text_add(&b->notices, " as submitted\n");
        }
    }
    gnt_text_init(&file, BOARD_MOST_SAID);
    board_say_other_file(b, p, &file);
    if (file.size)
        gnt_text_add(&b->notices, "run %zu: another plugin file than submitted: %s\n", p->worst->run + 1,
                     gnt_text_get(&file));
    gnt_text_free(&file);
}

int board_note_season(board *b, gnt_err *err) {
    int failed = 0;
    for (size_t i = 0; i < b->n_contest; i++) {
        const board_contest *c = &b->contest[i];
        board_place *places = gnt_array(c->n_row + 1, sizeof *places);
        const size_t n = places && c->lead ? board_rank(c, c->lead, c->threat[0], places) : 0;
        for (size_t k = 0; k < n; k++)
            note_place(b, c, &places[k]);
        failed |= !places;
        gnt_free(places);
    }
    return failed ? gnt_fail(err, "leaderboard: out of memory") : 0;
}
