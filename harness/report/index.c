/* The pages: index.md and index.html, one after the other through the same outline. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sodium/crypto_hash_sha256.h>
#include <sodium/utils.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/mem.h"
#include "render/pen.h"
#include "report/table/report_tables.h"
#include "report/report_impl.h"
#include "report/plot/plots.h"
#include "judge/group_roles.h"
#include "judge/section.h"

enum { MOST = 256 << 20 };

/* the beginning of index.html, to its title */
extern const char report_head[];
GNT_EMBED(report_head, "harness/report/head.html");
/* the script of index.html, by which its tables are sorted */
extern const char report_script[];
GNT_EMBED(report_script, "harness/report/sort.js");

typedef struct page {
    const gnt_report *p;
    gnt_pen pen;
} page;

static void paragraph(page *w, const char *text) {
    gnt_pen_write(&w->pen, GNT_PEN_PARAGRAPH, text);
}

static void heading(page *w, const char *text) {
    gnt_pen_write(&w->pen, GNT_PEN_HEADING, text);
}

static void picture(page *w, const gnt_picture *of, const char *says) {
    gnt_report_show(&w->pen, of, says);
}

static void fold(page *w, const char *summary) {
    gnt_pen_write(&w->pen, GNT_PEN_SUMMARY, summary);
}

static void unfold(page *w) {
    gnt_pen_end(&w->pen, GNT_PEN_FOLD);
}

static void table(page *w, gnt_table *t) {
    gnt_pen_table(&w->pen, t);
}

/* ---- what the page says ---- */

static void count_cells(const gnt_results *r, gnt_text *out) {
    size_t count[GNT_CELL_STATUSES] = {0}, failed = 0;
    for (size_t i = 0; i < r->n_cell; i++)
        count[r->cell[i].status]++;
    for (int s = GNT_CELL_FAILED; s <= GNT_CELL_TIMEOUT; s++)
        failed += count[s];
    gnt_text_add(out, "%zu cells ok, %zu failed, %zu n/a", count[GNT_CELL_OK], failed, count[GNT_CELL_NA]);
    if (count[GNT_CELL_UNFINISHED])
        gnt_text_add(out, ", %zu unfinished: run the suite again to go on", count[GNT_CELL_UNFINISHED]);
    gnt_text_add(out, ".");
}

/* Writes a section with a table, whose words and fold may be NULL, and frees the table; writes nothing if it
 * has no row. */
static void say_if_any(page *w, gnt_table *t, const char *title, const char *words, const char *summary) {
    if (gnt_table_rows(t) == 0) {
        gnt_table_free(t);
        return;
    }
    heading(w, title);
    if (words)
        paragraph(w, words);
    if (summary)
        fold(w, summary);
    table(w, t);
    if (summary)
        unfold(w);
}

static void say_observed(page *w) {
    gnt_text lines;
    gnt_text_init(&lines, 1 << 20);
    gnt_report_observed(w->p->results, &lines);
    w->pen.out.failed |= lines.failed;
    gnt_pen_lines(&w->pen, gnt_text_get(&lines));
    gnt_text_free(&lines);
}

/* Writes the ranking of a task at a stage, or at all stages that were drawn. Where the measures agree, all
 * but the leading one are folded. */
static void say_ranking(page *w, const char *task, int64_t stage) {
    const gnt_results *r = w->p->results;
    const gnt_measure *m = gnt_section_lead(r, task, stage);
    gnt_text title, words;
    gnt_table t;
    if (!m)
        return;
    gnt_text_init(&title, 1 << 20);
    gnt_section_title(r, task, stage, &title);
    gnt_pen_write_text(&w->pen, GNT_PEN_SUBHEADING, &title);
    gnt_text_init(&words, 1 << 20);
    const int agree = gnt_report_agreement(r, task, stage, m, &words);
    gnt_table_places(r, task, stage, m, !agree, &t);
    table(w, &t);
    gnt_pen_write_text(&w->pen, agree ? GNT_PEN_SUMMARY : GNT_PEN_PARAGRAPH, &words);
    if (!agree)
        return;
    gnt_table_places(r, task, stage, m, 1, &t);
    table(w, &t);
    unfold(w);
}

