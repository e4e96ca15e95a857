/* What a worker says of a plugin's file: read, written, read again to the same text. */
#include "fuzz.h"
#include "plugin/load.h"

static const char digest[] = "0000000000000000000000000000000000000000000000000000000000000000";

/* As gnt_describe writes it. */
static char *written(const gnt_plugin_list *list) {
    gnt_text out;
    gnt_text_init(&out, 64 << 20);
    for (size_t i = 0; i < list->n; i++)
        gnt_info_write(&out, &list->info[i]);
    return gnt_text_take(&out);
}

static void read_again(const gnt_plugin_info *info) {
    gnt_text out;
    gnt_doc doc;
    gnt_plugin_info again;
    gnt_err err = {0};
    gnt_text_init(&out, 64 << 20);
    gnt_info_write(&out, info);
    MUST(gnt_doc_parse(&doc, "again", gnt_text_get(&out), out.size, &err) == 0);
    MUST(gnt_info_parse(&again, &doc, "", doc.root, &err) == 0);
    gnt_plugin_list one = {.info = &again, .n = 1};
    char *text = written(&one);
    MUST(text && strcmp(text, gnt_text_get(&out)) == 0);
    gnt_free(text);
    gnt_info_free(&again);
    gnt_doc_free(&doc);
    gnt_text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gnt_plugin_list list = {0};
    gnt_err err = {0};
    if (fuzz_ok(gnt_describe_read(&list, (const char *)data, size, "input.so", digest, &err), &err))
        for (size_t i = 0; i < list.n; i++)
            read_again(&list.info[i]);
    gnt_plugin_list_free(&list);
    return 0;
}
