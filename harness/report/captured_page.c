/* What a report says first of attacks on captures: what was captured, what the attacker knows, what each
 * attack found and recovered. Nothing is ranked. */
#include "judge/section.h"
#include "report/report_impl.h"
#include "report/table/report_tables.h"

static void say_section(const gnt_report *p, const gnt_section *s, gnt_pen *pen) {
    gnt_text title, says;
    gnt_table t;
    gnt_text_init(&title, 1 << 20);
    gnt_text_init(&says, 1 << 20);
    gnt_section_title(p->results, s->task, s->stage, &title);
    gnt_pen_write_text(pen, GNT_PEN_HEADING, &title);
    gnt_report_captured(p->results, s->task, &says);
    gnt_pen_write_text(pen, GNT_PEN_PARAGRAPH, &says);
    if (gnt_table_captured(p->results, s->task, s->stage, &t) > 0)
        gnt_pen_table(pen, &t);
    else
        gnt_table_free(&t);
    for (size_t k = 0; k < s->n_sheet; k++)
        gnt_report_show(pen, &s->sheet[k], s->sheet[k].attack);
    if (!s->convergence.name[0])
        return;
    gnt_pen_write(pen, GNT_PEN_SUMMARY, "Convergence of the attacks");
    gnt_report_show(pen, &s->convergence, "The attacks' own cost over steps");
    gnt_pen_end(pen, GNT_PEN_FOLD);
}

void gnt_report_write_captured(const gnt_report *p, gnt_pen *pen) {
    gnt_pen_write(
        pen, GNT_PEN_PARAGRAPH,
        "Attacks on captures, updates that were observed elsewhere. They are a class of their own: "
        "never ranked, and not compared with cells of a run, whose samples, training and defense are "
        "those of the run.");
    for (size_t i = 0; i < p->n_section; i++)
        say_section(p, &p->section[i], pen);
}
