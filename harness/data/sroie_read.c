/* The boxes and key fields of a receipt of SROIE, and which box is of which field. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/csv.h"
#include "data/sroie.h"

enum { MOST_FILE = 1 << 18, MOST_LINE = 1024, MOST_KEY = 256, CORNERS = 8 };
/* Pixels of the scan to one of ours, and ours that all boxes may take: bounds on work and memory. */
enum { MOST_STEP = 20, MOST_TAKEN = 4096 };
/* Letters and digits that a text needs to be found by, and of how many one may be wrong. */
enum { LEAST_LETTERS = 5, LEAST_AMOUNT = 3, LETTERS_AN_ERROR = 6 };

const char *const sroie_field_names[SROIE_FIELDS] = {"company", "date", "address", "total"};

char *sroie_path(const char *folder, const char *kind, int number) {
    const char *end = strcmp(kind, "img") == 0 ? "jpg" : strcmp(kind, "box") == 0 ? "csv" : "json";
    return gnt_format("%s/data/%s/%03d.%s", folder, kind, number, end);
}

/* ---- which field a text is of ---- */

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Copies letters, as capitals, and digits alone; at most MOST_KEY of them. Returns their number. */
static int letters_of(const char *text, size_t n, char *out) {
    int kept = 0;
    for (size_t i = 0; i < n && kept < MOST_KEY; i++) {
        const char c = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 'a' + 'A') : text[i];
        if (is_digit(c) || (c >= 'A' && c <= 'Z'))
            out[kept++] = c;
    }
    return kept;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Returns the smallest number of letters to change, insert or delete for `few` to occur somewhere in
 * `many`. */
static int errors_in(const char *few, int n, const char *many, int m) {
    int row[MOST_KEY + 1] = {0};
    for (int i = 0; i < n; i++) {
        int corner = row[0];
        row[0] = i + 1;
        for (int j = 0; j < m; j++) {
            const int changed = corner + (few[i] != many[j]);
            corner = row[j + 1];
            row[j + 1] = least(changed, 1 + least(corner, row[j]));
        }
    }
    int best = n;
    for (int j = 0; j <= m; j++)
        best = least(best, row[j]);
    return best;
}

static int occurs_in(const char *few, int n, const char *many, int m) {
    return n >= LEAST_LETTERS && errors_in(few, n, many, m) <= n / LETTERS_AN_ERROR;
}

/* True if the amount is in the text, as a number of its own. `key` may have a currency before it. */
static int has_amount(const char *text, size_t n, const char *key) {
    while (*key && !is_digit(*key))
        key++;
    const size_t amount = strspn(key, "0123456789.,");
    for (size_t i = 0; amount >= LEAST_AMOUNT && i + amount <= n; i++) {
        if (memcmp(text + i, key, amount) != 0)
            continue;
        const int before = i > 0 && (is_digit(text[i - 1]) || text[i - 1] == '.' || text[i - 1] == ',');
        const size_t end = i + amount;
        const int more = end < n && (text[end] == '.' || text[end] == ',');
        const int behind = end + more < n && is_digit(text[end + more]);
        if (!before && !behind)
            return 1;
    }
    return 0;
}

int sroie_field_of(const char *text, size_t n, const char *const key[SROIE_FIELDS]) {
    char here[MOST_KEY], there[MOST_KEY];
    const int letters = letters_of(text, n, here);
    if (has_amount(text, n, key[SROIE_TOTAL]))
        return SROIE_TOTAL;
    const int date = letters_of(key[SROIE_DATE], strlen(key[SROIE_DATE]), there);
    if (date >= LEAST_LETTERS && date <= letters && memmem(here, (size_t)letters, there, (size_t)date))
        return SROIE_DATE;
    static const int by_text[2] = {SROIE_COMPANY, SROIE_ADDRESS};
    for (int i = 0; i < 2; i++) {
        const int m = letters_of(key[by_text[i]], strlen(key[by_text[i]]), there);
        if (occurs_in(here, letters, there, m) || occurs_in(there, m, here, letters))
            return by_text[i];
    }
    return -1;
}

/* ---- the files ---- */

static int read_corner(const data_csv *c, data_field *rest, int i, int64_t *out, gnt_err *err) {
    const char *comma = memchr(rest->at, ',', rest->n);
    if (!comma)
        return gnt_fail(
            err, "%s: line %zu: %d of the %d numbers before the text; expected \"x,y\" of four corners",
            c->b->path, c->line, i, CORNERS);
    const size_t n = (size_t)(comma - rest->at);
    if (data_csv_whole(c, (data_field){rest->at, n}, i % 2 ? "y of a corner" : "x of a corner", out, err))
        return -1;
    if (*out > DATA_BITMAP_MOST_SIDE)
        return data_csv_bad(c, (data_field){rest->at, n}, i % 2 ? "y of a corner" : "x of a corner",
                            "at most 10000", err);
    *rest = (data_field){comma + 1, rest->n - n - 1};
    return 0;
}

