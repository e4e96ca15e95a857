#include "cli/season_run.h"

#include <stdio.h>
#include <string.h>

#include <sodium/utils.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "board/board.h"
#include "cli/env.h"
#include "cli/season_strengths.h"
#include "process/child.h"
#include "result/result.h"
#include "run/engine.h"
#include "seal/key.h"
#include "seal/seal.h"
#include "suite/plan.h"

enum { MOST_COPIED = 1 << 28, SHOWN_OF_DIGEST = 8, MOST_FOLDER_NAME = 80 };

static const char key_name[] = "season.key"; /* never written; the key is given to commands */

/* What a season's run is made of. */
typedef struct work {
    const cli_season_run *s;
    cli_env env;
    gnt_doc doc; /* the submission's suite.json, which becomes that of the run */
    char *scale;
    gnt_suite suite;
    gnt_plan plan;
    char signed_by[65]; /* "": unsigned */
    char *folder;
    gnt_season_strength_list strengths;
    gnt_arena memory; /* of the strengths */
} work;

/* ---- the suite ---- */

static int is_undefended(const gnt_suite_defense *d) {
    return strcmp(d->plugin, "none") == 0;
}

static int is_kept(const cli_season_run *s, const gnt_suite_defense *d) {
    int kept = s->n_defense == 0 || is_undefended(d);
    for (size_t i = 0; i < s->n_defense; i++)
        kept |= strcmp(s->defense[i], d->label) == 0;
    return kept;
}

/* Checks that each label given is that of a defense of the submission. */
static int check_labels(const work *w, gnt_err *err) {
    for (size_t i = 0; i < w->s->n_defense; i++) {
        size_t d = 0;
        while (d < w->suite.n_defenses && strcmp(w->suite.defense[d].label, w->s->defense[i]) != 0)
            d++;
        if (d == w->suite.n_defenses)
            return gnt_fail(err, "--defense: no defense of the submission has the label %s",
                            gnt_show_text(w->s->defense[i]).text);
    }
    return 0;
}

/* Parses the document as it now is. */
static int parse(work *w, gnt_err *err) {
    char *text = json_dumps(w->doc.root, JSON_INDENT(1));
    gnt_suite_free(&w->suite);
    const int rc = text ? gnt_suite_parse(&w->suite, w->doc.name, text, strlen(text), &w->env.suite, err)
                        : gnt_fail(err, "out of memory");
    gnt_free(text);
    return rc;
}

/* Takes away what is no part of a season's run: the submitter's key, and tables and checks, which name
 * defenses that may be left out. */
static int take_key_away(work *w, gnt_err *err) {
    static const char *const dropped[] = {"seed", "key_for", "tables", "check"};
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        json_object_del(w->doc.root, dropped[i]);
    return json_object_set_new(w->doc.root, "key_file", json_string(key_name)) == 0
               ? 0
               : gnt_fail(err, "out of memory");
}

/* Removes the entries of defenses that are not run. Entries of the list are those of the suite, in order. */
static void drop_defenses(work *w) {
    json_t *list = json_object_get(w->doc.root, "defenses");
    for (size_t d = w->suite.n_defenses; d-- > 0;)
        if (!is_kept(w->s, &w->suite.defense[d]))
            json_array_remove(list, d);
}

/* True if a value has the text "$name" in it. */
static int has_name(json_t *value, const char *name) {
    const char *key, *text = json_string_value(value);
    json_t *one;
    size_t i;
    int found = text && *text == '$' && strcmp(text + 1, name) == 0;
    json_object_foreach(value, key, one) found = found || has_name(one, name);
    json_array_foreach(value, i, one) found = found || has_name(one, name);
    return found;
}

/* Removes the values of scales that nothing names any more, which a suite may not have. */
static void drop_values(work *w) {
    const char *scale, *name;
    json_t *of, *value;
    void *next;
    json_object_foreach(json_object_get(w->doc.root, "scales"), scale, of) {
        json_t *set = json_object_get(of, "set");
        json_object_foreach_safe(set, next, name, value) {
            if (!has_name(w->doc.root, name))
                json_object_del(set, name);
        }
    }
}

/* Names what the run key is for: this suite with these plugin files of its defenses. So nobody learns
 * from the results of one submission which rounds another will be observed in, and the same submission
 * draws the same again. */
static int name_purpose(work *w, gnt_err *err) {
    char *canonical = gnt_json_canonical(w->doc.root), hex[GNT_HEX_SIZE];
    gnt_hasher h;
    if (!canonical)
        return gnt_fail(err, "out of memory");
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, canonical);
    for (size_t d = 0; d < w->suite.n_defenses; d++)
        for (size_t m = 0; is_kept(w->s, &w->suite.defense[d]) && m < w->suite.defense[d].n_members; m++)
            gnt_hasher_text(&h, w->suite.defense[d].member[m].info->digest);
    const gnt_digest digest = gnt_hasher_end(&h);
    gnt_digest_hex(&digest, hex);
    gnt_free(canonical);
    return json_object_set_new(w->doc.root, "key_for", json_string(hex)) == 0
               ? 0
               : gnt_fail(err, "out of memory");
}

