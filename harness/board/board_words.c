/* Sentences and names of the board. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "board/board_impl.h"
#include "metric/compare.h"
#include "plugin/abi_words.h"

static const gnt_results *first_of(const board *b, const board_contest *c) {
    return &b->run[c->run[0]].results;
}

void board_say_place(const board *b, const board_contest *c, gnt_text *out) {
    gnt_section_title(first_of(b, c), c->task, c->stage, out);
    const int of_representations = gnt_facts_of(first_of(b, c), c->task)->of_representations;
    gnt_text_add(out, "%s", c->in_round || of_representations ? "" : ", probe");
    if (c->like != (size_t)(c - b->contest))
        gnt_text_add(out, " (suite %s, %s)", first_of(b, c)->suite, b->run[c->run[0]].contributor);
}

void board_say_threat(uint32_t threat, gnt_text *out) {
    char words[256];
    if (threat == 0)
        gnt_text_add(out, "nothing in addition to what is shared");
    else
        gnt_text_add(out, "%s", gnt_words_list(&gnt_knowledge_words, threat, words, sizeof words));
}

/* Writes an attack's label, the list that it is from, and its contributor if two attacks share the label. */
void board_say_attack(const board *b, const board_contest *c, const board_number *n, gnt_text *out) {
    const board_attack *a = &c->attack[n->attack];
    const gnt_result_attack *of = gnt_attack_of(&b->run[a->first].results, a->label);
    int shared = 0;
    for (size_t i = 0; i < c->n_attack; i++)
        shared |= i != n->attack && !strcmp(c->attack[i].label, a->label);
    gnt_text_add(out, "%s", a->label);
    if (of && of->list)
        gnt_text_add(out, " (%s list %.12s)", of->list->status, of->list->digest);
    if (shared)
        gnt_text_add(out, " (as %s set it)", b->run[a->first].contributor);
}

/* Returns the utility by which a place is above the target, as the utility's measure writes it. */
static void say_surplus(const board_place *p, gnt_text *out) {
    const char *name = p->worst->group->utility.measure;
    gnt_utility_write(name, p->place.surplus, out);
    gnt_text_add(out, " %s above the target", name);
}

void board_say_read(const board_contest *c, const board_place *p, gnt_text *out) {
    if (!p->worst)
        return;
    if (p->place.at_target) {
        gnt_text_add(out, "at the target utility; ");
        gnt_measure_write(c->lead, &p->score->stat, out);
        gnt_text_add(out, " at the matched strength");
    } else if (p->place.exhausted) {
        gnt_text_add(out, "%s, ", gnt_utility_words(p->kind, p->saturated, &p->place));
        say_surplus(p, out);
    }
}

void board_say_next(const board *b, const board_contest *c, const board_place *p, gnt_text *out) {
    if (!p->next)
        return;
    gnt_measure_write(gnt_next_measure(c->lead), &p->next_stat, out);
    if (p->worst && p->next->attack != p->worst->attack) {
        gnt_text_add(out, ", ");
        board_say_attack(b, c, p->next, out);
    }
}

void board_say_contributors(const board *b, const board_row *row, gnt_text *out) {
    int any = 0;
    for (size_t i = 0; i < b->n_run; i++) {
        int said = !row->in_run[i];
        for (size_t k = 0; k < i && !said; k++)
            said = row->in_run[k] && board_is_same_contributor(b, k, i);
        if (!said)
            gnt_text_add(out, "%s%s", any++ ? ", " : "", b->run[i].contributor);
    }
}

/* Returns the group of the first number that a row lacks under an attack; NULL if it was never run. */
static const gnt_outcome *missing_group(const board_contest *c, const board_place *p) {
    for (size_t i = 0; i < c->n_number; i++) {
        const board_number *n = &c->number[i];
        if (&c->row[n->row] == p->row && n->attack == p->missing && n->group->status != GNT_CELL_OK)
            return n->group;
    }
    return NULL;
}

static void say_marks(const board_place *p, gnt_text *out) {
    const char *before = ", marked by the host: ";
    for (size_t i = 0; i < gnt_mark_count(p->row->marked); i++) {
        const gnt_mark mark = gnt_mark_at(p->row->marked, i);
        if (!gnt_mark_costs_rank(&mark))
            continue;
        gnt_text_add(out, "%s%s", before, mark.says);
        before = "; ";
    }
}

static void say_unmet(const board_place *p, gnt_text *out) {
    gnt_text_add(out, ", no adaptive attack for its mechanism yet");
    if (!p->unmet.what)
        return;
    if (p->unmet.kind != GNT_DUTY_FAMILY) {
        gnt_text_add(out, ": ");
        gnt_duty_say(&p->unmet, out);
    } else if (*p->unmet.what)
        gnt_text_add(out, " (\"%s\")", p->unmet.what);
}

