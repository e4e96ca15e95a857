/* The lists of CelebA and LFW. Input: a list of attributes, "%%" on a line of its own, partitions, "%%",
 * identities; the first is also read as LFW's scores. Every line of a table has as many fields as its
 * header. */
#include "data/csv.h"
#include "data/face_lists.h"
#include "fuzz.h"

static void check_table(data_bytes *b) {
    data_csv csv = {.b = b, .most_line = b->size, .separator = '\t', .has_no_offsets = 1};
    data_field line, field;
    gnt_err err = {0};
    int columns = 0, n;
    while (data_csv_line(&csv, &line, &err) > 0 && (n = data_csv_split(&csv, line, &field, 1, &err)) > 0) {
        columns = columns ? columns : n;
        /* a field that opens a quote can take others in */
        MUST(n == columns || memchr(b->at, '"', b->size));
    }
    data_bytes_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size};
    const fuzz_bytes attributes = fuzz_text(&all), partition = fuzz_text(&all);
    char path[3][512];
    data_bytes b;
    fuzz_file("attributes.txt", attributes);
    fuzz_file("partition.txt", partition);
    fuzz_file("identity.txt", all);
    fuzz_path(path[0], "attributes.txt");
    fuzz_path(path[1], "partition.txt");
    fuzz_path(path[2], "identity.txt");
    for (int with = 0; with < 3; with++) {
        gnt_err err = {0};
        if (fuzz_ok(
                data_celeba_table(&b, path[0], with > 0 ? path[1] : NULL, with > 1 ? path[2] : NULL, &err),
                &err))
            check_table(&b);
    }
    for (int flat = 0; flat < 2; flat++) {
        gnt_err err = {0};
        if (fuzz_ok(data_lfw_table(&b, path[0], flat, &err), &err))
            check_table(&b);
    }
    return 0;
}