/* Writes the answer, which comes first: how defenses rank, with what is not ranked and why. */
static void say_rankings(page *w) {
    const gnt_results *r = w->p->results;
    for (size_t i = 0; i < r->n_task; i++) {
        int64_t stages[GNT_MOST_STAGES];
        const size_t n = gnt_judged_stages(r, r->task[i], stages);
        for (size_t k = 0; k < n; k++)
            say_ranking(w, r->task[i], stages[k]);
    }
}

/* Shows the matrix of the whole suite. */
static void say_overview(page *w) {
    if (!w->p->overview.name[0])
        return;
    gnt_pen_begin(&w->pen, GNT_PEN_UNSCALED);
    picture(w, &w->p->overview,
            "Matrix of the whole suite: every defense by every attack, darker leaks more, hatched where the "
            "attack does not apply, a dot where it knows the defense");
    gnt_pen_end(&w->pen, GNT_PEN_UNSCALED);
}

/* Writes a row for each section, and how to read it; where there is but one, its ranking says as much. The
 * matrix of several tasks says more than a row for each, and comes before. */
static void say_summary(page *w) {
    gnt_table t;
    heading(w, "In short");
    if (w->p->results->n_task > 1)
        say_overview(w);
    gnt_table_summary(w->p->results, &t);
    if (t.n_item > t.n_column) {
        gnt_pen_begin(&w->pen, GNT_PEN_SHORT);
        table(w, &t);
        gnt_pen_end(&w->pen, GNT_PEN_SHORT);
    } else
        gnt_table_free(&t);
    say_rankings(w);
    if (w->p->results->n_task <= 1)
        say_overview(w);
    paragraph(w, "A defense is judged at the target utility by the attack under which it leaks most. "
                 "Defenses that leak no more than a guess share a rank. Tied: the difference is not "
                 "statistically significant, or the one that leaks less left less utility. Identified: how "
                 "often the reconstruction is nearest to its own "
                 "image among many; possible even at low PSNR.");
    say_observed(w);
}

static void say_sentence(page *w, const gnt_section *s, const gnt_measure *lead) {
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    if (lead)
        gnt_report_sentence(w->p->results, s->task, s->stage, lead, &text);
    else
        gnt_text_add(&text, "No cell gave a number.");
    if (gnt_facts_of(w->p->results, s->task)->drawn)
        gnt_text_add(&text,
                     " Observed rounds are drawn at random; the worst one counts, under \"In short\".");
    gnt_pen_write_text(&w->pen, GNT_PEN_PARAGRAPH, &text);
}

static void say_matrix(page *w, const gnt_section *s, const gnt_measure *m) {
    gnt_table t;
    gnt_text interval;
    gnt_text_init(&interval, 256);
    gnt_interval_write(w->p->results, s->task, s->stage, m, &interval);
    gnt_table_matrix(w->p->results, s->task, s->stage, m, &t);
    gnt_table_caption(&t, "%s: mean [%s]; %s leaks more.", m->title, gnt_text_get(&interval),
                      m->leak > 0 ? "higher" : "lower");
    gnt_text_free(&interval);
    table(w, &t);
}

static const gnt_picture *of_measure(const gnt_picture *pictures, size_t n, const gnt_measure *m) {
    for (size_t i = 0; i < n; i++)
        if (pictures[i].measure == m)
            return &pictures[i];
    return NULL;
}

/* Says why there is no trade-off plot. */
static void say_no_tradeoff(page *w, const gnt_section *s, const gnt_measure *m) {
    if (!gnt_was_trained(w->p->results, s->task))
        paragraph(w, "No defense took part in training here, so no utility was paid for privacy and there is "
                     "no trade-off: the network was attacked as it is.");
    else if (gnt_tradeoff_points(w->p->results, s->task, s->stage, m) == 1)
        paragraph(w, "Only one setting has both a utility and a number: a trade-off needs two.");
}

