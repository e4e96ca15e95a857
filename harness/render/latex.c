#include "render/latex.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"
#include "render/escape.h"

/* ---- text ---- */

typedef struct substitute {
    const char *from, *to;
} substitute;

/* What LaTeX gives a meaning, and characters beyond ASCII that its default encoding can typeset. */
static const substitute substitutes[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"%", "\\%"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"^", "\\textasciicircum{}"},
    {"~", "\\textasciitilde{}"},
    {"<", "\\ensuremath{<}"},
    {">", "\\ensuremath{>}"},
    {"|", "\\ensuremath{|}"},
    {"\"", "''"},
    {"[", "{[}"},
    {"]", "{]}"},
    {"–", "--"},
    {"—", "---"},
    {"−", "\\ensuremath{-}"},
    {"±", "\\ensuremath{\\pm}"},
    {"×", "\\ensuremath{\\times}"},
    {"·", "\\ensuremath{\\cdot}"},
    {"≤", "\\ensuremath{\\leq}"},
    {"≥", "\\ensuremath{\\geq}"},
    {"→", "\\ensuremath{\\to}"},
    {"←", "\\ensuremath{\\leftarrow}"},
    {"σ", "\\ensuremath{\\sigma}"},
    {"ε", "\\ensuremath{\\varepsilon}"},
    {"†", "\\dag{}"},
    {"…", "\\dots{}"},
    {"‘", "`"},
    {"’", "'"},
    {"“", "``"},
    {"”", "''"},
};

/* Returns the length of the character at `text`, of valid UTF-8 of at most four bytes. */
static size_t char_length(const char *text) {
    size_t n = 1;
    while (n < 4 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n++;
    return n;
}

/* True for the letters À to ÿ that an accent makes of others, which every encoding of LaTeX has. */
static int is_accented(const char *text) {
    static const char *const without[] = {"Ð", "×", "Þ", "ð", "÷", "þ"};
    if ((unsigned char)text[0] != 0xc3 || char_length(text) != 2)
        return 0;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (strncmp(text, without[i], 2) == 0)
            return 0;
    return 1;
}

static const substitute *find(const char *text, size_t n) {
    for (size_t i = 0; i < sizeof substitutes / sizeof *substitutes; i++)
        if (strlen(substitutes[i].from) == n && strncmp(substitutes[i].from, text, n) == 0)
            return &substitutes[i];
    return NULL;
}

void gnt_escape_latex(gnt_text *out, const char *text) {
    gnt_text line;
    gnt_text_init(&line, GNT_TABLE_TEXT_MOST);
    gnt_escape_line(&line, text);
    out->failed |= line.failed;
    for (const char *at = gnt_text_get(&line); *at;) {
        const size_t n = char_length(at);
        const substitute *s = find(at, n);
        if (s)
            gnt_text_add(out, "%s", s->to);
        else if ((n == 1 && (unsigned char)*at < 0x80) || is_accented(at))
            gnt_text_bytes(out, at, n);
        else
            gnt_text_add(out, "?");
        at += n;
    }
    gnt_text_free(&line);
}

/* ---- tables ---- */

static void add_number(gnt_text *out, double value, int digits) {
    if (isfinite(value))
        gnt_text_add(out, "%.*g", digits, value == 0 ? 0.0 : value);
    else
        gnt_text_add(out, "--");
}

static int is_number_column(const gnt_table *t, size_t column) {
    for (size_t i = column; i < t->n_item; i += t->n_column)
        if (t->item[i].text)
            return 0;
    return t->n_item > 0;
}

static void add_comment(gnt_text *out, const char *text) {
    if (!text)
        return;
    gnt_text_add(out, "%% ");
    gnt_escape_latex(out, text);
    gnt_text_add(out, "\n");
}

void gnt_table_latex(const gnt_table *t, gnt_text *out) {
    out->failed |= t->failed;
    add_comment(out, t->title);
    add_comment(out, t->caption);
    gnt_text_add(out, "\\begin{tabular}{");
    for (size_t c = 0; c < t->n_column; c++)
        gnt_text_add(out, "%s", is_number_column(t, c) ? "r" : "l");
    gnt_text_add(out, "}\n\\toprule\n");
    for (size_t c = 0; c < t->n_column; c++) {
        gnt_text_add(out, "%s", c ? " & " : "");
        gnt_escape_latex(out, t->column[c]);
    }
    gnt_text_add(out, " \\\\\n\\midrule\n");
    for (size_t i = 0; i < t->n_item; i++) {
        const size_t c = i % t->n_column;
        gnt_text_add(out, "%s", c ? " & " : "");
        if (t->item[i].text)
            gnt_escape_latex(out, t->item[i].text);
        else
            add_number(out, t->item[i].number, 4);
        gnt_text_add(out, "%s", c == t->n_column - 1 ? " \\\\\n" : "");
    }
    gnt_text_add(out, "\\bottomrule\n\\end{tabular}\n");
}

/* ---- macros ---- */

/* Appends letters that stand for a text. */
static void add_letters(gnt_text *out, const char *text) {
    static const char *const digits[] = {"Zero", "One", "Two",   "Three", "Four",
                                         "Five", "Six", "Seven", "Eight", "Nine"};
    int is_first = 1; /* of a word */
    for (const char *at = text; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c < 0x80 && isalpha(c))
            gnt_text_add(out, "%c", is_first ? toupper(c) : c);
        else if (c < 0x80 && isdigit(c))
            gnt_text_add(out, "%s", digits[c - '0']);
        is_first = !(c < 0x80 && isalpha(c));
    }
}

