/* gauntlet accept: checks a third-party run and its signature, reruns some of its cells, under the key of a
 * season also all of it, and ranks it with the earlier runs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium/randombytes.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/deciding.h"
#include "cli/consistency.h"
#include "cli/run_suite.h"
#include "cli/make_board.h"
#include "cli/sandbox_options.h"
#include "cli/season_run.h"
#include "cli/env.h"
#include "finished/audit.h"
#include "process/child.h"
#include "seal/seal.h"

typedef struct options {
    const char *run, *board, *public, *title, *mandatory;
    cli_season_run season; /* season.key NULL: the run is ranked as it is */
    char **earlier;
    size_t n_earlier;
    int no_plots, no_audit;
    cli_paths paths;
    gnt_audit_options audit;
} options;

static int add_defense(void *to, char *label) {
    cli_season_run *season = to;
    if (season->n_defense == CLI_MOST_LABELS) {
        fprintf(stderr, "gauntlet accept: --defense is given more than %d times\n", CLI_MOST_LABELS);
        return -1;
    }
    season->defense[season->n_defense++] = label;
    return 0;
}

static int read_options(int argc, char **argv, options *o) {
    gnt_sandbox_options sandbox = {0};
    uint64_t cells = 3, jobs = (uint64_t)cli_processors(), seed = randombytes_random();
    const cli_option known[] = {
        {.name = "board", .kind = CLI_INTO, .to = &o->board},
        {.name = "audit", .kind = CLI_WHOLE, .to = &cells, .most = GNT_SUITE_MOST_CELLS},
        {.name = "no-audit", .kind = CLI_FLAG, .to = &o->no_audit},
        {.name = "public", .kind = CLI_TEXT, .to = &o->public},
        {.name = "seed", .kind = CLI_WHOLE, .to = &seed, .most = 0x1p64},
        {.name = "title", .kind = CLI_TEXT, .to = &o->title},
        {.name = "mandatory", .kind = CLI_TEXT, .to = &o->mandatory},
        {.name = "no-plots", .kind = CLI_FLAG, .to = &o->no_plots},
        {.name = "jobs", .kind = CLI_WHOLE, .to = &jobs, .least = 1, .most = CLI_MOST_JOBS},
        CLI_PATHS(&o->paths),
        CLI_KEY(&o->paths),
        CLI_SEASON_KEY(&o->season.key),
        {.name = "defense", .kind = CLI_READ, .to = &o->season, .read = add_defense},
        CLI_SANDBOX(&sandbox),
        {0}};
    const cli_command command = {.name = "accept", .options = known};
    cli_words words;
    *o = (options){.paths.data = cli_data_folder()};
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n < 1)
        return cli_wrong(&command, "expected a run folder, then those of earlier runs");
    if (!o->board)
        return cli_wrong(&command, "expected --board DIR, the folder of the leaderboard");
    if (o->season.n_defense && !o->season.key)
        return cli_wrong(&command, "--defense goes with --season-key");
    if (o->no_audit && !o->season.key)
        return cli_wrong(&command, "--no-audit goes with --season-key: otherwise nothing would be run");
    if (words.n > GNT_BOARD_MOST_RUNS)
        return cli_wrong(&command, "there are more runs than a leaderboard can have");
    for (int i = 0; i < words.n; i++) /* before anything is run again */
        if (!cli_is_folder(words.word[i]))
            return cli_wrong(&command, "%.200s is not a folder; expected that of a run", words.word[i]);
    if (o->mandatory && !gnt_file_exists(o->mandatory))
        return cli_wrong(&command, "--mandatory: there is no file %.200s", o->mandatory);
    o->run = words.word[0];
    o->earlier = words.word + 1;
    o->n_earlier = (size_t)words.n - 1;
    o->audit = (gnt_audit_options){.folder = o->run,
                                   .data_folder = o->paths.data,
                                   .cells = (size_t)cells,
                                   .jobs = (int)jobs,
                                   .seed = seed,
                                   .sandbox = sandbox};
    o->season.submission = o->run;
    o->season.board = o->board;
    o->season.paths = &o->paths;
    o->season.jobs = (int)jobs;
    o->season.sandbox = sandbox;
    return CLI_GO_ON;
}

static int refuse(const char *why) {
    printf("refused: %s\n", why);
    return GNT_EXIT_FAILED;
}

/* ---- the file, the signature ---- */

static int check_results(const options *o, size_t *n_cells) {
    cli_env w;
    gnt_checked checked;
    gnt_err err = {""};
    cli_consistency_env(&w, &o->paths, &o->audit.sandbox, "accept");
    const int rc = cli_consistency_folder(&checked, o->run, &w, "accept", &err);
    cli_env_close(&w);
    if (rc != 0)
        return refuse(err.text);
    *n_cells = checked.n_cells;
    gnt_checked_free(&checked);
    puts("results.json is consistent with its targets and its suite, except for the notes");
    return GNT_EXIT_OK;
}

static void name_difference(void *user, const gnt_seal_difference *d) {
    gnt_text *out = user;
    gnt_text_add(out, "%s", out->size ? ", " : "");
    gnt_json_add_text(out, d->path);
}

