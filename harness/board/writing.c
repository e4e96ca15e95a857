/* Writes items of tables, and files. */
#include "base/file.h"
#include "base/mem.h"
#include "board/board_impl.h"

void board_item(gnt_table *t, gnt_text *text) {
    gnt_table_take(t, text);
    gnt_text_init(text, 1 << 20);
}

int board_write_text(const board *b, const char *name, gnt_text *text, gnt_err *err) {
    char *path = gnt_format("%s/%s", b->options->folder, name);
    const int failed = !path || text->failed ? gnt_fail(err, "%s: out of memory", name)
                                             : gnt_file_write(path, gnt_text_get(text), text->size, err);
    gnt_free(path);
    gnt_text_free(text);
    return failed;
}