static int read_box(sroie_receipt *r, const data_csv *c, data_field line, const char *const *key,
                    gnt_err *err) {
    int64_t corner[CORNERS];
    char letters[MOST_KEY];
    for (int i = 0; i < CORNERS; i++)
        if (read_corner(c, &line, i, &corner[i], err))
            return -1;
    sroie_box b = {.x0 = DATA_BITMAP_MOST_SIDE, .y0 = DATA_BITMAP_MOST_SIDE};
    for (int i = 0; i < CORNERS; i += 2) {
        const int x = (int)corner[i], y = (int)corner[i + 1];
        b.x0 = x < b.x0 ? x : b.x0;
        b.y0 = y < b.y0 ? y : b.y0;
        b.x1 = x > b.x1 ? x : b.x1;
        b.y1 = y > b.y1 ? y : b.y1;
    }
    if (b.x0 == b.x1 || b.y0 == b.y1)
        return 0;
    if (r->n == SROIE_BOXES)
        return gnt_fail(err, "%s: line %zu: more than the %d boxes that a receipt may have", c->b->path,
                        c->line, SROIE_BOXES);
    b.letters = letters_of(line.at, line.n, letters);
    b.field = sroie_field_of(line.at, line.n, key);
    r->box[r->n++] = b;
    return 0;
}

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static int to_ours(double at, double from, double step) {
    return (int)((at - from) / step + 0.5);
}

/* Scales boxes from the scan's pixels to ours. */
static int set_size(sroie_receipt *r, const char *path, gnt_err *err) {
    enum { MARGIN = 2 };
    int high[SROIE_BOXES], left = DATA_BITMAP_MOST_SIDE, top = left;
    for (int i = 0; i < r->n; i++) {
        high[i] = r->box[i].y1 - r->box[i].y0;
        left = least(left, r->box[i].x0);
        top = least(top, r->box[i].y0);
    }
    qsort(high, (size_t)r->n, sizeof *high, by_number);
    r->step = (high[r->n / 2] + high[(r->n - 1) / 2]) / (2.0 * SROIE_LINE);
    r->step = r->step < 1 ? 1 : r->step;
    if (r->step > MOST_STEP)
        return gnt_fail(err, "%s: half of the boxes are %d pixels high or more; expected at most %d", path,
                        high[r->n / 2], MOST_STEP * SROIE_LINE);
    r->x = left - MARGIN * r->step;
    r->y = top - MARGIN * r->step;
    for (int i = 0; i < r->n; i++) {
        sroie_box *b = &r->box[i];
        *b = (sroie_box){to_ours(b->x0, r->x, r->step),
                         to_ours(b->y0, r->y, r->step),
                         to_ours(b->x1, r->x, r->step),
                         to_ours(b->y1, r->y, r->step),
                         b->field,
                         b->letters};
        r->wide = b->x1 > r->wide ? b->x1 : r->wide;
        r->high = b->y1 > r->high ? b->y1 : r->high;
    }
    return r->wide <= MOST_TAKEN && r->high <= MOST_TAKEN
               ? 0
               : gnt_fail(err,
                          "%s: where a line is %d pixels high, all boxes take %d by %d; expected at most %d "
                          "either way",
                          path, SROIE_LINE, r->wide, r->high, MOST_TAKEN);
}

static int read_boxes(sroie_receipt *r, const char *folder, const char *const *key, gnt_err *err) {
    data_bytes b = {.path = sroie_path(folder, "box", r->number)};
    data_csv c = {.b = &b, .most_line = MOST_LINE};
    data_field line;
    int more = 0, rc = b.path ? gnt_file_read(b.path, MOST_FILE, &b.at, &b.size, err)
                              : gnt_fail(err, "%s: out of memory", folder);
    while (rc == 0 && (more = data_csv_line(&c, &line, err)) > 0)
        rc = read_box(r, &c, line, key, err);
    if (rc == 0 && more < 0)
        rc = -1;
    if (rc == 0 && r->n == 0)
        rc = gnt_fail(err, "%s: has no box that is not empty; expected one for each text", b.path);
    if (rc == 0)
        rc = set_size(r, b.path, err);
    data_bytes_free(&b);
    return rc;
}

/* Reads the key fields; `key` borrows from *document. */
static int read_key(const char *path, json_t **document, const char **key, gnt_err *err) {
    uint8_t *text = NULL;
    size_t size = 0;
    json_error_t why;
    if (gnt_file_read(path, MOST_FILE, &text, &size, err))
        return -1;
    *document = json_loadb((const char *)text, size, JSON_REJECT_DUPLICATES, &why);
    gnt_free(text);
    if (!json_is_object(*document))
        return *document
                   ? gnt_fail(err, "%s: is no JSON object; expected one of \"company\", \"date\", …", path)
                   : gnt_fail(err, "%s: line %d: %s; expected a JSON object of key fields", path, why.line,
                              why.text);
    for (int f = 0; f < SROIE_FIELDS; f++) {
        const json_t *value = json_object_get(*document, sroie_field_names[f]);
        key[f] = value ? json_string_value(value) : "";
        if (!key[f])
            return gnt_fail(err, "%s: \"%s\" is no text; expected one, or none where the receipt has none",
                            path, sroie_field_names[f]);
    }
    return 0;
}

int sroie_read(sroie_receipt *out, const char *folder, int number, gnt_err *err) {
    const char *key[SROIE_FIELDS];
    json_t *document = NULL;
    char *path = sroie_path(folder, "key", number);
    memset(out, 0, sizeof *out);
    out->number = number;
    int rc = path ? read_key(path, &document, key, err) : gnt_fail(err, "%s: out of memory", folder);
    if (rc == 0)
        rc = read_boxes(out, folder, key, err);
    json_decref(document);
    gnt_free(path);
    return rc;
}
