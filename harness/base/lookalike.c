#include "base/lookalike.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

#include <string.h>

#include "base/mem.h"

/* ---- what is not shown ---- */

enum { BLANK_BRAILLE = 0x2800, REPLACEMENT = 0xFFFD };

static int is_hidden(UChar32 c) {
    return (U_GET_GC_MASK(c) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_ZL_MASK | U_GC_ZP_MASK)) != 0 ||
           u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) || c == BLANK_BRAILLE;
}

uint32_t gnt_hidden_character(const char *text) {
    for (int32_t at = 0; text[at];) {
        UChar32 c;
        U8_NEXT_OR_FFFD((const uint8_t *)text, at, -1, c);
        if (is_hidden(c))
            return (uint32_t)c;
    }
    return 0;
}

/* ---- what looks alike ---- */

/* What the steps of a skeleton need: ICU's objects, and two buffers of one size. The text is in the first;
 * each step writes the second and swaps them. */
typedef struct forms {
    const UNormalizer2 *small;
    USpoofChecker *shapes;
    UChar *text, *other;
    int32_t n, size;
} forms;

static void take_other(forms *f, int32_t n) {
    UChar *text = f->text;
    f->text = f->other;
    f->other = text;
    f->n = n;
}

/* Writes small letters, and no compatibility forms. */
static void write_small(forms *f, UErrorCode *error) {
    take_other(f, unorm2_normalize(f->small, f->text, f->n, f->other, f->size, error));
}

static void unify_shapes(forms *f, UErrorCode *error) {
    take_other(f, uspoof_getSkeleton(f->shapes, 0, f->text, f->n, f->other, f->size, error));
}

/* No data of Unicode but their names say which letters small capitals look like. */
static UChar32 letter_of_small_capital(UChar32 c) {
    static const char prefix[] = "LATIN LETTER SMALL CAPITAL ";
    char name[sizeof prefix + 1];
    UErrorCode error = U_ZERO_ERROR;
    const int32_t n = u_charName(c, U_UNICODE_CHAR_NAME, name, sizeof name, &error);
    const int is_one = U_SUCCESS(error) && n == sizeof prefix && memcmp(name, prefix, n - 1) == 0;
    return is_one ? name[n - 1] - 'A' + 'a' : c;
}

/* Leaves out accents and what is not shown, writes i as l, and keeps one space between words. */
static void simplify(forms *f) {
    int32_t n = 0;
    for (int32_t at = 0; at < f->n;) {
        UChar32 c;
        U16_NEXT(f->text, at, f->n, c);
        if (is_hidden(c) || U_GET_GC_MASK(c) & (U_GC_MN_MASK | U_GC_ME_MASK))
            continue;
        c = letter_of_small_capital(u_foldCase(c, U_FOLD_CASE_DEFAULT));
        c = c == 'i' ? 'l' : u_isUWhiteSpace(c) ? ' ' : c;
        if (c != ' ' || (n > 0 && f->other[n - 1] != ' '))
            U16_APPEND_UNSAFE(f->other, n, c);
    }
    take_other(f, n > 0 && f->other[n - 1] == ' ' ? n - 1 : n);
}

/* Returns the skeleton of the text, which goes through f. */
static char *find_skeleton(forms *f, const char *text, int small_first, UErrorCode *error) {
    char *out = NULL;
    int32_t n = 0;
    u_strFromUTF8WithSub(f->text, f->size, &f->n, text, -1, REPLACEMENT, NULL, error);
    if (small_first)
        write_small(f, error);
    unify_shapes(f, error);
    write_small(f, error);
    unify_shapes(f, error);
    if (U_SUCCESS(*error)) {
        simplify(f);
        out = gnt_alloc(3 * (size_t)f->n + 1); /* a unit of UTF-16 is at most three bytes */
    }
    if (out)
        u_strToUTF8(out, 3 * f->n + 1, &n, f->text, f->n, error);
    return out;
}

/* Tries with more room until there is enough: a character may become many. */
static char *skeleton_of(const char *text, int small_first) {
    UErrorCode error = U_ZERO_ERROR;
    forms f = {.small = unorm2_getNFKCCasefoldInstance(&error),
               .shapes = uspoof_open(&error),
               .size = (int32_t)strlen(text) + 1};
    char *out = NULL;
    for (int again = U_SUCCESS(error); again; again = error == U_BUFFER_OVERFLOW_ERROR) {
        f.size *= 2;
        UChar *room = gnt_array(2 * (size_t)f.size, sizeof *room);
        f.text = room;
        f.other = room ? room + f.size : NULL;
        error = U_ZERO_ERROR;
        out = room ? find_skeleton(&f, text, small_first, &error) : NULL;
        gnt_free(room);
    }
    uspoof_close(f.shapes);
    return out;
}

char *gnt_skeleton(const char *text) {
    return skeleton_of(text, 0);
}

/* A capital and its small letter may each look like another letter, so both are compared. */
int gnt_looks_alike(const char *a, const char *b) {
    int alike = 0;
    for (int small_first = 0; small_first < 2 && alike == 0; small_first++) {
        char *one = skeleton_of(a, small_first), *other = skeleton_of(b, small_first);
        alike = one && other ? strcmp(one, other) == 0 : -1;
        gnt_free(one);
        gnt_free(other);
    }
    return alike;
}
