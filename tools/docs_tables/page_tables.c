#include "page_tables.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "format.h"
#include "judge/section.h"
#include "render/escape.h"

enum { MOST_WORDS = 16, MOST_TEXT = 4 << 20 };

typedef struct kind {
    const char *word;
    /* one of the two: of a run, or of a file that is no run's */
    table_writer *write;
    file_writer *write_file;
    /* how many words must follow the run's name, and may */
    size_t least, most;
    int inline_text;
} kind;

static const kind kinds[] = {{"run", table_run, NULL, 0, 0, 0},
                             {"matches", table_matches, NULL, 0, MOST_WORDS, 0},
                             {"leakage", table_leakage, NULL, 0, MOST_WORDS, 0},
                             {"undefended", table_undefended, NULL, 0, MOST_WORDS, 0},
                             {"equal-leakage", table_equal_leakage, NULL, 0, MOST_WORDS, 0},
                             {"ranking", table_ranking, NULL, 0, MOST_WORDS, 0},
                             {"back", table_back, NULL, 0, MOST_WORDS, 0},
                             {"sets", table_sets, NULL, 0, 0, 0},
                             {"paper", table_paper, NULL, 1, 1, 0},
                             {"bounds", table_bounds, NULL, 0, MOST_WORDS, 0},
                             {"maps", table_maps, NULL, 0, MOST_WORDS, 0},
                             {"hooks", table_hooks, NULL, 0, MOST_WORDS, 0},
                             {"value", table_value, NULL, 2, 2, 1},
                             {"keys", NULL, table_keys, 0, 0, 0},
                             {"kept", NULL, table_kept, 0, 0, 0},
                             {"members", NULL, table_members, 0, 0, 0},
                             {"bench-times", NULL, table_bench_times, 0, 0, 0},
                             {"bench-work", NULL, table_bench_work, 0, 0, 0},
                             {"bench-gpu", NULL, table_bench_gpu, 0, 0, 0},
                             {"bench-machine", NULL, table_bench_machine, 0, 0, 0},
                             {"bench-jobs", NULL, table_bench_jobs, 0, 0, 0}};

const char tables_help[] =
    "  run RUN                    which program, machine, suite and scale the numbers come from\n"
    "  matches RUN [TASK ...]     how the searches for a strength ended\n"
    "  leakage RUN [TASK ...]     every defense and strength by attack, a table for each task and round\n"
    "  undefended RUN [TASK ...]  what attacks read where nothing protects, a row for each task and attack\n"
    "  equal-leakage RUN [TASK ...]  the utility of each defense at the leakages that the suite lists\n"
    "  ranking RUN [TASK ...]     the worst case of each defense\n"
    "  back RUN [TASK ...]        of how many undefended targets the image and the label came back\n"
    "  sets RUN                   what was found of sets of mixed encodings\n"
    "  paper RUN ID               a table that the suite lays out as its paper does\n"
    "  bounds RUN [TASK ...]      errors and attackers next to what TAPPFL's theorems allow\n"
    "  maps RUN [TASK ...]        how well training runs find what maps mark\n"
    "  hooks RUN [LABEL ...]      what the hooks of defenses and attacks took, and on which processor;\n"
    "                             LABEL=SECONDS adds what a paper has\n"
    "  value RUN GROUP MEASURE    one number, within a line; GROUP is a cell's id without its seed\n"
    "  keys WHERE                 the keys of objects of results.json (results, cells, cells.utility, …),\n"
    "                             leaderboard.json (leaderboard, leaderboard.places, …) or capture.json\n"
    "                             (capture, capture.model, …)\n"
    "  kept NAME.tsv              a table that a program other than a run wrote\n"
    "  members LIST               what each member of a list of attacks decides in the arenas of "
    "results/board\n"
    "  bench-times NAME.json      what each row of the bench took, next to PyTorch and the floor\n"
    "  bench-work NAME.json       what each row of the bench computes and moves, and its errors\n"
    "  bench-gpu NAME.json        what each row takes next to an estimate for PyTorch on a GPU\n"
    "  bench-machine NAME.json    the programs and the machine of the bench\n"
    "  bench-jobs NAME.json       the quick suite with one job and with two\n";

/* Cuts `text` in place into words; a word with blanks is in double quotes. The number of words, or
 * MOST_WORDS + 1 where there are more. */
static size_t split(char *text, char *word[MOST_WORDS]) {
    size_t n = 0;
    while (*(text += strspn(text, " "))) {
        const char end = *text == '"' ? '"' : ' ';
        text += end == '"';
        if (n == MOST_WORDS)
            return MOST_WORDS + 1;
        word[n++] = text;
        text = strchr(text, end);
        if (!text)
            return n;
        *text++ = 0;
    }
    return n;
}

static const kind *find(const char *word) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].word, word))
            return &kinds[i];
    return NULL;
}

