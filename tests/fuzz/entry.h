/* entry: the record of a store's entry for the harnesses that read stores: a record that ends as it should is
 * given its sum, so that what is searched for lies behind it. */
#ifndef TESTS_FUZZ_ENTRY_H
#define TESTS_FUZZ_ENTRY_H

#include "fuzz.h"
#include "run/store/store.h"

static inline void fuzz_record(const char *name, const gnt_digest *key, fuzz_bytes record) {
    char sum[GNT_HEX_SIZE], *text;
    if (!record.left || record.at[record.left - 1] != '}') {
        fuzz_file(name, record);
        return;
    }
    char *start = fuzz_string((fuzz_bytes){record.at, record.left - 1});
    gnt_store_sum(key, start, record.left - 1, sum);
    MUST(text = gnt_format(",\"sum\":\"%s\"}", sum));
    uint8_t *whole = gnt_array(record.left + strlen(text), 1);
    MUST(whole);
    memcpy(whole, record.at, record.left - 1);
    memcpy(whole + record.left - 1, text, strlen(text));
    fuzz_file(name, (fuzz_bytes){whole, record.left - 1 + strlen(text)});
    gnt_free(whole);
    gnt_free(start);
    gnt_free(text);
}

#endif
