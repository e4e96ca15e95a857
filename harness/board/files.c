/* leaderboard.csv, the same packed, leaderboard.json and leaderboard.md: the files next to the page. */
#include "base/file.h"
#include "base/mem.h"
#include "board/arenas_impl.h"
#include "gzip/gzip.h"

enum { MOST_TEXT = 64 << 20 };

static int write_json(const board *b, gnt_err *err) {
    static const struct {
        const char *name;
        void (*fill)(const board *, gnt_table *);
    } parts[] = {{"runs", board_table_runs},
                 {"places", board_table_rows},
                 {"pairs", board_table_pairs},
                 {"history", board_table_history},
                 {"plugins", board_table_plugins}};
    gnt_text text;
    gnt_text_init(&text, MOST_TEXT);
    gnt_text_add(&text, "{\"format\": 1,\n\"title\": ");
    gnt_json_add_text(&text, b->title);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        gnt_table t;
        parts[i].fill(b, &t);
        gnt_text_add(&text, ",\n\"%s\": ", parts[i].name);
        gnt_table_json(&t, &text);
        gnt_table_free(&t);
    }
    gnt_text_add(&text, "}\n");
    return board_write_text(b, "leaderboard.json", &text, err);
}

static int write_packed(const board *b, const gnt_text *text, gnt_err *err) {
    char *path = gnt_format("%s/leaderboard.csv.gz", b->options->folder);
    uint8_t *packed = NULL;
    size_t n = 0;
    int rc = !path || text->failed ? gnt_fail(err, "leaderboard.csv.gz: out of memory")
                                   : gnt_gzip("leaderboard.csv", (const uint8_t *)gnt_text_get(text),
                                              text->size, &packed, &n, err);
    if (rc == 0)
        rc = gnt_file_write(path, packed, n, err);
    gnt_free(packed);
    gnt_free(path);
    return rc;
}

static int write_csv(const board *b, gnt_err *err) {
    gnt_text text;
    gnt_table t;
    gnt_text_init(&text, MOST_TEXT);
    board_table_rows(b, &t);
    gnt_table_csv(&t, &text);
    gnt_table_free(&t);
    const int rc = write_packed(b, &text, err);
    return board_write_text(b, "leaderboard.csv", &text, err) || rc ? -1 : 0;
}

int board_write_files(const board *b, gnt_err *err) {
    return write_csv(b, err) || write_json(b, err) || board_write_markdown(b, err) ? -1 : 0;
}
