/* The job `data`: opens the task's data once and deals it into roles, each a bundle of its own. So no later
 * job opens a file of data, and an attack is handed just what it was granted. */
#include <string.h>

#include "base/mem.h"
#include "data/data.h"
#include "job/job.h"

static int write_role(gnt_work *w, int role, const char *output, gnt_data *data, const gnt_data_spec *spec,
                      const gnt_split *split, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    gnt_data_draw(data, spec, split->rows[role], split->n[role]);
    int rc = gnt_samples_pack(&st, data, split->rows[role], split->n[role], err);
    if (rc == 0 && role == GNT_ROLE_CLIENTS)
        rc = gnt_samples_pack_groups(&st, data, split->rows[role], split->n[role], err);
    if (rc == 0)
        rc = w->write(w->context, output, &st, err);
    gnt_st_free(&st);
    w->progress(w->context, role + 1, GNT_ROLES);
    return rc;
}

/* Writes public rows of another data set. */
static int write_other_set(gnt_work *w, const gnt_request_source *of, const char *output, const char *folder,
                           const gnt_key *key, gnt_err *err) {
    const gnt_data_spec spec = {.name = of->name, .seed = (uint64_t)of->seed};
    const gnt_split_spec wanted = {.n = {[GNT_ROLE_PUBLIC] = of->rows.n ? of->rows.at[0] : 0}};
    gnt_data *data = NULL;
    gnt_split split = {0};
    int rc = gnt_data_open_undrawn(&data, &spec, folder, err);
    if (rc == 0)
        rc = gnt_split_make(&split, data, &wanted, key, err);
    if (rc == 0) {
        rc = write_role(w, GNT_ROLE_PUBLIC, output, data, &spec, &split, err);
        gnt_split_free(&split);
    }
    gnt_data_free(data);
    return rc;
}

int gnt_job_data(gnt_work *w, gnt_err *err) {
    const gnt_request_data *q = &w->request->data;
    const char *folder = *q->folder ? q->folder : NULL;
    gnt_data_spec spec = {.name = q->data.name, .seed = (uint64_t)q->data.seed};
    gnt_split_spec wanted = {.target_part = (int)q->split.target_part,
                             .target_rows = q->split.target_rows.n ? q->split.target_rows.at : NULL,
                             .n_target_rows = (int64_t)q->split.target_rows.n,
                             .apart = q->split.apart};
    if (q->split.balance.n > 1) {
        wanted.balance = (int)q->split.balance.at[0];
        wanted.balance_value = q->split.balance.at + 1;
        wanted.n_balance = (int64_t)q->split.balance.n - 1;
    }
    memcpy(spec.rows, q->data.rows.at, q->data.rows.n * sizeof *spec.rows);
    memcpy(wanted.first, q->split.first.at, sizeof wanted.first);
    memcpy(wanted.n, q->split.n.at, sizeof wanted.n);
    gnt_data *data = NULL;
    gnt_split split = {0};
    /* what is done to all rows, or chosen by their attributes, needs them all */
    const int needs_all = q->coin || q->without.n || q->split.balance.n;
    int rc = needs_all ? gnt_data_open(&data, &spec, folder, err)
                       : gnt_data_open_undrawn(&data, &spec, folder, err);
    if (rc == 0 && q->coin)
        rc = gnt_data_add_coin(data, (int32_t)q->coin, &q->key, err);
    for (size_t i = 0; rc == 0 && i < q->without.n; i++)
        rc = gnt_data_blank(data, (int32_t)q->without.at[i], err);
    if (rc == 0)
        rc = gnt_split_make(&split, data, &wanted, &q->key, err);
    if (rc == 0) {
        for (int role = 0; rc == 0 && role < GNT_ROLES; role++)
            if (!(q->public_rows && role == GNT_ROLE_PUBLIC))
                rc = write_role(w, role, gnt_role_names[role], data, &spec, &split, err);
        if (rc == 0 && q->public_rows)
            rc = write_other_set(w, q->public_rows, gnt_role_names[GNT_ROLE_PUBLIC], folder, &q->key, err);
        if (rc == 0 && q->prior_rows)
            rc = write_other_set(w, q->prior_rows, "prior_data", folder, &q->key, err);
        gnt_split_free(&split);
    }
    gnt_data_free(data);
    return rc;
}
