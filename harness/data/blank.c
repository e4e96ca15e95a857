/* Features that state a private attribute outright can be taken from a table. */
#include "data/data.h"

int gnt_data_blank(gnt_data *d, int32_t attribute, gnt_err *err) {
    const gnt_data_attr *a = attribute >= 0 && attribute < d->n_attrs ? &d->attr[attribute] : NULL;
    if (!a || !a->n_stated || !d->table)
        return gnt_fail(err, "%s: no feature states attribute %d", d->name, attribute);
    for (int64_t i = 0; i < d->rows; i++)
        for (int32_t k = 0; k < a->n_stated; k++)
            d->table[i * d->features + a->stated + k] = 0;
    return 0;
}
