/* Documents: strict JSON, its sentences, where a path lies in the text, and the canonical form.
 * Input: a path, a line "%%", a document. */
#include "fuzz.h"

static void read_all(const gnt_doc *doc, const char *path, const json_t *value) {
    static const char *const words[] = {"none", "matched", "sweep"};
    gnt_err err = {0};
    int64_t whole = 0;
    double real = 0;
    const char *text = NULL;
    int flag = 0;
    const json_t *child = NULL;
    fuzz_ok(gnt_doc_keys(doc, path, value, words, 3, &err), &err);
    fuzz_ok(gnt_doc_int(doc, path, value, "none", -5, 1000, &whole, &err), &err);
    fuzz_ok(gnt_doc_real(doc, path, value, "none", 0, 1e6, &real, &err), &err);
    fuzz_ok(gnt_doc_text(doc, path, value, "none", 8, &text, &err), &err);
    fuzz_ok(gnt_doc_bool(doc, path, value, "none", &flag, &err), &err);
    fuzz_ok(gnt_doc_choice(doc, path, value, "none", words, 3, &flag, &err), &err);
    fuzz_ok(gnt_doc_object(doc, path, value, "none", &child, &err), &err);
    fuzz_ok(gnt_doc_list(doc, path, value, "none", 1, 4, &child, &err), &err);
    MUST(whole >= -5 && whole <= 1000 && real >= 0 && real <= 1e6 && flag >= 0 && flag < 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size};
    char *path = fuzz_string(fuzz_text(&all));
    gnt_doc doc, again;
    gnt_err err = {0};
    if (fuzz_ok(gnt_doc_parse(&doc, "input.json", (const char *)all.at, all.left, &err), &err)) {
        MUST(gnt_doc_line(&doc, path) >= 1);
        read_all(&doc, path, doc.root);
        char *text = gnt_json_canonical(doc.root);
        MUST(text);
        MUST(gnt_doc_parse(&again, "canonical", text, strlen(text), &err) == 0);
        char *twice = gnt_json_canonical(again.root);
        MUST(twice && strcmp(text, twice) == 0);
        gnt_free(twice);
        gnt_doc_free(&again);
        gnt_free(text);
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return 0;
}
