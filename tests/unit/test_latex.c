/* Tables for LaTeX: text that cannot break out of a cell, tabulars as they are, names of macros. Where
 * pdflatex is installed, e2e/latex compiles what a report writes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "render/latex.h"

static void escapes(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"dp-gaussian", "dp-gaussian"},
        {"50 % of $1_000 & #2", "50 \\% of \\$1\\_000 \\& \\#2"},
        {"\\input{/etc/passwd}", "\\textbackslash{}input\\{/etc/passwd\\}"},
        {"a^b~c<d>|e|\"f\"", "a\\textasciicircum{}b\\textasciitilde{}c\\ensuremath{<}d\\ensuremath{>}"
                             "\\ensuremath{|}e\\ensuremath{|}''f''"},
        {"23.1 dB [22.0, 24.3]", "23.1 dB {[}22.0, 24.3{]}"},
        {"two\nlines\r%", "two lines \\%"},
        {"Zoë – ± → Ð 漢 \xff", "Zoë -- \\ensuremath{\\pm} \\ensuremath{\\to} ? ? ?"},
        {"^^5cinput", "\\textasciicircum{}\\textasciicircum{}5cinput"},
        {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gnt_text out;
        gnt_text_init(&out, 1 << 10);
        gnt_escape_latex(&out, cases[i][0]);
        assert_string_equal(gnt_text_get(&out), cases[i][1]);
        gnt_text_free(&out);
    }
}

/* Two defenses whose labels have the same letters, one of a digit, and one with an absent number. */
static void fill(gnt_table *t) {
    static const char *const labels[] = {"dp-a", "dp_a", "dp2", "none"};
    gnt_table_init(t, "50 % done");
    GNT_TABLE_COLUMNS(t, "task", "defense", "mean", "at_strength");
    for (size_t i = 0; i < 4; i++) {
        gnt_table_text(t, "t");
        gnt_table_text(t, labels[i]);
        gnt_table_number(t, 1.23456789012 + (double)i);
        gnt_table_number(t, i == 3 ? NAN : 0.5);
    }
}

static void a_tabular(void **state) {
    (void)state;
    gnt_table t;
    gnt_text out;
    gnt_text_init(&out, 1 << 16);
    fill(&t);
    gnt_table_latex(&t, &out);
    assert_string_equal(gnt_text_get(&out), "% 50 \\% done\n"
                                            "\\begin{tabular}{llrr}\n\\toprule\n"
                                            "task & defense & mean & at\\_strength \\\\\n\\midrule\n"
                                            "t & dp-a & 1.235 & 0.5 \\\\\n"
                                            "t & dp\\_a & 2.235 & 0.5 \\\\\n"
                                            "t & dp2 & 3.235 & 0.5 \\\\\n"
                                            "t & none & 4.235 & -- \\\\\n"
                                            "\\bottomrule\n\\end{tabular}\n");
    gnt_table_free(&t);
    gnt_text_free(&out);
}

static void macros_have_names_of_letters(void **state) {
    (void)state;
    static const char *const key[] = {"task", "defense"};
    gnt_table t;
    gnt_text out;
    gnt_text_init(&out, 1 << 16);
    fill(&t);
    gnt_table_macros(&t, "ranking", key, 2, &out);
    const char *text = gnt_text_get(&out);
    assert_non_null(strstr(text, "\\newcommand{\\gntRankingTDpTwoMean}{3.23456789}\n"));
    assert_null(strstr(text, "gntRankingTNoneAtStrength")); /* no number */
    /* twins get letters of a digest of their own key */
    assert_null(strstr(text, "\\newcommand{\\gntRankingTDpAMean}"));
    assert_non_null(strstr(text, "\\newcommand{\\gntRankingTDpAMean"));
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, "\\newcommand{\\")) != NULL; n++) {
        at += strlen("\\newcommand{\\");
        const size_t letters = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        assert_true(letters > 3 && at[letters] == '}');
        for (const char *other = at; (other = strstr(other + 1, "\\newcommand{\\")) != NULL;)
            assert_true(strncmp(other + strlen("\\newcommand{\\"), at, letters + 1) != 0);
    }
    assert_int_equal(n, 7);
    gnt_table_free(&t);
    gnt_text_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(escapes), cmocka_unit_test(a_tabular),
                                       cmocka_unit_test(macros_have_names_of_letters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