static int make_suite(work *w, gnt_err *err) {
    return take_key_away(w, err) || parse(w, err) || check_labels(w, err) ||
                   (drop_defenses(w), drop_values(w), name_purpose(w, err)) || parse(w, err)
               ? -1
               : 0;
}

/* ---- the submission ---- */

static int read_scale(work *w, gnt_err *err) {
    gnt_result of;
    gnt_result_clear(&of);
    char *path = gnt_format("%s/results.json", w->s->submission);
    int rc = path ? gnt_result_load(&of, path, err) : gnt_fail(err, "out of memory");
    if (rc == 0 && of.scale && *of.scale->name) {
        w->scale = gnt_strdup(of.scale->name);
        rc = w->scale ? 0 : gnt_fail(err, "out of memory");
    }
    gnt_result_free(&of);
    gnt_free(path);
    return rc;
}

static int read_signer(work *w, gnt_err *err) {
    gnt_seal_key key;
    if (!gnt_seal_is_there(w->s->submission))
        return 0;
    if (gnt_seal_own_key(w->s->submission, &key, err) != 0)
        return -1;
    sodium_bin2hex(w->signed_by, sizeof w->signed_by, key.public, sizeof key.public);
    return 0;
}

/* Returns the last part of a path, without the slashes at its end. */
static char *name_of(const char *folder) {
    size_t end = strlen(folder), begin;
    while (end > 1 && folder[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && folder[begin - 1] != '/';)
        begin--;
    return gnt_format("%.*s", end - begin < MOST_FOLDER_NAME ? (int)(end - begin) : MOST_FOLDER_NAME,
                      folder + begin);
}

/* Names the run's folder: by the submission's, what its key is for, and who signed it. */
static int name_folder(work *w, gnt_err *err) {
    char hex[GNT_HEX_SIZE], *name = name_of(w->s->submission);
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, json_string_value(json_object_get(w->doc.root, "key_for")));
    gnt_hasher_text(&h, w->signed_by);
    const gnt_digest digest = gnt_hasher_end(&h);
    gnt_digest_hex(&digest, hex);
    w->folder = name ? gnt_format("%s/runs/%s-%.*s", w->s->board, name, SHOWN_OF_DIGEST, hex) : NULL;
    gnt_free(name);
    return w->folder ? gnt_make_dirs(w->folder, err) : gnt_fail(err, "out of memory");
}

/* ---- the strengths ---- */

/* Reads the suite with a key that is made for its development: nobody learns from it what the run draws. */
static int parse_for_development(work *w, gnt_err *err) {
    char hex[GNT_HEX_SIZE];
    json_t *purpose = json_incref(json_object_get(w->doc.root, "key_for"));
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, "development");
    gnt_hasher_text(&h, json_string_value(purpose));
    const gnt_digest digest = gnt_hasher_end(&h);
    gnt_digest_hex(&digest, hex);
    int rc = json_object_set_new(w->doc.root, "key_for", json_string(hex)) == 0
                 ? parse(w, err)
                 : gnt_fail(err, "out of memory");
    if (json_object_set_new(w->doc.root, "key_for", purpose) != 0)
        rc = gnt_fail(err, "out of memory");
    return rc;
}

static void print_reals(const gnt_reals *list) {
    char number[GNT_NUMBER_SIZE];
    for (size_t i = 0; i < list->n; i++)
        printf("%s%s", i ? ", " : "", gnt_number_text(list->at[i], number));
}

/* Puts the strengths into the suite's entries, which are those of its defenses, in order. */
static int write_strengths(work *w, gnt_err *err) {
    json_t *list = json_object_get(w->doc.root, "defenses");
    for (size_t d = 0, n = 0; d < w->suite.n_defenses; d++) {
        if (!w->suite.defense[d].match)
            continue;
        const gnt_season_strengths *s = &w->strengths.at[n++];
        json_t *chosen = json_array();
        int failed = !chosen;
        for (size_t i = 0; i < s->chosen.n; i++)
            failed |= json_array_append_new(chosen, json_real(s->chosen.at[i])) != 0;
        failed |= json_object_set_new(json_array_get(list, d), "match", chosen) != 0;
        if (failed)
            return gnt_fail(err, "out of memory");
        printf("strengths of %s: ", s->defense);
        print_reals(&s->chosen);
        printf(" (submitted: ");
        print_reals(&s->submitted);
        printf(")\n");
    }
    return 0;
}

