#include "cluster/script.h"

#include <string.h>

static void add_word(gnt_text *to, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:@,+%";
    if (*word && strspn(word, plain) == strlen(word)) {
        gnt_text_add(to, "%s", word);
        return;
    }
    gnt_text_add(to, "'");
    for (; *word; word++)
        if (*word == '\'')
            gnt_text_add(to, "'\\''");
        else
            gnt_text_bytes(to, word, 1);
    gnt_text_add(to, "'");
}

void gnt_shell_words(gnt_text *to, const char *const *argv) {
    for (size_t i = 0; argv[i]; i++) {
        gnt_text_add(to, "%s", i ? " " : "");
        add_word(to, argv[i]);
    }
}

void gnt_slurm_script(gnt_text *to, const char *program, const char *const *run, const char *last) {
    const char *const first[] = {program, "run", NULL};
    gnt_text_add(to, "#!/bin/sh\n# Written by `gauntlet slurm`, and overwritten by the next one.\n"
                     "limit=0\n"
                     "stop() { kill -TERM \"$run\" 2>/dev/null; }\n"
                     "trap stop TERM\n"
                     "trap 'limit=1; stop' USR1 # a minute before the time limit\n");
    gnt_shell_words(to, first);
    gnt_text_add(to, " ");
    gnt_shell_words(to, run);
    gnt_text_add(to,
                 " %s &\n"
                 "run=$!\n"
                 "wait \"$run\"\n"
                 "code=$?\n"
                 "while kill -0 \"$run\" 2>/dev/null; do # a signal ended the wait, not the run\n"
                 "    wait \"$run\"\n"
                 "    code=$?\n"
                 "done\n"
                 "if [ \"$limit\" = 1 ] && [ \"$code\" = 130 ]; then\n"
                 "    echo \"Time limit: queued again to go on.\" >&2\n"
                 "    scontrol requeue \"$SLURM_JOB_ID\"\n"
                 "fi\n"
                 "exit \"$code\"\n",
                 last);
}
