/* Joining runs: a run's store and host.json as they come from elsewhere. Input: the record of an entry
 * without its sum, a line "%%", the bytes of its output "o", a line "%%", host.json. */
#include "entry.h"
#include "finished/merge.h"

enum { ENTRY = 64 };

static void say(void *user, const char *line) {
    ++*(size_t *)user;
    MUST(line[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t plan[] = "{}\n";
    static const gnt_digest key;
    static const char *const folders[] = {"one", "one/store", "one/store/00", "two", "two/store"};
    char hex[ENTRY + 1], name[512], one[512], two[512], to[512];
    fuzz_bytes all = {data, size}, record = fuzz_text(&all), output = fuzz_text(&all);
    size_t lines = 0;
    gnt_merge_counts counts;
    gnt_err err = {0};
    memset(hex, '0', ENTRY);
    hex[ENTRY] = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        fuzz_subfolder(folders[i]);
    snprintf(name, sizeof name, "one/store/00/%s", hex);
    fuzz_subfolder(name);
    snprintf(name, sizeof name, "one/store/00/%s/done.json", hex);
    fuzz_record(name, &key, record);
    snprintf(name, sizeof name, "one/store/00/%s/o.safetensors", hex);
    fuzz_file(name, output);
    fuzz_file("one/plan.json", (fuzz_bytes){plan, sizeof plan - 1});
    fuzz_file("two/plan.json", (fuzz_bytes){plan, sizeof plan - 1});
    fuzz_file("one/host.json", all);
    fuzz_file("two/host.json", (fuzz_bytes){(const uint8_t *)"{\"identity\": \"a\"}", 17});
    const char *const run[] = {fuzz_path(one, "one"), fuzz_path(two, "two")};
    nftw(fuzz_path(to, "to"), fuzz_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (fuzz_ok(gnt_merge(run, 2, to, &counts, say, &lines, &err), &err))
        MUST(counts.joined + counts.broken <= 1 && counts.conflicts == 0);
    return 0;
}
