/* Which attacks are on the influence of updates, and which defenses they apply to. */
#include <string.h>

#include "result/result.h"

const char *gnt_result_influence_of(const gnt_result *r, const char *attack) {
    for (size_t i = 0; i < r->attacks.n; i++) {
        const gnt_result_attack *a = &r->attacks.at[i];
        if (strcmp(a->label, attack) == 0)
            return a->influence_of && *a->influence_of ? a->influence_of : NULL;
    }
    return NULL;
}

int gnt_result_has_hook(const gnt_result_member *member, const char *hook) {
    for (size_t i = 0; i < member->hooks.n; i++)
        if (strcmp(member->hooks.at[i], hook) == 0)
            return 1;
    return 0;
}

static int was_attacked(const gnt_result *r, const char *defense) {
    for (size_t i = 0; i < r->cells.n; i++)
        if (strcmp(r->cells.at[i].defense, defense) == 0 && gnt_result_influence_of(r, r->cells.at[i].attack))
            return 1;
    return 0;
}

int gnt_result_aggregates(const gnt_result *r, const char *defense) {
    int known = 1;
    for (size_t i = 0; i < r->defenses.n; i++) {
        const gnt_result_members *members = &r->defenses.at[i].members;
        if (strcmp(r->defenses.at[i].label, defense) != 0)
            continue;
        for (size_t k = 0; k < members->n; k++) {
            if (gnt_result_has_hook(&members->at[k], "aggregate"))
                return 1;
            known &= members->at[k].hooks.at != NULL;
        }
    }
    return !known && was_attacked(r, defense);
}
