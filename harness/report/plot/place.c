#include "report/plot/place_impl.h"

/* Half of a large mark with its white edge. */
enum { MARK = 9 };

static int overlap(const gnt_box *a, const gnt_box *b) {
    return a->left < b->right && b->left < a->right && a->bottom < b->top && b->bottom < a->top;
}

static int is_free(const gnt_box *taken, size_t n, const gnt_box *within, const gnt_box *box) {
    if (box->left < within->left || box->right > within->right || box->bottom < within->bottom ||
        box->top > within->top)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (overlap(&taken[i], box))
            return 0;
    return 1;
}

int gnt_place(const gnt_box *taken, size_t n, const gnt_box *within, double x, double y, double width,
              double height, gnt_box *box) {
    const double up = y + height / 2, down = y - height / 2;
    const gnt_box places[] = {{x + MARK, x + MARK + width, down, up},
                              {x - width / 2, x + width / 2, y - MARK - height, y - MARK},
                              {x - width / 2, x + width / 2, y + MARK, y + MARK + height},
                              {x - MARK - width, x - MARK, down, up}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (is_free(taken, n, within, &places[i])) {
            *box = places[i];
            return 1;
        }
    return 0;
}