/* Returns the sheet to show first: that of the attack that recovers most without a defense. */
static size_t best_sheet(const page *w, const gnt_section *s, const gnt_measure *m) {
    size_t best = 0;
    double most = NAN;
    for (size_t i = 0; m && i < s->n_sheet; i++)
        for (size_t d = 0; d < w->p->results->n_defense; d++) {
            const gnt_outcome *g = gnt_representative(w->p->results, s->task, s->stage,
                                                      w->p->results->defense[d], s->sheet[i].attack);
            const gnt_score *score =
                g && g->mode == GNT_ROW_NONE && g->status == GNT_CELL_OK ? gnt_score_find(g, m->name) : NULL;
            if (!score || !gnt_leaks_more(m, score->stat.mean, most))
                continue;
            most = score->stat.mean;
            best = i;
        }
    return best;
}

static void say_measure(page *w, const gnt_section *s, const gnt_measure *m, int folded) {
    const gnt_picture *tradeoff = of_measure(s->tradeoff, s->n_tradeoff, m),
                      *strength = of_measure(s->strength, s->n_strength, m),
                      *heat = of_measure(s->heat, s->n_heat, m);
    if (!tradeoff && !folded)
        say_no_tradeoff(w, s, m);
    gnt_pen_begin(&w->pen, GNT_PEN_PAIR);
    if (!folded && s->n_sheet) {
        const gnt_picture *sheet = &s->sheet[best_sheet(w, s, m)];
        picture(w, sheet, sheet->attack);
    }
    if (tradeoff)
        picture(w, tradeoff,
                "Trade-off: utility on x, leakage on y, a panel for the worst of all attacks and, beside a "
                "PSNR, one "
                "for how often it identifies a target, then one for each attack");
    else if (strength)
        picture(w, strength, "Leakage against the strength of a defense, a panel for each attack");
    if (heat)
        picture(w, heat, "Matrix: defenses by attacks, darker leaks more");
    gnt_pen_end(&w->pen, GNT_PEN_PAIR);
    if (tradeoff && strength) {
        fold(w, "Leakage against strength");
        picture(w, strength, "Leakage against the strength of a defense, a panel for each attack");
        unfold(w);
    }
    if (!folded && heat)
        fold(w, "The matrix as a table");
    say_matrix(w, s, m);
    if (!folded && heat)
        unfold(w);
}

/* Shows the sheets of the other attacks; that of the best attack is at the head of the section. */
static void say_sheets(page *w, const gnt_section *s, const gnt_measure *lead) {
    const size_t first = best_sheet(w, s, lead);
    if (s->n_sheet < (lead ? 2 : 1))
        return;
    fold(w, "Images, private and recovered");
    for (size_t k = 0; k < s->n_sheet; k++)
        if (!lead || k != first)
            picture(w, &s->sheet[k], s->sheet[k].attack);
    unfold(w);
}

static void say_other_measures(page *w, const gnt_section *s, const gnt_measure *lead) {
    size_t any = 0;
    for (size_t i = 0; i < GNT_MEASURES; i++) {
        const gnt_measure *m = gnt_measure_at(i);
        if (m == lead || !gnt_section_draws(w->p->results, s->task, s->stage, m))
            continue;
        if (!any++)
            fold(w, "Other measures");
        gnt_pen_write(&w->pen, GNT_PEN_SUBHEADING, m->title);
        say_measure(w, s, m, 1);
    }
    if (any)
        unfold(w);
}

/* Writes the leakage at exactly the target utility, which matched strengths miss by up to the tolerance,
 * and the utility at equal leakage. */
static void say_equal(page *w, const gnt_section *s, const gnt_measure *m) {
    static const char *const titles[] = {"Leakage at exactly the target utility", "Utility at equal leakage"};
    for (int by_leakage = 0; m && by_leakage < 2; by_leakage++) {
        gnt_table t;
        if (gnt_table_equal(w->p->results, s->task, s->stage, m, by_leakage, &t) == 0) {
            w->pen.out.failed |= t.failed;
            gnt_table_free(&t);
            continue;
        }
        fold(w, titles[by_leakage]);
        table(w, &t);
        unfold(w);
    }
}

