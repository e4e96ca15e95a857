#include "board/about_impl.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "judge/measure_text.h"

enum {
    MOST_NAME = 80,
    MOST_LINE = 400,
    MOST_URL = 500,
    MOST_LINKS = 16,
    MOST_CLAIMS = 4096,
    MOST_BYTES = 1 << 20
};

static int is_date(const char *text) {
    static const char shape[] = "dddd-dd-dd";
    if (strlen(text) != sizeof shape - 1)
        return 0;
    for (size_t i = 0; i < sizeof shape - 1; i++)
        if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i])
            return 0;
    const int month = (text[5] - '0') * 10 + text[6] - '0', day = (text[8] - '0') * 10 + text[9] - '0';
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* True for an address that a page may link to: never javascript: or a file. */
static int is_url(const char *text) {
    const size_t scheme = !strncmp(text, "https://", 8) ? 8 : !strncmp(text, "http://", 7) ? 7 : 0;
    if (!scheme || !text[scheme])
        return 0;
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~' || strchr("\"'<>\\`{}|^", *c))
            return 0;
    return 1;
}

static int read_link(const gnt_doc *doc, const char *path, const json_t *object, gnt_board_link *link,
                     gnt_err *err) {
    static const char *const keys[] = {"title", "url"};
    if (gnt_doc_keys(doc, path, object, keys, 2, err) ||
        gnt_doc_need(doc, path, object, "title", "what the link is called", err) ||
        gnt_doc_text(doc, path, object, "title", MOST_NAME, &link->title, err) ||
        gnt_doc_need(doc, path, object, "url", "where it goes", err) ||
        gnt_doc_text(doc, path, object, "url", MOST_URL, &link->url, err))
        return -1;
    if (!is_url(link->url))
        return gnt_doc_fail(err, doc, gnt_path_key(path, "url").text,
                            "is %s; expected an address that begins with https:// or http://",
                            gnt_show_text(link->url).text);
    return 0;
}

static int read_claim(const gnt_doc *doc, const char *path, const json_t *object, gnt_board_claim *claim,
                      gnt_err *err) {
    static const char *const keys[] = {"defense", "task", "stage", "measure", "value", "source"};
    *claim = (gnt_board_claim){.task = "", .source = "", .stage = GNT_EVERY_STAGE};
    if (gnt_doc_keys(doc, path, object, keys, sizeof keys / sizeof *keys, err) ||
        gnt_doc_need(doc, path, object, "defense", "the label of a defense of the run", err) ||
        gnt_doc_text(doc, path, object, "defense", MOST_LINE, &claim->defense, err) ||
        gnt_doc_text(doc, path, object, "task", MOST_LINE, &claim->task, err) ||
        gnt_doc_int(doc, path, object, "stage", 0, INT64_MAX, &claim->stage, err) ||
        gnt_doc_need(doc, path, object, "measure", "a measure, such as \"psnr\"", err) ||
        gnt_doc_text(doc, path, object, "measure", MOST_NAME, &claim->measure, err) ||
        gnt_doc_need(doc, path, object, "value", "the number that is claimed", err) ||
        gnt_doc_real(doc, path, object, "value", -1e12, 1e12, &claim->value, err) ||
        gnt_doc_text(doc, path, object, "source", MOST_LINE, &claim->source, err))
        return -1;
    if (!gnt_measure_find(claim->measure))
        return gnt_doc_fail(err, doc, gnt_path_key(path, "measure").text,
                            "is %s; expected a measure that docs/results.md names, such as \"psnr\"",
                            gnt_show_text(claim->measure).text);
    return 0;
}

static int read_links(gnt_board_about *a, gnt_err *err) {
    const json_t *list = NULL;
    if (gnt_doc_list(&a->doc, "", a->doc.root, "links", 0, MOST_LINKS, &list, err))
        return -1;
    const size_t n = json_array_size(list);
    a->link = gnt_array(n + 1, sizeof *a->link);
    if (!a->link)
        return gnt_fail(err, "%s: out of memory", a->doc.name);
    for (size_t i = 0; i < n; i++)
        if (read_link(&a->doc, gnt_path_item("links", i).text, json_array_get(list, i), &a->link[i], err))
            return -1;
    a->n_link = n;
    return 0;
}

static int read_claims(gnt_board_about *a, gnt_err *err) {
    const json_t *list = NULL;
    if (gnt_doc_list(&a->doc, "", a->doc.root, "claims", 0, MOST_CLAIMS, &list, err))
        return -1;
    const size_t n = json_array_size(list);
    a->claim = gnt_array(n + 1, sizeof *a->claim);
    if (!a->claim)
        return gnt_fail(err, "%s: out of memory", a->doc.name);
    for (size_t i = 0; i < n; i++)
        if (read_claim(&a->doc, gnt_path_item("claims", i).text, json_array_get(list, i), &a->claim[i], err))
            return -1;
    a->n_claim = n;
    return 0;
}

static int read_root(gnt_board_about *a, gnt_err *err) {
    static const char *const keys[] = {"format", "contributor", "date", "note", "links", "claims"};
    const gnt_doc *doc = &a->doc;
    const json_t *root = doc->root;
    int64_t format = 0;
    if (gnt_doc_keys(doc, "", root, keys, sizeof keys / sizeof *keys, err) ||
        gnt_doc_need(doc, "", root, "format", "1", err) ||
        gnt_doc_int(doc, "", root, "format", 1, 1, &format, err) ||
        gnt_doc_text(doc, "", root, "contributor", MOST_NAME, &a->contributor, err) ||
        gnt_doc_text(doc, "", root, "date", MOST_NAME, &a->date, err) ||
        gnt_doc_text(doc, "", root, "note", MOST_LINE, &a->note, err))
        return -1;
    if (*a->date && !is_date(a->date))
        return gnt_doc_fail(err, doc, "date", "is %s; expected a day, such as \"2025-03-31\"",
                            gnt_show_text(a->date).text);
    return read_links(a, err) || read_claims(a, err) ? -1 : 0;
}

int gnt_board_about_load(gnt_board_about *about, const char *path, gnt_err *err) {
    *about = (gnt_board_about){.contributor = "", .date = "", .note = ""};
    if (!gnt_file_exists(path))
        return 0;
    if (gnt_doc_load(&about->doc, path, MOST_BYTES, err) != 0)
        return -1;
    if (read_root(about, err) == 0)
        return 0;
    gnt_board_about_free(about);
    return -1;
}

void gnt_board_about_free(gnt_board_about *about) {
    gnt_free(about->link);
    gnt_free(about->claim);
    gnt_doc_free(&about->doc);
    *about = (gnt_board_about){.contributor = "", .date = "", .note = ""};
}
