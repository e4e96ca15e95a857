/* What each attack by search is composed of. An attack is a row here and a descriptor (dlg.c; for those that
 * choose their parts when they run, a file such as lrp_search.c). */
#include <string.h>

#include "recipes.h"
#include "defense/granted_sparse.h"
#include "search/chosen.h"

static const recipe recipes[] = {
    /* id     cost           prior          search: guarded, reference               label */
    {"dlg", &cost_squares, &prior_pixels, {&search_guarded, &search_as_published}, &label_searched},
    {"idlg", &cost_squares, &prior_pixels, {&search_guarded, &search_as_published}, &label_from_update},
};

const recipe *recipe_of(const char *id) {
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (strcmp(recipes[i].id, id) == 0)
            return &recipes[i];
    return NULL;
}

static const chosen_recipe chosen[] = {
    /* id, what else is read of the grant, cost, prior, label, what else is bound, search, trials' images */
    {"invert-gradients", NULL, invert_cost, invert_prior, invert_label, invert_bind, invert_run,
     INVERT_TRIALS},
    {"lrp-search", NULL, lrp_cost, lrp_prior, search_labels, lrp_bind, lrp_run, 0},
    {"dlg-whitened", NULL, likely_cost, likely_prior, likely_label, likely_bind, likely_run, 0},
    {"region-known", granted_sparse_read, likely_cost, likely_prior, likely_label, region_bind, region_run,
     0},
};

const chosen_recipe *chosen_recipe_of(const char *id) {
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (strcmp(chosen[i].id, id) == 0)
            return &chosen[i];
    return NULL;
}
