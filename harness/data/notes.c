/* What a loader notes of the files that it read. */
#include "base/mem.h"
#include "data/source.h"

int data_note(data_notes *notes, const char *path, int part, int64_t records, int64_t official,
              gnt_err *err) {
    if (!notes || notes->n == DATA_NOTES)
        return 0;
    data_file_note *f = &notes->file[notes->n];
    f->path = gnt_strdup(path);
    if (!f->path)
        return gnt_fail(err, "%s: out of memory", path);
    f->part = part;
    f->records = records;
    f->official = official;
    notes->n++;
    return 0;
}

void data_notes_free(data_notes *notes) {
    for (int i = 0; i < notes->n; i++)
        gnt_free(notes->file[i].path);
    notes->n = 0;
}
