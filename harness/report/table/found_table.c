#include "report/table/report_tables.h"

#include <string.h>

#include "judge/marks.h"

/* Different marks that are listed: a defense that is marked in every cell repeats the same one. */
enum { MOST_FOUND = 64 };

typedef struct found {
    const gnt_outcome *cell;
    gnt_mark mark;
    size_t cells;
} found;

static int is_same(const found *f, const gnt_outcome *c, const gnt_mark *m) {
    return !strcmp(f->cell->defense, c->defense) && !strcmp(f->cell->task, c->task) &&
           !strcmp(f->mark.what, m->what) && !strcmp(f->mark.says, m->says);
}

static size_t collect(const gnt_results *r, found found_out[MOST_FOUND], size_t *left_out) {
    size_t n = 0;
    *left_out = 0;
    for (size_t i = 0; i < r->n_marked; i++)
        for (size_t k = 0; k < gnt_mark_count(r->marked[i]); k++) {
            const gnt_mark mark = gnt_mark_at(r->marked[i], k);
            size_t at = 0;
            while (at < n && !is_same(&found_out[at], r->marked[i], &mark))
                at++;
            if (at == MOST_FOUND) {
                ++*left_out;
                continue;
            }
            if (at == n)
                found_out[n++] = (found){r->marked[i], mark, 0};
            found_out[at].cells++;
        }
    return n;
}

void gnt_table_found(const gnt_results *r, gnt_table *t) {
    found all[MOST_FOUND];
    size_t left_out;
    const size_t n = collect(r, all, &left_out);
    gnt_table_init(t, "What the host found");
    GNT_TABLE_COLUMNS(t, "defense", "task", "what", "the host says", "cells");
    for (size_t i = 0; i < n; i++) {
        gnt_table_text(t, all[i].cell->defense);
        gnt_table_text(t, all[i].cell->task);
        gnt_table_text(t, all[i].mark.what);
        gnt_table_text(t, all[i].mark.says);
        gnt_table_format(t, "%zu", all[i].cells);
    }
    if (left_out)
        gnt_table_caption(t, "%zu more marks are in results.json.", left_out);
}

static int is_probe(const gnt_task_facts *t) {
    return !t->in_round && !t->of_representations;
}

static int has_public_seed(const gnt_task_facts *t) {
    return t->seed_public;
}

/* Writes a line that lists the tasks for whose facts `holds` is true, if any. */
static void say_of_tasks(const gnt_results *r, const char *head, int (*holds)(const gnt_task_facts *),
                         const char *says, gnt_text *out) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_task; i++)
        if (holds(gnt_facts_of(r, r->task[i])))
            gnt_text_add(out, "%s%s", n++ ? ", " : head, r->task[i]);
    if (n)
        gnt_text_add(out, ". %s\n", says);
}

void gnt_report_observed(const gnt_results *r, gnt_text *out) {
    say_of_tasks(
        r, "Probe: ", is_probe,
        "The defense was run a second time for observation, outside training, and could have detected it.",
        out);
    say_of_tasks(r, "Run under a public seed: ", has_public_seed,
                 "A plugin could compute which rounds and clients are observed.", out);
}