/* Chooses strengths in the place of those that the submission lists. */
static cli_season_end choose_strengths(work *w, const gnt_run_options *run, gnt_err *err) {
    if (!cli_any_listed(&w->suite))
        return CLI_SEASON_DONE;
    gnt_run_options how = *run;
    int interrupted = 0, rc = parse_for_development(w, err);
    char *folder = gnt_format("%s/development", w->folder);
    how.folder = folder;
    if (rc == 0)
        rc = folder ? gnt_make_dirs(folder, err) : gnt_fail(err, "out of memory");
    if (rc == 0) {
        printf("under a development key: searches for strengths, in %s\n", folder);
        fflush(stdout);
        rc = cli_season_strengths(&w->strengths, &w->suite, &how, &w->memory, &interrupted, err);
    }
    gnt_free(folder);
    if (rc == 0 && interrupted)
        return CLI_SEASON_INTERRUPTED;
    return rc || write_strengths(w, err) || (drop_values(w), parse(w, err)) ? CLI_SEASON_FAILED
                                                                            : CLI_SEASON_DONE;
}

/* ---- what is kept of it ---- */

static int copy(const char *from, const char *to, const char *name, int needed, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    char *source = gnt_format("%s/%s", from, name), *target = gnt_format("%s/%s", to, name);
    int rc = source && target ? 0 : gnt_fail(err, "out of memory");
    if (rc == 0 && (needed || gnt_file_exists(source)))
        rc =
            gnt_file_read(source, MOST_COPIED, &bytes, &size, err) || gnt_file_write(target, bytes, size, err)
                ? -1
                : 0;
    gnt_free(bytes);
    gnt_free(source);
    gnt_free(target);
    return rc;
}

/* Keeps what was submitted, and who submitted it, in the folder of the run. */
static int keep_submission(const work *w, gnt_err *err) {
    const char *from = w->s->submission;
    char sha256[GNT_SHA256_HEX], *submitted = gnt_format("%s/submitted", w->folder), *name = name_of(from);
    const gnt_season_run of = {.format = 1,
                               .key_sha256 = sha256,
                               .name = name,
                               .signed_by = w->signed_by,
                               .strengths = w->strengths};
    const int rc =
        !submitted || !name ? gnt_fail(err, "out of memory")
        : gnt_season_key_sha256(w->s->key, sha256, err) || gnt_make_dirs(submitted, err) ||
                copy(from, submitted, "results.json", 1, err) || copy(from, submitted, "host.json", 0, err) ||
                copy(from, w->folder, "board.json", 0, err) || gnt_season_run_write(w->folder, &of, err)
            ? -1
            : 0;
    gnt_free(submitted);
    gnt_free(name);
    return rc;
}

/* ---- the run ---- */

static cli_season_end run_suite(work *w, gnt_err *err) {
    gnt_run_counts counts = {0};
    const gnt_run_options how = {
        .folder = w->folder, .data_folder = w->s->paths->data, .jobs = w->s->jobs, .sandbox = w->s->sandbox};
    gnt_interrupt_catch();
    const cli_season_end chosen = choose_strengths(w, &how, err);
    if (chosen != CLI_SEASON_DONE)
        return chosen;
    if (gnt_plan_make(&w->plan, &w->suite, err) != 0)
        return CLI_SEASON_FAILED;
    printf("under the season's key: %zu cells, in %s\n", w->plan.n, w->folder);
    fflush(stdout);
    if (gnt_run(&w->suite, &w->plan, &how, &counts, err) != 0)
        return CLI_SEASON_FAILED;
    if (counts.interrupted)
        return CLI_SEASON_INTERRUPTED;
    printf("under the season's key: %zu cells ok, %zu n/a, %zu without a result\n", counts.ok, counts.na,
           counts.failed + counts.crashed + counts.timeout);
    return keep_submission(w, err) ? CLI_SEASON_FAILED : CLI_SEASON_DONE;
}

cli_season_end cli_season_run_submission(const cli_season_run *s, char **folder, gnt_err *err) {
    work w = {.s = s};
    cli_paths paths = *s->paths;
    char *path = gnt_format("%s/suite.json", s->submission);
    paths.key = s->key;
    int rc = path ? cli_env_open(&w.env, &paths, &s->sandbox, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = read_scale(&w, err) || read_signer(&w, err) || gnt_doc_load(&w.doc, path, GNT_DOC_MOST, err) ? -1
                                                                                                          : 0;
    w.env.suite.scale = w.scale;
    if (rc == 0)
        rc = make_suite(&w, err) || name_folder(&w, err) ? -1 : 0;
    const cli_season_end end = rc == 0 ? run_suite(&w, err) : CLI_SEASON_FAILED;
    gnt_plan_free(&w.plan);
    gnt_suite_free(&w.suite);
    gnt_doc_free(&w.doc);
    gnt_arena_free(&w.memory);
    gnt_free(w.scale);
    cli_env_close(&w.env);
    gnt_free(path);
    *folder = w.folder;
    return end;
}
