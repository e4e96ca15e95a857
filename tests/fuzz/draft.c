/* Drafts of descriptions. Input: a byte that says what the file is called, then the file. A draft is JSON,
 * and is opened as it is. There is always a picture, by the names that lists are likely to have. */
#include "data.h"
#include "dot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {
        "train.csv", "people.csv",        "lfw_attributes.txt", "list_attr_celeba.txt",
        "train.npz", "train.safetensors", "x_train.npy"};
    static const char *const pictures[] = {"0.png", "An_0001.jpg"};
    fuzz_bytes all = {data, size};
    const fuzz_bytes picture = {fuzz_dot, sizeof fuzz_dot};
    const size_t which = fuzz_byte(&all) % (sizeof names / sizeof *names);
    gnt_err err = {0};
    char *text = NULL, *notes = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fuzz_no_file(names[i]);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        fuzz_file(pictures[i], picture);
    fuzz_file(names[which], all);
    fuzz_no_file("test.csv");
    if (which == 0)
        fuzz_file("test.csv", all);
    if (!fuzz_ok(gnt_data_describe(fuzz_folder(), &text, &notes, &err), &err))
        return 0;
    gnt_doc doc;
    MUST(gnt_doc_parse(&doc, "draft", text, strlen(text), &err) == 0);
    gnt_doc_free(&doc);
    fuzz_file("own.json", (fuzz_bytes){(const uint8_t *)text, strlen(text)});
    fuzz_open_set("own.json");
    gnt_free(text);
    gnt_free(notes);
    return 0;
}
