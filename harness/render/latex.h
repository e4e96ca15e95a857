/* latex: tables for LaTeX, and a macro for each of their numbers, so that a paper can cite a number by its
 * name and is right again after the next report.
 *
 * Tables need the package booktabs. All text is foreign and escaped: what LaTeX gives a meaning, and what its
 * default encoding has no letter for, comes out as text that it can typeset. */
#ifndef GNT_RENDER_LATEX_H
#define GNT_RENDER_LATEX_H

#include "render/table.h"

/* Appends text for a table or a paragraph. */
void gnt_escape_latex(gnt_text *out, const char *text);

/* Writes the table as a tabular, with numbers of four digits; its title and caption as comments. */
void gnt_table_latex(const gnt_table *t, gnt_text *out);

/* Writes \newcommand{\gntTABLEKEYCOLUMN}{NUMBER} for each number of a table that is in none of the columns
 * `key`, with nine digits. KEY joins what the row has in those columns, as far as the table has them. Names
 * have letters only: a letter after any other character is a capital, digits are words (2 is Two), and other
 * characters are left out. Of names that occur twice in the table each gets five more letters, of a digest of
 * the row's own key. So a name depends on its own row alone, but for such twins. */
void gnt_table_macros(const gnt_table *t, const char *name, const char *const *key, size_t n_key,
                      gnt_text *out);

#endif
