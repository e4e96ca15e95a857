/* The job `data`: opens the task's data once and deals it into roles, each a bundle of its own, so that no
 * later job needs to open a file of data and an attack can be handed just what it was granted. */
#include <string.h>

#include "base/mem.h"
#include "data/data.h"
#include "job/job.h"

static int read_targets(gnt_split_spec *spec, int64_t **rows, const json_t *list, gnt_err *err) {
    size_t n = json_array_size(list);
    if (n == 0)
        return 0;
    *rows = gnt_array(n, sizeof **rows);
    if (!*rows)
        return gnt_fail(err, "out of memory for %zu target rows", n);
    for (size_t i = 0; i < n; i++)
        (*rows)[i] = json_integer_value(json_array_get(list, i));
    spec->target_rows = *rows;
    spec->n_target_rows = (int64_t)n;
    return 0;
}

static int write_role(gnt_work *w, int role, const gnt_data *data, const gnt_split *split, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    int rc = gnt_samples_pack(&st, data, split->rows[role], split->n[role], err);
    if (rc == 0)
        rc = w->write(w->context, gnt_role_names[role], &st, err);
    gnt_st_free(&st);
    w->progress(w->context, role + 1, GNT_ROLES);
    return rc;
}

/* Public rows of another data set. */
static int write_lent(gnt_work *w, const char *folder, const gnt_key *key, gnt_err *err) {
    const gnt_data_spec spec = {.name = gnt_request_text(w, "public.name"),
                                .seed = (uint64_t)gnt_request_int(w, "public.seed")};
    const gnt_split_spec wanted = {.n = {[GNT_ROLE_PUBLIC] = gnt_request_int(w, "public.rows")}};
    gnt_data *data = NULL;
    gnt_split split = {0};
    int rc = gnt_data_open(&data, &spec, folder, err);
    if (rc == 0)
        rc = gnt_split_make(&split, data, &wanted, key, err);
    if (rc == 0) {
        rc = write_role(w, GNT_ROLE_PUBLIC, data, &split, err);
        gnt_split_free(&split);
    }
    gnt_data_free(data);
    return rc;
}

int gnt_job_data(gnt_work *w, gnt_err *err) {
    gnt_data_spec spec = {.name = gnt_request_text(w, "data.name"),
                          .seed = (uint64_t)gnt_request_int(w, "data.seed")};
    for (size_t i = 0; i < 3; i++)
        spec.rows[i] = json_integer_value(json_array_get(gnt_request(w, "data.rows"), i));
    gnt_split_spec wanted = {.target_part = (int)gnt_request_int(w, "split.target_part")};
    for (size_t i = 0; i < 3; i++)
        wanted.first[i] = json_integer_value(json_array_get(gnt_request(w, "split.first"), i));
    for (size_t i = 0; i < GNT_ROLES; i++)
        wanted.n[i] = json_integer_value(json_array_get(gnt_request(w, "split.n"), i));
    const char *folder = gnt_request_text(w, "folder");
    gnt_data *data = NULL;
    gnt_split split = {0};
    int64_t *rows = NULL;
    gnt_key key;
    int rc = gnt_request_key(w, "keys.data", &key, err);
    if (rc == 0)
        rc = read_targets(&wanted, &rows, gnt_request(w, "split.target_rows"), err);
    if (rc == 0)
        rc = gnt_data_open(&data, &spec, *folder ? folder : NULL, err);
    if (rc == 0)
        rc = gnt_split_make(&split, data, &wanted, &key, err);
    if (rc == 0) {
        int lent = gnt_request(w, "public") != NULL;
        for (int role = 0; rc == 0 && role < GNT_ROLES; role++)
            if (!(lent && role == GNT_ROLE_PUBLIC))
                rc = write_role(w, role, data, &split, err);
        if (rc == 0 && lent)
            rc = write_lent(w, *folder ? folder : NULL, &key, err);
        gnt_split_free(&split);
    }
    gnt_data_free(data);
    gnt_free(rows);
    return rc;
}
