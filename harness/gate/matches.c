/* Which defenses are matched in one run and not in the other. */
#include <string.h>

#include "gate/gate_impl.h"

static const gnt_match_row *find_match(const gnt_results *r, const gnt_match_row *like) {
    for (size_t i = 0; i < r->n_match; i++)
        if (!strcmp(r->match[i].task, like->task) && !strcmp(r->match[i].defense, like->defense))
            return &r->match[i];
    return NULL;
}

int gate_compare_matches(gate_maker *m) {
    const gnt_results *before = m->g->before;
    for (size_t i = 0; i < before->n_match; i++) {
        const gnt_match_row *old = &before->match[i], *now = find_match(m->g->now, old);
        if (!now || old->is_matched == now->is_matched)
            continue;
        gnt_text place, text;
        gnt_text_init(&place, 4096);
        gnt_text_init(&text, 4096);
        gnt_text_add(&place, "%.500s/%.500s", now->task, now->defense);
        gnt_text_add(&text, "%.40s, was %.40s", now->verdict, old->verdict);
        if (!now->is_matched && *now->reason)
            gnt_text_add(&text, ": %.1000s", now->reason);
        int rc = gate_add_finding(m, now->is_matched ? GNT_GATE_MATCHED_NOW : GNT_GATE_UNMATCHED, NULL,
                                  gnt_text_get(&place), gnt_text_get(&text));
        gnt_text_free(&place);
        gnt_text_free(&text);
        if (rc != 0)
            return -1;
    }
    return 0;
}