/* Writes how well the trained networks find what maps mark. */
static void say_maps(page *w, const gnt_section *s) {
    gnt_table t;
    if (gnt_table_maps_at(w->p->results, s->task, s->stage, &t) > 0) {
        gnt_pen_write(&w->pen, GNT_PEN_SUBHEADING, "Utility of maps");
        table(w, &t);
        paragraph(w, "On the test samples: over the pixels of all of them, and as means over images. Over "
                     "several training runs: the mean, and the range in brackets.");
    }
    w->pen.out.failed |= t.failed;
    gnt_table_free(&t);
}

/* Says the bounds of TAPPFL's theorems, with what was measured. */
static void say_bounds(page *w, const gnt_section *s) {
    gnt_table t;
    if (gnt_table_bounds_at(w->p->results, s->task, s->stage, &t) > 0) {
        fold(w, "Bounds on errors and on inference, as estimates");
        table(w, &t);
        paragraph(w, "Estimates: a better attacker, or information that none of them found, moves them. "
                     "Errors: the task's, on the samples of each value of the attribute, added up. By "
                     "Theorem 1 of TAPPFL they are at least the difference of the classes' shares between "
                     "the values, minus the attackers' advantage: errors below that prove that a better "
                     "attacker exists. The attribute is inferred at most as often as its entropy, minus the "
                     "information found, allows: by Theorem 2 and, more tightly, by Fano's inequality.");
        unfold(w);
    }
    w->pen.out.failed |= t.failed;
    gnt_table_free(&t);
}

static int is_epsilon(const char *fact) {
    return !strncmp(fact, "epsilon_", strlen("epsilon_"));
}

/* True if the suite names an epsilon among the facts to be drawn. */
static int draws_epsilon(const gnt_results *r) {
    for (size_t i = 0; i < r->file->facts.n; i++)
        if (is_epsilon(r->file->facts.at[i]))
            return 1;
    return 0;
}

/* True if a cell has an epsilon among its facts. */
static int has_epsilon(const gnt_results *r) {
    for (size_t i = 0; i < r->n_cell; i++)
        for (size_t f = 0; f < r->cell[i].facts.n; f++)
            if (is_epsilon(r->cell[i].facts.at[f].name))
                return 1;
    return 0;
}

static const char epsilon_words[] =
    "An epsilon covers what clients send, in one round (release) or in all (rounds); where the fact "
    "epsilon_covers_updates is 0, the models alone. It does not cover the choice of a strength by matching "
    "on "
    "private data, and no amplification by sampling is counted.";

/* Writes what is known of a task at a stage. Further rounds of a task are folded. */
static void say_section(page *w, const gnt_section *s, int is_further) {
    const gnt_measure *lead = gnt_section_lead(w->p->results, s->task, s->stage);
    gnt_text title;
    gnt_text_init(&title, 1 << 20);
    gnt_section_title(w->p->results, s->task, s->stage, &title);
    gnt_pen_write_text(&w->pen, is_further ? GNT_PEN_SUMMARY : GNT_PEN_HEADING, &title);
    say_sentence(w, s, lead);
    if (lead)
        say_measure(w, s, lead, 0);
    if (s->rounds.name[0])
        picture(w, &s->rounds, "Utility of the model by round of the training, a line for each defense");
    if (s->utility.name[0])
        picture(w, &s->utility, "Utility against the strength of the defenses");
    if (s->utility.name[0] && draws_epsilon(w->p->results))
        paragraph(w, epsilon_words);
    if (s->points.name[0])
        picture(w, &s->points,
                "Observations of samples as points, coloured by the attribute that attackers infer");
    say_maps(w, s);
    say_equal(w, s, lead);
    say_bounds(w, s);
    say_sheets(w, s, lead);
    say_other_measures(w, s, lead);
    if (s->convergence.name[0]) {
        fold(w, "Convergence of the attacks");
        picture(w, &s->convergence, "The attacks' own cost over steps");
        unfold(w);
    }
    if (is_further)
        unfold(w);
}