typedef struct macro {
    char *name, *key; /* owned; key: what the name was made of, exactly */
    double value;
    size_t at; /* place in the table */
} macro;

static int by_name(const void *a, const void *b) {
    const macro *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b) {
    const macro *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int is_key(const char *column, const char *const *key, size_t n_key) {
    for (size_t i = 0; i < n_key; i++)
        if (strcmp(key[i], column) == 0)
            return 1;
    return 0;
}

/* Writes what a row has in a column of the key. */
static void say_item(const gnt_table_item *item, gnt_text *out) {
    if (item->text)
        gnt_text_add(out, "%s", item->text);
    else if (isfinite(item->number))
        gnt_text_add(out, "%.9g", item->number);
}

/* Makes the macro of the item in a column of a row. */
static int make(macro *m, const gnt_table *t, const char *table, size_t row, size_t column,
                const char *const *key, size_t n_key) {
    gnt_text name, exact, one;
    gnt_text_init(&name, GNT_TABLE_TEXT_MOST);
    gnt_text_init(&exact, GNT_TABLE_TEXT_MOST);
    gnt_text_add(&name, "gnt");
    add_letters(&name, table);
    for (size_t c = 0; c < t->n_column; c++) {
        if (!is_key(t->column[c], key, n_key))
            continue;
        gnt_text_init(&one, GNT_TABLE_TEXT_MOST);
        say_item(&t->item[row * t->n_column + c], &one);
        add_letters(&name, gnt_text_get(&one));
        gnt_text_add(&exact, "%s\n", gnt_text_get(&one));
        name.failed |= one.failed;
        gnt_text_free(&one);
    }
    add_letters(&name, t->column[column]);
    *m = (macro){.value = t->item[row * t->n_column + column].number, .at = row * t->n_column + column};
    m->key = exact.failed ? NULL : gnt_strdup(gnt_text_get(&exact));
    m->name = name.failed ? NULL : gnt_text_take(&name);
    gnt_text_free(&name);
    gnt_text_free(&exact);
    return m->key && m->name ? 0 : -1;
}

/* Appends letters of a digest of the row's key to the names that occur twice. */
static int set_apart(macro *m, size_t n) {
    qsort(m, n, sizeof *m, by_name);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(m[end].name, m[i].name) == 0;)
            end++;
        char *shared = end - i > 1 ? gnt_strdup(m[i].name) : NULL;
        if (end - i > 1 && !shared)
            return -1;
        for (size_t k = i; shared && k < end; k++) {
            const gnt_digest digest = gnt_digest_bytes(m[k].key, strlen(m[k].key));
            char letters[6] = "";
            for (size_t d = 0; d < 5; d++)
                letters[d] = (char)('a' + digest.b[d] % 26);
            gnt_free(m[k].name);
            m[k].name = gnt_format("%s%s", shared, letters);
            if (!m[k].name) {
                gnt_free(shared);
                return -1;
            }
        }
        gnt_free(shared);
    }
    qsort(m, n, sizeof *m, by_place);
    return 0;
}

void gnt_table_macros(const gnt_table *t, const char *name, const char *const *key, size_t n_key,
                      gnt_text *out) {
    macro *m = gnt_array(t->n_item + 1, sizeof *m);
    size_t n = 0;
    int failed = !m || t->failed;
    for (size_t i = 0; !failed && i < t->n_item; i++)
        if (!t->item[i].text && isfinite(t->item[i].number) &&
            !is_key(t->column[i % t->n_column], key, n_key))
            failed = make(&m[n++], t, name, i / t->n_column, i % t->n_column, key, n_key) != 0;
    failed = failed || set_apart(m, n) != 0;
    for (size_t i = 0; !failed && i < n; i++) {
        gnt_text_add(out, "\\newcommand{\\%s}{", m[i].name);
        add_number(out, m[i].value, 9);
        gnt_text_add(out, "}\n");
    }
    for (size_t i = 0; i < n; i++) {
        gnt_free(m[i].name);
        gnt_free(m[i].key);
    }
    gnt_free(m);
    out->failed |= failed;
}
