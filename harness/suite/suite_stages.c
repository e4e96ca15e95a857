/* Which rounds of a training are observed: rising, each once. */
#include "suite/suite_impl.h"

int suite_read_stages(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "stages");
    int64_t rounds = t->federated.rounds;
    if (gnt_doc_list(r->doc, path, object, "stages", 1, GNT_SUITE_MOST_LIST, &list, r->err))
        return -1;
    size_t n = list ? json_array_size(list) : 1;
    t->stages = gnt_array(n, sizeof *t->stages);
    if (!t->stages)
        return suite_no_memory(r);
    t->n_stages = n;
    t->stages[0] = rounds;
    for (size_t i = 0; list && i < n; i++) {
        const gnt_path item = gnt_path_item(at.text, i);
        int64_t stage = 0;
        if (gnt_doc_int_at(r->doc, item.text, json_array_get(list, i), 0, 1000000, &stage, r->err))
            return -1;
        if (stage > rounds)
            return suite_fail(r, item.text,
                              "is %lld, but the task trains for %lld rounds; expected 0 to %lld; or raise "
                              "federated.rounds",
                              (long long)stage, (long long)rounds, (long long)rounds);
        if (i && stage <= t->stages[i - 1])
            return suite_fail(r, item.text, "is %lld, after %lld; expected rising rounds, each once",
                              (long long)stage, (long long)t->stages[i - 1]);
        t->stages[i] = stage;
    }
    return 0;
}
