#include "cli/sandbox_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/launch.h"
#include "process/sandbox_try.h"

static int refuse(const char *option, const char *text, const char *expected) {
    fprintf(stderr, "gauntlet: --%s is \"%.40s\", expected %s\n", option, text, expected);
    return -1;
}

int cli_read_level(void *to, char *text) {
    uint32_t level;
    if (gnt_word_bit(&gnt_sandbox_level_words, text, &level) != 0)
        return refuse("require-sandbox", text, "full, partial or weak");
    ((gnt_sandbox_options *)to)->least = (gnt_sandbox_level)level;
    return 0;
}

int cli_read_layers(void *to, char *text) {
    const gnt_words *words = &gnt_sandbox_layer_words;
    for (const char *at = text;; at++) {
        const size_t n = strcspn(at, ",");
        unsigned found = 0;
        for (size_t i = 0; i < words->n; i++)
            if (strlen(words->word[i].name) == n && strncmp(at, words->word[i].name, n) == 0)
                found = words->word[i].bit;
        if (!found)
            return refuse("sandbox-without", text,
                          "one or more of landlock, userns and seccomp, separated by commas");
        ((gnt_sandbox_options *)to)->without |= found;
        at += n;
        if (!*at)
            return 0;
    }
}

int cli_read_abi(void *to, char *text) {
    char *end;
    const long n = strtol(text, &end, 10);
    if (*end || end == text || n < 1 || n > 1000)
        return refuse("landlock-abi", text, "an integer from 1 on");
    ((gnt_sandbox_options *)to)->landlock_most = n;
    return 0;
}

int cli_sandbox_check(const char *command, const gnt_sandbox_options *wish, int quiet,
                      gnt_sandbox_report *report) {
    gnt_err err = {0};
    if (gnt_sandbox_try(wish, report, &err) != 0) {
        if (wish->least > GNT_SANDBOX_WEAK)
            fprintf(stderr, "gauntlet %s: --require-sandbox %s: %s\n", command,
                    gnt_word_name(&gnt_sandbox_level_words, wish->least), err.text);
        else
            fprintf(stderr, "gauntlet %s: cannot confine plugins: %s\n", command, err.text);
        return -1;
    }
    const int full = gnt_sandbox_level_of(report->level) == GNT_SANDBOX_FULL;
    if (!quiet || (!full && !wish->without))
        fprintf(stderr, "sandbox: %s%s%s%s\n", report->level, full ? " (" : "", full ? report->remark : "",
                full ? ")" : "");
    return 0;
}
