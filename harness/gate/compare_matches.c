/* Which defenses are matched in one run and not in the other. Whether a search finds a match is partly luck,
 * so that the verdict alone is a note; what it stands for is tested: utility at the same strength. */
#include <string.h>

#include "gate/gate_impl.h"

static int loses_utility(const gate_maker *m, const gate_search *s) {
    return s->loss_row != SIZE_MAX && m->g->row[s->loss_row].verdict == GNT_GATE_WORSE;
}

static int is_saturated(const gnt_match_row *m) {
    return !strcmp(m->verdict, "saturated");
}

static gnt_gate_kind kind_of(const gate_maker *m, const gate_search *s) {
    const gnt_match_row *now = s->now.match, *old = s->before.match;
    if (old->is_matched && !now->is_matched)
        return loses_utility(m, s) || strcmp(now->verdict, "unmatched") != 0 ? GNT_GATE_UNMATCHED
                                                                             : GNT_GATE_NOT_FOUND;
    if (now->is_matched && !old->is_matched)
        return GNT_GATE_MATCHED_NOW;
    return is_saturated(now) && !is_saturated(old) ? GNT_GATE_SATURATED : GNT_GATE_KINDS;
}

static void say(gnt_gate_kind kind, const gate_search *s, gnt_text *text) {
    const gnt_match_row *now = s->now.match;
    gnt_text_add(text, "%.40s, was %.40s", now->verdict, s->before.match->verdict);
    if (!now->is_matched && *now->reason)
        gnt_text_add(text, ": %.1000s", now->reason);
    if (kind == GNT_GATE_NOT_FOUND && s->is_at_baseline)
        gnt_text_add(text, "; at the baseline's strength it costs no more than chance explains");
    else if (kind == GNT_GATE_NOT_FOUND)
        gnt_text_add(text, "; at the same strength it costs no more than chance explains, so that the search "
                           "may have had no luck, but nothing judges the defense at equal utility");
    if (kind == GNT_GATE_SATURATED && !s->is_at_baseline)
        gnt_text_add(text,
                     ": its strongest setting, %.6g, leaves more utility than the target; no sweep "
                     "judges the strengths below it",
                     now->strength);
}

int gate_compare_matches(gate_maker *m) {
    for (size_t i = 0; i < m->n_search; i++) {
        const gate_search *s = &m->search[i];
        const gnt_gate_kind kind = kind_of(m, s);
        gnt_text place, text;
        if (kind == GNT_GATE_KINDS)
            continue;
        gnt_text_init(&place, 4096);
        gnt_text_init(&text, 4096);
        gnt_text_add(&place, "%.500s/%.500s", s->now.match->task, s->now.match->defense);
        say(kind, s, &text);
        int rc = gate_add_finding(m, kind, NULL, gnt_text_get(&place), gnt_text_get(&text));
        gnt_text_free(&place);
        gnt_text_free(&text);
        if (rc != 0)
            return -1;
    }
    return 0;
}
