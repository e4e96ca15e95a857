/* The strengths of a baseline run, from its results into a suite. */
#include "derive/derive.h"

int gnt_derive_add_baseline(gnt_suite *suite, const char *name, const gnt_result_strengths *given,
                            gnt_err *err) {
    int rc = given->at ? gnt_suite_begin_baseline(suite, err) : 0;
    for (size_t i = 0; rc == 0 && i < given->n; i++)
        rc = gnt_suite_add_baseline(suite, name, given->at[i].task, given->at[i].defense,
                                    given->at[i].strength, err);
    return rc;
}

int gnt_derive_add_matches(gnt_suite *suite, const char *name, const gnt_match_rows *matches, gnt_err *err) {
    int rc = gnt_suite_begin_baseline(suite, err);
    for (size_t i = 0; rc == 0 && i < matches->n; i++)
        rc = gnt_suite_add_baseline(suite, name, matches->at[i].task, matches->at[i].defense,
                                    matches->at[i].strength, err);
    return rc;
}
