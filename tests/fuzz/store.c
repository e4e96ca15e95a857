/* Records of a store, next to one output that is as it was. Input: the record without its sum, a line "%%",
 * the output's bytes. Where an output called "o" is named with the digest of those bytes, the entry holds. */
#include "entry.h"
#include "nn/io/safetensors.h"

static void use(gnt_store *store, const gnt_digest *key, const json_t *record) {
    const char *name;
    json_t *value;
    gnt_err err = {0};
    MUST(json_is_object(json_object_get(record, "outputs")));
    json_object_foreach(json_object_get(record, "outputs"), name, value) {
        int fd = gnt_store_open_output(store, key, name, &err);
        uint8_t *bytes;
        size_t size;
        gnt_st st;
        MUST(fd >= 0 && strcmp(name, "o") == 0); /* no other file is there */
        close(fd);
        MUST(gnt_store_read(store, key, record, name, &bytes, &size, &err) == 0);
        if (fuzz_ok(gnt_st_parse(&st, name, bytes, size, &err), &err))
            gnt_st_free(&st);
        gnt_free(bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const gnt_digest key;
    static char entry[200];
    char name[256], folder[512];
    fuzz_bytes all = {data, size};
    gnt_store *store;
    json_t *record;
    gnt_err err = {0};
    MUST(gnt_store_open(&store, fuzz_path(folder, "store"), &err) == 0);
    if (!entry[0]) {
        char hex[GNT_HEX_SIZE];
        gnt_digest_hex(&key, hex);
        snprintf(entry, sizeof entry, "store/%.2s/%s", hex, hex);
        MUST(gnt_make_dirs(fuzz_path(folder, entry), &err) == 0);
    }
    snprintf(name, sizeof name, "%s/done.json", entry);
    fuzz_record(name, &key, fuzz_text(&all));
    snprintf(name, sizeof name, "%s/o.safetensors", entry);
    fuzz_file(name, all);
    if (fuzz_ok(gnt_store_find(store, &key, &record, &err), &err) && record) {
        use(store, &key, record);
        json_decref(record);
    }
    gnt_store_close(store);
    return 0;
}