static void say_guide(page *w) {
    heading(w, "How to read this");
    paragraph(w,
              "The strength of each defense is tuned until all models reach the same utility, which the "
              "suite gives; only such matched numbers are compared. A defense that could not be matched, "
              "or that ran at a fixed strength, is drawn hollow and not ranked. One that leaves more utility "
              "even at its strongest setting is saturated, and one without a strength is run as it is: "
              "both are compared by what they leak there, since others may be less useful, down to the "
              "target. What does not surely leak less than no defense shares the last rank with it.");
    paragraph(
        w, "A defense is judged by the attack under which it leaks most. The numbers in brackets are the 95 "
           "% confidence interval of the mean over training runs, one for each seed. With a single training "
           "run it is over the targets of that run and says nothing about others. Ranks compare defenses run "
           "by run; those whose difference is not statistically significant are tied. A rank takes five "
           "training runs, an attack that succeeds without a defense, and an adaptive attack, which knows "
           "the defense. An attack that failed or does not apply says nothing about a defense.");
    paragraph(w, "Baselines are the scores without any attack: of a random guess, the mean image, the "
                 "nearest public image; chance is the rate of blind guessing. At its baseline a "
                 "reconstruction looks no more like the private image than a guess does, but it may still "
                 "identify the image: see the identification rate. In the trade-off plots the grey step is "
                 "the Pareto front: no other point is better in both utility and privacy.");
}

static void link_to(page *w, const char *name, const char *says) {
    static const char *const endings[] = {"csv", "json", "md"};
    gnt_pen_begin(&w->pen, GNT_PEN_ITEM);
    gnt_text_add(&w->pen.out, "%s:", says);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char file[GNT_PICTURE_NAME];
        snprintf(file, sizeof file, "tables/%s.%s", name, endings[i]);
        gnt_text_add(&w->pen.out, " ");
        gnt_pen_link(&w->pen, file, endings[i]);
    }
    gnt_pen_end(&w->pen, GNT_PEN_ITEM);
}

/* Says the scale of the run, in the suite's own words. */
static void say_scale(page *w) {
    const gnt_result_scale *scale = w->p->results->file->scale;
    char *line = scale && *scale->name ? gnt_format("Scale %s. %s", scale->name, scale->says) : NULL;
    if (line)
        paragraph(w, line);
    w->pen.out.failed |= scale && *scale->name && !line;
    gnt_free(line);
}

/* Says which attacks are from lists: a line for each list. */
static void say_lists(page *w) {
    const gnt_result_attacks *attacks = &w->p->results->file->attacks;
    for (size_t i = 0; i < attacks->n; i++) {
        const gnt_result_list *list = attacks->at[i].list;
        size_t before = 0;
        while (before < i &&
               !(list && attacks->at[before].list && strcmp(attacks->at[before].list->name, list->name) == 0))
            before++;
        if (!list || before < i)
            continue;
        char *line = gnt_format(
            "Attacks called %s:… are those of the list %s, digest %s%s.", list->name, list->name,
            list->digest,
            strcmp(list->status, "draft") == 0 ? ", a draft, which may still change under this name" : "");
        if (line)
            paragraph(w, line);
        w->pen.out.failed |= !line;
        gnt_free(line);
    }
}

static void say_paper(page *w) {
    const size_t n = json_array_size(w->p->paper);
    if (n == 0)
        return;
    heading(w, "The paper's tables");
    for (size_t i = 0; i < n; i++) {
        gnt_paper_table one;
        gnt_table t;
        if (gnt_paper_at(w->p->paper, i, &one) != 0)
            continue;
        gnt_pen_write(&w->pen, GNT_PEN_SUBHEADING, one.title);
        gnt_paper_fill(w->p->results, &one, &t);
        gnt_pen_begin(&w->pen, GNT_PEN_WIDE);
        table(w, &t);
        gnt_pen_end(&w->pen, GNT_PEN_WIDE);
        if (*one.note)
            paragraph(w, one.note);
    }
}

static int has_hooks(page *w) {
    gnt_table t;
    const int any = gnt_table_hooks_of(w->p->results, w->p->run, &t);
    if (any)
        gnt_table_free(&t);
    return any;
}

