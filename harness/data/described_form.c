#include "data/described_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int data_form_read(data_form *form, const data_description *of, gnt_err *err) {
    static const char *const separators[] = {",", ";", "\t"}, *const decimals[] = {".", ","};
    const gnt_doc *doc = &of->doc;
    const json_t *missing = NULL;
    int separator = 0;
    /* a tab is a control character, which a text may not have */
    const char *tab = json_string_value(json_object_get(doc->root, "separator"));
    if (tab && strcmp(tab, "\t") == 0)
        separator = 2;
    else if (gnt_doc_choice(doc, "", doc->root, "separator", separators, 3, &separator, err))
        return -1;
    if (gnt_doc_choice(doc, "", doc->root, "decimal", decimals, 2, &form->decimal_comma, err) ||
        gnt_doc_list(doc, "", doc->root, "missing", 0, DATA_MOST_MISSING, &missing, err))
        return -1;
    form->separator = *separators[separator];
    if (form->decimal_comma && form->separator == ',')
        return gnt_doc_fail(err, doc, "decimal",
                            "is a comma, and so is the separator; expected one of them to differ");
    for (; form->n_missing < json_array_size(missing); form->n_missing++) {
        const json_t *one = json_array_get(missing, form->n_missing);
        if (!json_is_string(one))
            return gnt_doc_fail(err, doc, gnt_path_item("missing", form->n_missing).text,
                                "is %s; expected a text that stands for a missing value", gnt_show(one).text);
        form->missing[form->n_missing] = json_string_value(one);
    }
    return 0;
}

int data_form_misses(const data_form *form, data_field f) {
    for (size_t i = 0; i < form->n_missing; i++)
        if (data_field_is(f, form->missing[i]))
            return 1;
    return 0;
}

int data_form_number(const data_form *form, const data_csv *csv, data_field f, const char *name, double *out,
                     gnt_err *err) {
    char text[64];
    char *end = text;
    const char point = form->decimal_comma ? ',' : '.';
    int valid = f.n > 0 && f.n < sizeof text;
    for (size_t i = 0; valid && i < f.n; i++) {
        const char ch = f.at[i];
        valid = (ch >= '0' && ch <= '9') || ch == point || ch == '+' || ch == '-' || ch == 'e' || ch == 'E';
        text[i] = ch == point ? '.' : ch;
    }
    if (valid) {
        text[f.n] = 0;
        *out = strtod(text, &end);
        valid = end == text + f.n && isfinite(*out);
    }
    return valid ? 0
                 : data_csv_bad(csv, f, name,
                                form->decimal_comma ? "a number such as 12 or -0,5"
                                                    : "a number such as 12 or -0.5",
                                err);
}
