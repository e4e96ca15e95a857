/* words: the names that bits and values of enumerations have in JSON and in sentences. */
#ifndef GNT_BASE_WORDS_H
#define GNT_BASE_WORDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct gnt_word {
    const char *name;
    uint32_t bit; /* a GNT_* bit, or the value of an enumeration */
} gnt_word;

typedef struct gnt_words {
    const gnt_word *word;
    size_t n;
} gnt_words;

const char *gnt_word_name(const gnt_words *words, uint32_t bit); /* NULL when there is no such bit */
int gnt_word_bit(const gnt_words *words, const char *name, uint32_t *bit); /* 0, or −1 for an unknown name */
uint32_t gnt_words_all(const gnt_words *words);                            /* all bits together */
/* Writes the names of `bits`, as in "update, encoding", cut to fit; "none" for 0. Returns `text`. */
const char *gnt_words_list(const gnt_words *words, uint32_t bits, char *text, size_t size);

#endif