static void say_files(page *w, int captured) {
    static const struct {
        const char *name, *says;
        int compares; /* defenses, which attacks on captures do not */
    } files[] = {{"matrix", "Defense by attack at matched utility", 1},
                 {"ranking", "Worst case over attacks", 1},
                 {"equal-utility", "Leakage at equal utility", 1},
                 {"equal-leakage", "Utility at equal leakage", 1},
                 {"bounds", "Bounds, as estimates", 1},
                 {"maps", "Utility of maps", 1},
                 {"groups", "All groups with baselines and chance", 0},
                 {"matches", "Matching", 1},
                 {"history", "The training runs that matching used", 1},
                 {"problems", "Cells without a number", 0},
                 {"floors", "Baselines and chance", 0},
                 {"secret", "Control training runs with secret labels", 1},
                 {"attackers", "What attackers know", 0},
                 {"searches", "Why searches ended", 0}};
    heading(w, "Tables as files");
    gnt_pen_begin(&w->pen, GNT_PEN_LIST);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!captured || !files[i].compares)
            link_to(w, files[i].name, files[i].says);
    if (has_hooks(w))
        link_to(w, "hooks", "Time inside hooks, on this machine");
    for (size_t i = 0; i < json_array_size(w->p->paper); i++) {
        gnt_paper_table one;
        char *name = gnt_paper_at(w->p->paper, i, &one) == 0 ? gnt_format("paper-%s", one.id) : NULL;
        if (name)
            link_to(w, name, "As in the paper's table");
        gnt_free(name);
    }
    gnt_pen_end(&w->pen, GNT_PEN_LIST);
}

/* Warns of a target that a defense of no effect meets, once for each task. */
static void say_loose_targets(page *w) {
    const gnt_results *r = w->p->results;
    for (size_t i = 0; i < r->n_match; i++) {
        const gnt_match_row *m = &r->match[i];
        int said = 0;
        for (size_t k = 0; k < i; k++)
            said |= !strcmp(r->match[k].task, m->task);
        if (said || !(fabs(m->utility_none - m->target) <= m->tolerance))
            continue;
        const char *measure = gnt_utility_measure(r, m->task);
        gnt_text text;
        gnt_text_init(&text, 1 << 16);
        gnt_text_add(&text, "On %s the target ", m->task);
        gnt_utility_write(measure, m->target, &text);
        gnt_text_add(&text, " lies within its tolerance of ");
        gnt_utility_write(measure, m->tolerance, &text);
        gnt_text_add(&text, " of the undefended ");
        gnt_utility_write(measure, m->utility_none, &text);
        gnt_text_add(&text, ": a defense that does nothing meets it. Lower the tolerance or the target.");
        gnt_pen_write_text(&w->pen, GNT_PEN_PARAGRAPH, &text);
    }
}

static void say_matching(page *w) {
    gnt_table t;
    heading(w, "Matching");
    gnt_table_matches(w->p->results, &t);
    table(w, &t);
    say_loose_targets(w);
    fold(w, "The training runs that matching used");
    gnt_table_history(w->p->results, &t);
    table(w, &t);
    unfold(w);
}

static void say_tables(page *w, int captured) {
    gnt_table t;
    heading(w, "Baselines and chance");
    gnt_table_floors(w->p->results, &t);
    fold(w, "All baselines");
    table(w, &t);
    unfold(w);
    gnt_table_secret(w->p->results, &t);
    say_if_any(
        w, &t, "Secret labels",
        "A control training gives clients' samples labels by a secret rule that public data do not show. "
        "Learnt is the share of changed test samples that get the rule's label, less that of the others, "
        "with its standard error: a defense that learns as little as public data has its model from "
        "elsewhere.",
        "What each defense learnt of the rule");
    gnt_table_attackers(w->p->results, &t);
    say_if_any(
        w, &t, "What attackers know",
        "Every attacker has the model, the weights that were broadcast, the batch size and the number of "
        "local steps; granted is what it has besides. The threat model is the letter of Carletti et al. "
        "(USENIX Security 2025), of attacks on updates: C knows no more, D has surrogate data, E "
        "statistics of the client's data. Labels and knowledge of the defense have no letter there.",
        "Each attack and what it is granted");
    gnt_table_searches(w->p->results, &t);
    say_if_any(w, &t, "How searches ended", NULL,
               "Why each attack's searches ended, as it says, by the number of observations");
    gnt_table_facts(w->p->results, &t);
    say_if_any(w, &t, "Facts", has_epsilon(w->p->results) ? epsilon_words : NULL,
               "Numbers that plugins report on themselves, and that scoring found of encodings");
    heading(w, captured ? "Attacks that were left out, or failed" : "Cells without a number");
    gnt_table_problems(w->p->results, &t);
    if (!captured)
        fold(w, "Failed and not applicable cells");
    table(w, &t);
    if (!captured)
        unfold(w);
}