static void say_lacking(const board_contest *c, const board_place *p, gnt_text *out) {
    if (p->lacking == 0)
        return;
    const gnt_outcome *missing = missing_group(c, p);
    gnt_text_add(out, ", no number from %s",
                 p->missing < c->n_attack ? c->attack[p->missing].label : c->absent);
    if (missing && c->stage == GNT_EVERY_STAGE)
        gnt_text_add(out, " in drawn round %" PRId64, missing->stage);
    if (p->lacking > 1)
        gnt_text_add(out, " and %zu more", p->lacking - 1);
    if (missing && *missing->reason)
        gnt_text_add(out, " (%s)", missing->reason);
}

void board_say_state(const board_contest *c, const board_place *p, gnt_text *out) {
    gnt_text_add(out, "%s", gnt_utility_words(p->kind, p->saturated, &p->place));
    switch (p->state) {
    case GNT_UNRANKED_MARKED:
        say_marks(p, out);
        break;
    case GNT_UNRANKED_PUBLIC:
        gnt_text_add(out, ", no better than public data alone");
        break;
    case GNT_UNRANKED_GUESS:
        gnt_text_add(out,
                     ", no verdict: its number is of many rows, of which guesses alone are right more often");
        break;
    case GNT_UNRANKED_INADEQUATE:
        gnt_text_add(out, ", no verdict: no attack here succeeds without a defense");
        break;
    case GNT_UNRANKED_FEW:
        gnt_text_add(out, ", %zu training run%s; a rank takes %d", p->trainings, p->trainings == 1 ? "" : "s",
                     GNT_METRIC_COMPARE_LEAST);
        break;
    case GNT_UNRANKED_UNMET:
        say_unmet(p, out);
        break;
    case GNT_UNRANKED_UNMATCHED:
        if (p->kind == GNT_GROUP_AS_IS)
            gnt_text_add(out, "%s",
                         isnan(p->place.surplus) ? ", no target utility to compare it at"
                                                 : ", less useful than the target");
        break;
    default:
        say_lacking(c, p, out);
    }
}

void board_say_last(const board_place *p, gnt_text *out) {
    if (p->state == GNT_RANKED_AS_NONE)
        gnt_text_add(out, "does not surely leak less than no defense, and shares its place, the last");
    if (p->state != GNT_RANKED_UNMET)
        return;
    gnt_text_add(out, "last, since all others surely leak less");
    say_unmet(p, out);
}

void board_say_untried(const board_contest *c, const gnt_measure *m, uint32_t threat, const board_place *p,
                       gnt_text *out) {
    static const struct {
        board_trial trial;
        const char *words;
    } why[] = {{BOARD_UNTRIED, "not yet tried: "}, {BOARD_UNFIT, "untested, does not apply: "}};
    const size_t row = (size_t)(p->row - c->row);
    for (size_t k = 0; k < sizeof why / sizeof *why; k++)
        for (size_t a = 0, any = 0; a < c->n_attack; a++) {
            if (board_trial_of(c, row, a, m, threat, p->kind) != why[k].trial)
                continue;
            if (!any && out->size)
                gnt_text_add(out, "; ");
            gnt_text_add(out, "%s%s", any++ ? ", " : why[k].words, c->attack[a].label);
        }
}

/* Returns the first match with a target utility. */
static const gnt_match_row *match_of(const board *b, const board_contest *c) {
    for (size_t k = 0; k < c->n_run; k++) {
        const gnt_results *r = &b->run[c->run[k]].results;
        for (size_t i = 0; i < r->n_match; i++)
            if (!strcmp(r->match[i].task, c->task) && isfinite(r->match[i].target))
                return &r->match[i];
    }
    return NULL;
}

const char *board_utility(const board *b, const board_contest *c) {
    for (size_t k = 0; k < c->n_run; k++) {
        const char *name = gnt_utility_measure(&b->run[c->run[k]].results, c->task);
        if (*name)
            return name;
    }
    return "";
}

static void say_target(const board *b, const board_contest *c, gnt_text *out) {
    const gnt_match_row *m = match_of(b, c);
    const char *name = board_utility(b, c);
    if (!m || !*name)
        return;
    gnt_text_add(out, "%s ", name);
    gnt_utility_write(name, m->target, out);
    if (!isfinite(m->tolerance))
        return;
    gnt_text_add(out, " ± ");
    gnt_utility_write(name, m->tolerance, out);
}

static const board_place *undefended_of(const board_place *places, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (places[i].kind == GNT_GROUP_UNDEFENDED && places[i].worst)
            return &places[i];
    return NULL;
}

static void say_number(const board_contest *c, const gnt_stat *s, gnt_text *out) {
    gnt_text_add(out, "%s ", c->lead->title);
    gnt_measure_write(c->lead, s, out);
}

/* Writes "no more than a guess (13.1 dB, nearest public image)". */
static void say_guess(const board_contest *c, double floor, gnt_text *out) {
    const gnt_stat alone = {.mean = floor, .low = NAN, .high = NAN};
    const char *name;
    board_floor(c, c->lead, c->threat[0], &name);
    gnt_text_add(out, "no more than a guess (%s ", c->lead->title);
    gnt_measure_write(c->lead, &alone, out);
    gnt_text_add(out, ", %s)", name);
}

