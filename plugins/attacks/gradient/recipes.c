/* What each attack by search is composed of. An attack is a row here and a descriptor (dlg.c). */
#include <string.h>

#include "recipes.h"

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
