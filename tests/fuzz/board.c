/* The leaderboard of two runs. Input: results.json of the first, a line "%%", its board.json, a line "%%",
 * results.json of the second (none: the first again). */
#include "board/board.h"
#include "fuzz.h"
#include "check/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char one[512], two[512], to[512];
    fuzz_bytes all = {data, size}, first = fuzz_text(&all), about = fuzz_text(&all);
    gnt_text notices;
    gnt_err err = {0};
    fuzz_subfolder("one");
    fuzz_subfolder("two");
    fuzz_file("one/results.json", first);
    if (about.left)
        fuzz_file("one/board.json", about);
    else
        fuzz_no_file("one/board.json");
    fuzz_file("two/results.json", all.left ? all : first);
    static const gnt_checked unshown; /* of the second nothing was shown */
    const gnt_board_source source[] = {
        {.folder = fuzz_path(one, "one")},
        {.folder = fuzz_path(two, "two"), .contributor = "somebody", .checked = &unshown}};
    const gnt_board_options options = {.folder = fuzz_path(to, "board"), .source = source, .n_source = 2};
    gnt_text_init(&notices, 1 << 20);
    int rc = gnt_board_make(&options, &notices, &err);
    if (rc != GNT_BOARD_UNREADABLE)
        MUST(rc == 0);
    fuzz_ok(rc, &err);
    gnt_text_free(&notices);
    return 0;
}