/* Writes one kind of table of a run; n words follow its name. Of scores to come *to_come is 1. */
static int write_of_run(const kind *k, const char *run, char *const *argument, size_t n, gnt_text *out,
                        int *to_come, gnt_err *err) {
    scores s;
    *to_come = scores_are_to_come(run, err);
    if (*to_come < 0)
        return -1;
    if (*to_come) {
        if (k->write == table_run)
            gnt_text_add(out, "No scores of this run are kept; `make docs-results RUNS=%s` makes them.", run);
        else if (k->inline_text)
            gnt_text_add(out, "no number");
        return 0;
    }
    if (scores_load(&s, run, err))
        return -1;
    const int failed = k->write(&s, argument, n, out, err);
    scores_free(&s);
    return failed;
}

static int write_words(char *text, gnt_text *out, int *inline_text, gnt_err *err) {
    char *word[MOST_WORDS];
    int to_come = 0;
    const size_t n = split(text, word);
    const kind *k = n ? find(word[0]) : NULL;
    if (!k)
        return gnt_fail(err, "\"%s\" is no kind of table; docs-tables --help lists them", n ? word[0] : "");
    if (n < 2 + k->least || n > MOST_WORDS || n > 2 + k->most)
        return gnt_fail(err, "%s: has %zu words after it; docs-tables --help says which", k->word, n - 1);
    *inline_text = k->inline_text;
    int failed = k->write ? write_of_run(k, word[1], word + 2, n - 2, out, &to_come, err)
                          : k->write_file(word[1], out, err);
    while (!failed && out->size && out->data[out->size - 1] == '\n')
        out->data[--out->size] = 0;
    if (!failed && out->failed)
        failed = gnt_fail(err, "out of memory");
    if (!failed && out->size == 0 && !to_come)
        failed = gnt_fail(err, "the run %s has nothing for it", word[1]);
    return failed;
}

int tables_write(const char *words, gnt_text *out, int *inline_text, gnt_err *err) {
    char *text = gnt_strdup(words);
    gnt_text_init(out, MOST_TEXT);
    int failed = text ? write_words(text, out, inline_text, err) : gnt_fail(err, "out of memory");
    gnt_free(text);
    if (!failed)
        return 0;
    gnt_text_free(out);
    return gnt_fail_in(err, "table: %s", words);
}

void tables_run_name(const char *words, char *name, size_t size) {
    words += strspn(words, " ");
    words += strcspn(words, " ");
    words += strspn(words, " ");
    const size_t n = strcspn(words, " ");
    name[0] = 0;
    if (n < size) {
        memcpy(name, words, n);
        name[n] = 0;
    }
}

int tables_wants(char *const *tasks, size_t n, const char *task) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(tasks[i], task))
            return 1;
    return n == 0;
}

int tables_known(const scores *s, char *const *tasks, size_t n, gnt_err *err) {
    for (size_t i = 0; i < n; i++)
        if (!gnt_task_of(&s->results, tasks[i]))
            return gnt_fail(err, "the run of %s has no task %s", s->results.suite, tasks[i]);
    return 0;
}

void tables_next(gnt_text *out) {
    if (out->size)
        gnt_text_add(out, "\n");
}

/* Escapes only what would end a cell or begin markup: names here come from suites of the repository. */
static void add_escaped(const char *text, gnt_text *out) {
    gnt_text line;
    gnt_text_init(&line, MOST_TEXT);
    gnt_escape_line(&line, text);
    for (const char *p = gnt_text_get(&line); *p; p++)
        gnt_text_add(out, strchr("|\\<`*", *p) ? "\\%c" : "%c", *p);
    out->failed |= line.failed;
    gnt_text_free(&line);
}

void tables_add(const gnt_table *t, gnt_text *out) {
    out->failed |= t->failed;
    if (t->n_item == 0)
        return;
    tables_next(out);
    for (size_t c = 0; c < t->n_column; c++) {
        gnt_text_add(out, c ? " | " : "| ");
        add_escaped(t->column[c], out);
    }
    gnt_text_add(out, " |\n|");
    for (size_t c = 0; c < t->n_column; c++)
        gnt_text_add(out, "---|");
    for (size_t i = 0; i < t->n_item; i++) {
        gnt_text_add(out, i % t->n_column ? " | " : "\n| ");
        add_escaped(t->item[i].text ? t->item[i].text : "–", out);
        gnt_text_add(out, i % t->n_column == t->n_column - 1 ? " |" : "");
    }
    gnt_text_add(out, "\n");
}

void tables_interval(const gnt_measure *m, const gnt_stat *s, gnt_text *out) {
    gnt_text low, high;
    gnt_text_init(&low, 256);
    gnt_text_init(&high, 256);
    gnt_measure_number(m, s->low, &low);
    gnt_measure_number(m, s->high, &high);
    gnt_measure_number(m, s->mean, out);
    if (gnt_has_interval(s) && strcmp(gnt_text_get(&low), gnt_text_get(&high)) != 0)
        gnt_text_add(out, " [%s, %s]", gnt_text_get(&low), gnt_text_get(&high));
    gnt_text_free(&low);
    gnt_text_free(&high);
}

void tables_round(const gnt_results *r, const char *task, int64_t stage, gnt_table *t) {
    char words[64];
    gnt_stage_words(r, task, stage, words, sizeof words);
    if (strncmp(words, "drawn ", strlen("drawn ")) == 0)
        gnt_table_text(t, words);
    else
        gnt_table_format(t, "%" PRId64, stage);
}
