/* docs-tables: the tables of pages, made from what is kept in results/baselines: the scores of runs, the
 * tables of other programs, the times of the bench. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "page.h"
#include "page_tables.h"

enum { MOST_TEXT = 16 << 20 };

static const char help[] =
    "Usage: docs-tables check [PAGE ...] [--blocks PAGE ...]\n"
    "       docs-tables write [PAGE ...] [--blocks PAGE ...]\n"
    "       docs-tables print TABLE RUN ...\n"
    "       docs-tables keep RUN_FOLDER NAME\n"
    "\n"
    "  check    compares the blocks of pages with what is kept; a measured number outside of a block, and a\n"
    "           kept run or table that no block is made from, are reported too. Pages after --blocks may "
    "have\n"
    "           numbers outside\n"
    "  write    writes the blocks again\n"
    "  print    one table; RUN is the name of a kept run or, with a slash in it, a run folder\n"
    "  keep     writes " BASELINES "/NAME/scores.json\n"
    "\n"
    "A block is between <!-- table: TABLE RUN ... --> and <!-- end -->. Tables:\n";

static int wrong(const gnt_err *err) {
    fprintf(stderr, "docs-tables: %s\n", err->text);
    return 2;
}

/* True if `names`, one on each line, has `name`. */
static int has_line(const gnt_text *names, const char *name) {
    const size_t n = strlen(name);
    for (const char *p = gnt_text_get(names); *p; p = strchr(p, '\n') + 1)
        if (!strncmp(p, name, n) && p[n] == '\n')
            return 1;
    return 0;
}

/* True for the folder of a run, the file of a table, and those of the bench, bench.json and
 * bench-NAME.json; a baseline of someone's own is none of them. */
static int is_kept(const char *name) {
    const char *ending = strrchr(name, '.');
    const int is_bench = !strncmp(name, "bench.", 6) || !strncmp(name, "bench-", 6);
    return !ending || !strcmp(ending, ".tsv") || (is_bench && !strcmp(ending, ".json"));
}

static int unused(const gnt_text *used) {
    DIR *folder = opendir(BASELINES);
    int n = 0;
    for (struct dirent *d; folder && (d = readdir(folder));)
        if (is_kept(d->d_name) && !has_line(used, d->d_name)) {
            printf(BASELINES "/%s: no block of these pages is made from it\n", d->d_name);
            n++;
        }
    if (folder)
        closedir(folder);
    return n;
}

/* True for the word before pages of which only the blocks are checked. */
static int is_blocks(const char *word) {
    return !strcmp(word, "--blocks");
}

static int check(char **page, size_t n) {
    gnt_err err = {0};
    gnt_text used;
    int wrong_places = 0, one = 0, blocks_alone = 0;
    gnt_text_init(&used, MOST_TEXT);
    for (size_t i = 0; i < n && one >= 0; i++) {
        if (is_blocks(page[i])) {
            blocks_alone = 1;
            continue;
        }
        one = page_check(page[i], blocks_alone, &used, &err);
        wrong_places += one > 0 ? one : 0;
    }
    if (one >= 0)
        wrong_places += unused(&used);
    gnt_text_free(&used);
    return one < 0 ? wrong(&err) : wrong_places > 0;
}

static int write_pages(char **page, size_t n) {
    gnt_err err = {0};
    for (size_t i = 0; i < n; i++) {
        int changed = 0;
        if (!is_blocks(page[i]) && page_write(page[i], &changed, &err))
            return wrong(&err);
        if (changed)
            printf("%s: updated\n", page[i]);
    }
    return 0;
}

static int print(char **word, size_t n) {
    gnt_err err = {0};
    gnt_text words, out;
    int in_line;
    gnt_text_init(&words, MOST_TEXT);
    for (size_t i = 0; i < n; i++)
        gnt_text_add(&words, strchr(word[i], ' ') ? "%s\"%s\"" : "%s%s", i ? " " : "", word[i]);
    const int failed = tables_write(gnt_text_get(&words), &out, &in_line, &err);
    gnt_text_free(&words);
    if (failed)
        return wrong(&err);
    puts(gnt_text_get(&out));
    gnt_text_free(&out);
    return 0;
}

static int keep(const char *run, const char *name) {
    gnt_err err = {0};
    gnt_text out;
    scores s;
    /* a word with a slash is a folder, wherever it lies */
    char *folder = strchr(run, '/') ? gnt_strdup(run) : gnt_format("./%s", run);
    char *to = gnt_format(BASELINES "/%s", name), *path = gnt_format(BASELINES "/%s/scores.json", name);
    int failed = folder && to && path ? 0 : gnt_fail(&err, "out of memory");
    gnt_text_init(&out, MOST_TEXT);
    if (!failed && (!*name || strpbrk(name, "./ \"")))
        failed = gnt_fail(&err, "\"%s\" is no name for a run that is kept", name);
    if (!failed)
        failed = scores_load(&s, folder, &err);
    if (!failed) {
        failed = scores_keep(&s, &out, &err) || gnt_make_dirs(to, &err) ||
                 gnt_file_write(path, out.data, out.size, &err);
        scores_free(&s);
    }
    if (!failed)
        printf("%s: %zu bytes\n", path, out.size);
    gnt_text_free(&out);
    gnt_free(folder);
    gnt_free(to);
    gnt_free(path);
    return failed ? wrong(&err) : 0;
}

int main(int n, char **word) {
    const char *command = n > 1 ? word[1] : "";
    const size_t rest = n > 2 ? (size_t)n - 2 : 0;
    if (!strcmp(command, "-h") || !strcmp(command, "--help")) {
        printf("%s%s", help, tables_help);
        return 0;
    }
    if (!strcmp(command, "check") && rest)
        return check(word + 2, rest);
    if (!strcmp(command, "write") && rest)
        return write_pages(word + 2, rest);
    if (!strcmp(command, "print") && rest)
        return print(word + 2, rest);
    if (!strcmp(command, "keep") && rest == 2)
        return keep(word[2], word[3]);
    fprintf(stderr, "%s%s", help, tables_help);
    return 2;
}
