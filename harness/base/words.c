#include "base/words.h"

#include <stdio.h>
#include <string.h>

const char *gnt_word_name(const gnt_words *words, uint32_t bit) {
    for (size_t i = 0; i < words->n; i++)
        if (words->word[i].bit == bit)
            return words->word[i].name;
    return NULL;
}

int gnt_word_bit(const gnt_words *words, const char *name, uint32_t *bit) {
    for (size_t i = 0; i < words->n; i++)
        if (strcmp(words->word[i].name, name) == 0) {
            *bit = words->word[i].bit;
            return 0;
        }
    return -1;
}

uint32_t gnt_words_all(const gnt_words *words) {
    uint32_t all = 0;
    for (size_t i = 0; i < words->n; i++)
        all |= words->word[i].bit;
    return all;
}

const char *gnt_words_list(const gnt_words *words, uint32_t bits, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < words->n; i++) {
        if (!(bits & words->word[i].bit))
            continue;
        int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", words->word[i].name);
        if (n < 0 || (size_t)n >= size - used)
            return text;
        used += (size_t)n;
    }
    if (!used)
        snprintf(text, size, "none");
    return text;
}
