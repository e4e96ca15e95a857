/* The words of results.json. */
#include <string.h>

#include "result/result.h"
#include "result/rows_impl.h"

static const gnt_word statuses[] = {{"ok", GNT_CELL_OK},           {"failed", GNT_CELL_FAILED},
                                    {"crashed", GNT_CELL_CRASHED}, {"timeout", GNT_CELL_TIMEOUT},
                                    {"n/a", GNT_CELL_NA},          {"unfinished", GNT_CELL_UNFINISHED}};
const gnt_words gnt_status_words = {statuses, COUNT(statuses)};

static const gnt_word modes[] = {{"none", GNT_ROW_NONE},
                                 {"matched", GNT_ROW_MATCHED},
                                 {"fixed", GNT_ROW_FIXED},
                                 {"sweep", GNT_ROW_SWEEP},
                                 {"as-is", GNT_ROW_AS_IS}};
const gnt_words gnt_row_mode_words = {modes, COUNT(modes)};

const char *gnt_status_name(gnt_cell_status status) {
    return gnt_word_name(&gnt_status_words, status);
}

const char *gnt_row_mode_name(gnt_row_mode mode) {
    return gnt_word_name(&gnt_row_mode_words, mode);
}

const char gnt_of_captures[] = "capture";

int gnt_result_is_of_captures(const gnt_result *r) {
    for (size_t i = 0; i < r->tasks.n; i++)
        if (r->tasks.at[i].captures)
            return 1;
    return r->run_class && strcmp(r->run_class, gnt_of_captures) == 0;
}

const char gnt_of_batch[] = "batch", gnt_of_all_rows[] = "all rows";

int gnt_is_of_all_rows(const gnt_outcome *o) {
    return o->scored_against && strcmp(o->scored_against, gnt_of_all_rows) == 0;
}