static int check_seal(const options *o) {
    gnt_seal_key key;
    gnt_seal_verdict verdict = GNT_SEAL_VALID;
    gnt_err err = {""};
    gnt_text differs;
    size_t n = 0;
    if (o->public && gnt_seal_key_read_public(o->public, &key, &err) != 0)
        return cli_error("accept", &err, GNT_EXIT_WRONG);
    if (!gnt_seal_is_there(o->run)) {
        if (o->public)
            return refuse("there is no signature.json");
        puts("unsigned");
        return GNT_EXIT_OK;
    }
    gnt_text_init(&differs, 1200);
    int rc = o->public ? 0 : gnt_seal_own_key(o->run, &key, &err);
    if (rc == 0)
        rc = gnt_seal_verify(o->run, &key, &verdict, &n, name_difference, &differs, &err);
    if (rc == 0 && verdict != GNT_SEAL_VALID)
        rc = verdict == GNT_SEAL_OTHER_KEY ? gnt_fail(&err, "it is not signed with the key %s", o->public)
             : verdict == GNT_SEAL_FORGED
                 ? gnt_fail(&err, "signature.json: its list of files was changed after it was signed")
                 : gnt_fail(&err, "it was changed after it was signed: %s",
                            differs.failed ? "many files" : gnt_text_get(&differs));
    gnt_text_free(&differs);
    if (rc != 0)
        return refuse(err.text);
    printf("%zu files are unchanged since they were signed\n", n);
    return GNT_EXIT_OK;
}

/* ---- the audit ---- */

static void say(void *user, const char *line) {
    (void)user;
    puts(line);
    fflush(stdout);
}

static int audit(options *o, size_t n_cells) {
    cli_run_suite stored;
    gnt_audit_counts counts = {0};
    gnt_err err = {""};
    const cli_also also = {o->audit.seed, o->mandatory};
    uint8_t *named = cli_deciding(o->run, n_cells, &also, &err);
    int rc = named ? cli_run_suite_open(&stored, o->run, &o->paths, &o->audit.sandbox, &err) : -1;
    if (rc == 0 && stored.plan.n != n_cells) /* flags are indexed by the cells of results.json */
        rc = gnt_fail(&err, "its suite has a different plan here");
    if (rc == 0) {
        printf("audit: the deciding cells, one of each defense, attack and round, and %zu more, with --seed "
               "%" PRIu64 "\n",
               o->audit.cells, o->audit.seed);
        gnt_interrupt_catch();
        o->audit.named = named;
        rc = gnt_audit(&stored.suite, &stored.plan, &o->audit, &counts, say, NULL, &err);
    }
    if (named)
        cli_run_suite_close(&stored);
    gnt_free(named);
    if (rc != 0) {
        gnt_fail_in(&err, "it cannot be audited");
        return refuse(err.text);
    }
    if (counts.interrupted)
        return GNT_EXIT_INTERRUPTED;
    if (counts.pictures_different) {
        gnt_fail(&err, "%zu of %zu pictures do not show what their targets say", counts.pictures_different,
                 counts.pictures);
        return refuse(err.text);
    }
    if (counts.plugins_different)
        gnt_fail(&err,
                 "the run gives another version, or other hooks, families or flags, of %zu plugin%s than "
                 "%s here; run its suite with the plugins that are here",
                 counts.plugins_different, counts.plugins_different == 1 ? "" : "s",
                 counts.plugins_different == 1 ? "it has" : "they have");
    else
        gnt_fail(&err, "%zu of %zu cells differ, %zu of %zu training runs on public data alone",
                 counts.different, counts.chosen, counts.controls_different, counts.controls);
    return counts.different || counts.controls_different || counts.plugins_different ? refuse(err.text)
                                                                                     : GNT_EXIT_OK;
}

/* ---- the run under the season's key ---- */

/* Runs the submission again, and fills the folder of that run; the run itself where there is no season. */
static int run_in_season(const options *o, char **folder) {
    gnt_err err = {""};
    *folder = NULL;
    if (!o->season.key)
        return (*folder = gnt_strdup(o->run)) ? GNT_EXIT_OK : cli_error("accept", &err, GNT_EXIT_FAILED);
    switch (cli_season_run_submission(&o->season, folder, &err)) {
    case CLI_SEASON_INTERRUPTED:
        puts("Interrupted: the same command continues from here.");
        return GNT_EXIT_INTERRUPTED;
    case CLI_SEASON_FAILED:
        gnt_fail_in(&err, "it cannot be run under the season's key");
        return refuse(err.text);
    case CLI_SEASON_DONE:
        break;
    }
    return GNT_EXIT_OK;
}

/* ---- the board ---- */

static int make_board(const options *o, const char *ranked) {
    gnt_board_source sources[GNT_BOARD_MOST_RUNS];
    gnt_board_options board = {.folder = o->board,
                               .title = o->title,
                               .source = sources,
                               .mandatory = o->mandatory,
                               .plots = !o->no_plots};
    for (size_t i = 0; i < o->n_earlier; i++)
        sources[board.n_source++] = (gnt_board_source){.folder = o->earlier[i]};
    sources[board.n_source++] = (gnt_board_source){.folder = ranked};
    return cli_make_board(&board, sources, &o->paths, o->season.key, &o->audit.sandbox, "accept");
}

int gnt_cmd_accept(int argc, char **argv) {
    options o;
    size_t n_cells = 0;
    char *ranked = NULL;
    gnt_sandbox_report sandbox_here;
    int code = read_options(argc, argv, &o);
    if (code != CLI_GO_ON)
        return code;
    if (cli_sandbox_check("accept", &o.audit.sandbox, 1, &sandbox_here) != 0)
        return GNT_EXIT_WRONG;
    code = check_results(&o, &n_cells);
    if (code == GNT_EXIT_OK)
        code = check_seal(&o);
    if (code == GNT_EXIT_OK && !o.no_audit)
        code = audit(&o, n_cells);
    if (code == GNT_EXIT_OK)
        code = run_in_season(&o, &ranked);
    if (code == GNT_EXIT_OK)
        code = make_board(&o, ranked);
    gnt_free(ranked);
    if (code == GNT_EXIT_OK)
        puts("accepted");
    return code;
}
