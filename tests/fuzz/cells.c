/* From what a score left in the store to results.json: whatever the score's metadata say, the results can be
 * read again and reported. Input: the metadata of a cell's score, a line "%%", those of another seed's. */
#include <math.h>

#include "planned.h"
#include "report/report.h"
#include "run/run_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size};
    run_cell cell[2] = {{.strength = (double)NAN}, {.strength = (double)NAN}};
    run_search search = {.none = (double)NAN};
    gnt_arena memory = {0};
    gnt_err err = {0};
    fuzz_small();
    for (int i = 0; i < 2; i++) {
        fuzz_bytes text = fuzz_text(&all);
        cell[i].cell = &fuzz_small_plan.cell[i];
        cell[i].status = GNT_CELL_OK;
        json_t *score = json_loadb((const char *)text.at, text.left, JSON_REJECT_DUPLICATES, NULL);
        if (!score || gnt_fields_decode(&gnt_score_fields, &cell[i].found, score, &memory, "", NULL) != 0)
            gnt_fields_clear(&gnt_score_fields, &cell[i].found);
        json_decref(score);
        cell[i].utility = 0.5;
    }
    const gnt_run_options options = {.folder = fuzz_folder()};
    run_jobs none = {0};
    const run r = {.suite = &fuzz_small_suite,
                   .requests = {.suite = &fuzz_small_suite, .jobs = &none},
                   .plan = &fuzz_small_plan,
                   .options = &options,
                   .cell = cell,
                   .search = &search};
    MUST(run_write_results(&r, &err) == 0);
    const gnt_report_options plain = {.formats = 0};
    MUST(fuzz_ok(gnt_report_make(fuzz_folder(), &plain, NULL, &err), &err));
    gnt_arena_free(&memory);
    return 0;
}
