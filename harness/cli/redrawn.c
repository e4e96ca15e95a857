#include "cli/redrawn.h"

#include <stdio.h>

#include "base/mem.h"
#include "gate/gate.h"

int cli_compare_redrawn(void *user, const char *fresh_folder, gnt_err *err) {
    cli_redrawn *l = user;
    gnt_results was = {0}, is = {0};
    gnt_gate gate = {0};
    gnt_text lines;
    char *old = gnt_format("%s/results.json", l->folder),
         *fresh = gnt_format("%s/results.json", fresh_folder);
    gnt_text_init(&lines, (size_t)1 << 30);
    int rc = old && fresh ? 0 : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = gnt_results_load(&was, old, err) || gnt_results_load(&is, fresh, err) ||
                     gnt_gate_make_redrawn(&gate, &is, "what was run again", &was, old, err)
                 ? -1
                 : 0;
    if (rc == 0) {
        l->different = gnt_gate_write_redrawn(&gate, &lines);
        fputs(gnt_text_get(&lines), stdout);
    }
    gnt_text_free(&lines);
    gnt_gate_free(&gate);
    gnt_results_free(&was);
    gnt_results_free(&is);
    gnt_free(old);
    gnt_free(fresh);
    return rc;
}