/* Says the highest identification rate, or PSNR, among those that share the first rank. */
static void say_most_next(const board *b, const board_contest *c, const board_place *places, size_t n,
                          gnt_text *out) {
    const board_place *most = NULL;
    for (size_t i = 0; i < n; i++)
        if (places[i].next && (!most || places[i].next_stat.mean > most->next_stat.mean))
            most = &places[i];
    if (!most)
        return;
    gnt_text_add(out, "; %s%s: ", gnt_next_title(c->lead), n > 1 ? " at most" : "");
    board_say_next(b, c, most, out);
}

static int is_floored(const board_contest *c, const board_place *p) {
    return gnt_leak_is_floored(c->lead, p->measured.mean, p->floor);
}

/* Returns why the first n places are one rank. */
static gnt_tie tie_of(const board_place *places, size_t n) {
    unsigned why = 0;
    for (size_t i = 0; i < n; i++)
        why |= places[i].place.tied;
    return (gnt_tie)why;
}

/* Says which defenses are first. If all of them are below the baseline, their numbers are left out. */
static void say_first(const board *b, const board_contest *c, const board_place *places, size_t n,
                      gnt_text *out) {
    size_t level = 0, floored = 0;
    for (; level < n && places[level].place.rank == 1; level++)
        floored += (size_t)is_floored(c, &places[level]);
    const int as_none = places[0].state == GNT_RANKED_AS_NONE;
    if (as_none)
        gnt_text_add(out, "none of the ranked defenses surely leaks less than no defense: ");
    for (size_t i = 0; i < level; i++)
        gnt_text_add(out, "%s%s", i == 0 ? "" : i + 1 == level ? " and " : ", ", places[i].row->label);
    if (floored == level) {
        gnt_text_add(out, level > 1 ? " leak " : " leaks ");
        say_guess(c, places[0].floor, out);
    } else {
        if (as_none && level > 1)
            gnt_text_add(out, "; of these %s leaks least on average: ", places[0].row->label);
        else if (level > 1)
            gnt_text_add(out, " leak least (a tie: %s): ", gnt_tie_words(tie_of(places, level)));
        else
            gnt_text_add(out, as_none ? " leaks " : " leaks least: ");
        say_number(c, &places[0].measured, out);
        gnt_text_add(out, " at worst, under ");
        board_say_attack(b, c, places[0].worst, out);
        if (c->stage == GNT_EVERY_STAGE)
            gnt_text_add(out, " in drawn round %" PRId64, places[0].worst->group->stage);
        if (floored) {
            gnt_text_add(out, ", ");
            say_guess(c, places[0].floor, out);
        }
    }
    say_most_next(b, c, places, level, out);
}

void board_say_answer(const board *b, const board_contest *c, gnt_text *out) {
    board_place *places = gnt_array(c->n_row + 1, sizeof *places);
    out->failed |= !places;
    const size_t n = places && c->lead ? board_rank(c, c->lead, c->threat[0], places) : 0;
    const board_place *none = undefended_of(places, n);
    if (!board_any_number(places, n))
        gnt_text_add(out, "No cell gave a number.");
    else {
        gnt_text target;
        gnt_text_init(&target, 1 << 16);
        say_target(b, c, &target);
        out->failed |= target.failed;
        if (!places[0].place.rank)
            gnt_text_add(out, "No defense is ranked: the table says why");
        else {
            gnt_text_add(out, "At matched utility%s%s%s, ", target.size ? " (" : "", gnt_text_get(&target),
                         target.size ? ")" : "");
            say_first(b, c, places, n, out);
        }
        gnt_text_free(&target);
        if (none) {
            gnt_text_add(out, ". Undefended: ");
            say_number(c, &none->measured, out);
        }
        gnt_text_add(out, ".");
    }
    gnt_free(places);
}

const gnt_board_claim *board_claim(const board *b, const board_contest *c, const board_row *row,
                                   const gnt_measure *m) {
    const gnt_board_claim *found = NULL;
    for (size_t i = 0; i < b->n_run; i++)
        for (size_t k = 0; row->in_run[i] && k < b->run[i].about.n_claim; k++) {
            const gnt_board_claim *claim = &b->run[i].about.claim[k];
            if (!strcmp(claim->defense, row->label) && !strcmp(claim->measure, m->name) &&
                (!*claim->task || !strcmp(claim->task, c->task)) &&
                (claim->stage == GNT_EVERY_STAGE || claim->stage == c->stage))
                found = claim;
        }
    return found;
}

int board_footnote(size_t n, uint32_t *flag, const char **mark, const char **words) {
    static const struct {
        const char *flag, *mark, *words;
    } notes[] = {
        {"randomised", "a", "randomised: its output is random given its input"},
        {"no_gradient", "b", "not differentiable: an attack gets no gradient through it"},
        {"needs_public", "c", "needs public data"},
        {"needs_shadow", "d", "needs shadow data of its own"},
        {"artefacts_private", "e",
         "what it prepares stays with the clients, whatever an attacker knows: shadow observations are made "
         "with artefacts of the attacker's own"}};
    if (n >= sizeof notes / sizeof *notes || gnt_word_bit(&gnt_flag_words, notes[n].flag, flag) != 0)
        return 0;
    *mark = notes[n].mark;
    *words = notes[n].words;
    return 1;
}
