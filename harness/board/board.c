#include "board/arenas_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/report.h"

/* Returns "quick" of "results/quick/". */
static char *last_part(const char *folder) {
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && folder[begin - 1] != '/')
        begin--;
    return gnt_format("%.*s", (int)(end - begin), folder + begin);
}

static int load_run(const board *b, board_run *run, const gnt_board_source *source, gnt_err *err);

/* Loads the submission as a board of its own, of one run. */
static int load_submitted(board_run *run, gnt_err *err) {
    static const gnt_board_options no_options = {0};
    char *folder = gnt_format("%s/submitted", run->folder);
    board *alone = gnt_array(1, sizeof *alone);
    run->submitted = alone;
    run->submitted_folder = folder;
    if (alone)
        alone->run = gnt_array(1, sizeof *alone->run);
    if (!folder || !alone || !alone->run)
        return gnt_fail(err, "leaderboard: out of memory");
    alone->options = &no_options;
    gnt_text_init(&alone->notices, 1);
    const gnt_board_source source = {.folder = folder, .contributor = "the submission"};
    alone->n_run = 1;
    return load_run(alone, &alone->run[0], &source, err) || board_gather(alone, err) ? -1 : 0;
}

/* Reads a run; GNT_BOARD_UNREADABLE or −1 if it cannot be read. */
static int load_run(const board *b, board_run *run, const gnt_board_source *source, gnt_err *err) {
    char *results = gnt_format("%s/results.json", source->folder),
         *about = gnt_format("%s/board.json", source->folder);
    int rc = !results || !about ? gnt_fail(err, "leaderboard: out of memory")
             : gnt_results_load(&run->results, results, err) || gnt_board_about_load(&run->about, about, err)
                 ? GNT_BOARD_UNREADABLE
                 : 0;
    gnt_free(results);
    gnt_free(about);
    if (rc != 0)
        return rc;
    run->folder = source->folder;
    board_mark_unproven(run, source->checked);
    if (board_read_seal(run, err) != 0 || board_read_plugins(run, err) != 0 ||
        board_read_season(b, run, err) != 0 || (*run->season && load_submitted(run, err) != 0))
        return GNT_BOARD_UNREADABLE;
    run->contributor = source->contributor       ? gnt_strdup(source->contributor)
                       : *run->about.contributor ? gnt_strdup(run->about.contributor)
                       : run->submitted_as       ? gnt_strdup(run->submitted_as)
                                                 : last_part(source->folder);
    return run->contributor ? 0 : gnt_fail(err, "leaderboard: out of memory");
}

/* Makes a run's report. Its pictures are drawn again from the run's numbers: one that came with a folder
 * could show anything. */
static int make_report(board *b, size_t i, gnt_err *err) {
    char *folder = gnt_format("%s/reports/%zu", b->options->folder, i + 1);
    gnt_report_options options = {.folder = folder,
                                  .formats = b->options->plots ? GNT_FORMAT_SVG | GNT_FORMAT_PNG : 0};
    gnt_text said;
    gnt_text_init(&said, 1 << 20);
    int rc = !folder ? gnt_fail(err, "leaderboard: out of memory")
                     : gnt_report_make(b->run[i].folder, &options, &said, err);
    for (const char *line = gnt_text_get(&said); *line;) {
        const size_t n = strcspn(line, "\n");
        gnt_text_add(&b->notices, "run %zu: %.*s\n", i + 1, (int)n, line);
        line += n + (line[n] == '\n');
    }
    gnt_text_free(&said);
    gnt_free(folder);
    b->has_report[i] = rc == 0;
    return rc == 0 ? 0 : -1;
}

static void board_free(board *b) {
    board_free_groups(b);
    for (size_t i = 0; i < b->n_contest; i++)
        board_contest_free(&b->contest[i]);
    for (size_t i = 0; i < b->n_run; i++) {
        gnt_free(b->run[i].contributor);
        gnt_free(b->run[i].seal);
        json_decref(b->run[i].plugins);
        if (b->run[i].submitted)
            board_free(b->run[i].submitted);
        gnt_free(b->run[i].submitted);
        gnt_free(b->run[i].submitted_folder);
        gnt_free(b->run[i].submitted_as);
        gnt_arena_free(&b->run[i].season_memory);
        gnt_board_about_free(&b->run[i].about);
        gnt_results_free(&b->run[i].results);
    }
    gnt_doc_free(&b->mandatory);
    gnt_free(b->contest);
    gnt_free(b->run);
    gnt_free(b->threat);
    gnt_free(b->has_report);
    gnt_text_free(&b->notices);
}

int gnt_board_make(const gnt_board_options *options, gnt_text *notices, gnt_err *err) {
    board b = {.options = options, .title = options->title ? options->title : "Leaderboard"};
    int rc = 0;
    gnt_text_init(&b.notices, 1 << 20);
    b.run = gnt_array(options->n_source + 1, sizeof *b.run);
    b.has_report = gnt_array(options->n_source + 1, 1);
    if (!b.run || !b.has_report)
        rc = gnt_fail(err, "leaderboard: out of memory");
    if (rc == 0 && options->mandatory && gnt_board_mandatory_load(&b.mandatory, options->mandatory, err) != 0)
        rc = GNT_BOARD_UNREADABLE;
    for (size_t i = 0; rc == 0 && i < options->n_source; i++) {
        b.n_run = i + 1; /* before loading, so that what a failed load left is freed */
        rc = load_run(&b, &b.run[i], &options->source[i], err);
    }
    if (rc == 0 && board_check_chosen(&b, err) != 0)
        rc = GNT_BOARD_UNREADABLE;
    if (rc == 0)
        rc = gnt_make_dirs(options->folder, err) || board_find_contributors(&b, err) ||
                     board_gather(&b, err) || board_gather_groups(&b, err) || board_note_season(&b, err)
                 ? -1
                 : 0;
    for (size_t i = 0; rc == 0 && i < b.n_run; i++)
        rc = make_report(&b, i, err);
    if (rc == 0)
        rc = board_draw_groups(&b, err) ? -1 : 0;
    if (rc == 0)
        rc = board_write_files(&b, err) || board_write_page(&b, err) ? -1 : 0;
    if (notices)
        gnt_text_bytes(notices, gnt_text_get(&b.notices), b.notices.size);
    board_free(&b);
    return rc;
}