/* Writes the beginning of index.html, with the digest of its script, which is the only one that may run. */
static void write_head(page *w) {
    static const char mark[] = "{{script}}";
    const char *at = strstr(report_head, mark);
    uint8_t digest[crypto_hash_sha256_BYTES];
    char text[sodium_base64_ENCODED_LEN(sizeof digest, sodium_base64_VARIANT_ORIGINAL)];
    crypto_hash_sha256(digest, (const uint8_t *)report_script, strlen(report_script));
    sodium_bin2base64(text, sizeof text, digest, sizeof digest, sodium_base64_VARIANT_ORIGINAL);
    gnt_text_bytes(&w->pen.out, report_head, (size_t)(at - report_head));
    gnt_text_add(&w->pen.out, "%s%s", text, at + strlen(mark));
}

static void say_page(page *w) {
    const gnt_report *p = w->p;
    const char *title = p->results->title[0] ? p->results->title : p->results->suite;
    const int html = w->pen.format == GNT_PEN_HTML, captured = gnt_result_is_of_captures(p->results->file);
    if (html) {
        write_head(w);
        gnt_pen_say(&w->pen, title);
        gnt_text_add(&w->pen.out, "</title>\n</head>\n<body>\n");
    }
    gnt_pen_write(&w->pen, GNT_PEN_TITLE, title);
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    gnt_text_add(&text, "Suite %s. ", p->results->suite);
    count_cells(p->results, &text);
    gnt_pen_write_text(&w->pen, GNT_PEN_PARAGRAPH, &text);
    say_scale(w);
    say_lists(w);
    gnt_pen_lines(&w->pen, gnt_text_get(&p->notices));
    if (captured)
        gnt_report_write_captured(p, &w->pen);
    else if (p->n_section == 0)
        paragraph(w, "This run holds no results yet.");
    else
        say_summary(w);
    /* marks come before the numbers: they cost the rank */
    gnt_table found;
    gnt_table_found(p->results, &found);
    say_if_any(w, &found, "What the host found",
               "These defenses broke a rule in the cells counted here, and are disqualified whatever their "
               "numbers are.",
               NULL);
    say_paper(w);
    for (size_t i = 0; !captured && i < p->n_section; i++)
        say_section(w, &p->section[i], i > 0 && !strcmp(p->section[i].task, p->section[i - 1].task));
    if (!captured) {
        say_guide(w);
        say_matching(w);
    }
    say_tables(w, captured);
    say_files(w, captured);
    if (html)
        gnt_text_add(&w->pen.out, "<script>%s</script>\n</body>\n</html>\n", report_script);
}

static int write_page(const gnt_report *p, gnt_pen_format format, const char *name, gnt_err *err) {
    page w = {.p = p, .pen = {.format = format}};
    gnt_text_init(&w.pen.out, MOST);
    say_page(&w);
    char *path = gnt_format("%s/%s", p->folder, name);
    int failed = !path || w.pen.out.failed
                     ? gnt_fail(err, "%s: out of memory", name)
                     : gnt_file_write(path, gnt_text_get(&w.pen.out), w.pen.out.size, err);
    gnt_free(path);
    gnt_text_free(&w.pen.out);
    return failed;
}

int gnt_report_write_index(const gnt_report *p, gnt_err *err) {
    return write_page(p, GNT_PEN_MARKDOWN, "index.md", err) || write_page(p, GNT_PEN_HTML, "index.html", err)
               ? -1
               : 0;
}
