#include "base/lookalike.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

#include <string.h>

#include "base/library.h"
#include "base/mem.h"

/* ---- what is not shown ---- */

/* The categories Cc, Cf, Zl and Zp and the property Default_Ignorable_Code_Point of Unicode 15, and the blank
 * Braille pattern, 2800. */
static const struct {
    uint32_t first, last;
} hidden[] = {{0x0, 0x1F},        {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
              {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},
              {0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
              {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
              {0x2800, 0x2800},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
              {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
              {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

static int is_hidden(uint32_t c) {
    size_t i = 0;
    while (i < sizeof hidden / sizeof *hidden && c > hidden[i].last)
        i++;
    return i < sizeof hidden / sizeof *hidden && c >= hidden[i].first;
}

uint32_t gnt_hidden_character(const char *text) {
    for (int32_t at = 0; text[at];) {
        UChar32 c;
        U8_NEXT_OR_FFFD((const uint8_t *)text, at, -1, c);
        if (is_hidden((uint32_t)c))
            return (uint32_t)c;
    }
    return 0;
}

/* ---- ICU ---- */

enum { REPLACEMENT = 0xFFFD };

/* The functions of ICU that are called. */
static struct {
    __typeof__(&u_charName) name_of;
    __typeof__(&u_charType) category;
    __typeof__(&u_foldCase) fold;
    __typeof__(&u_isUWhiteSpace) is_space;
    __typeof__(&u_strFromUTF8WithSub) from_utf8;
    __typeof__(&u_strToUTF8) to_utf8;
    __typeof__(&unorm2_getNFKCCasefoldInstance) small_forms;
    __typeof__(&unorm2_normalize) normalize;
    __typeof__(&uspoof_close) close_shapes;
    __typeof__(&uspoof_getSkeleton) skeleton;
    __typeof__(&uspoof_open) open_shapes;
} icu;

/* Opens the version whose headers this was compiled with: its functions' names end in it. */
static int open_icu(gnt_err *err) {
#define QUOTE(x) #x
#define NAME(x) QUOTE(x)
    static const char *const general[] = {"libicuuc.so." U_ICU_VERSION_SHORT, NULL},
                             *const shapes[] = {"libicui18n.so." U_ICU_VERSION_SHORT, NULL};
    static const char name[] = "ICU " U_ICU_VERSION_SHORT ", which finds names that look alike,",
                      package[] = "libicu" U_ICU_VERSION_SHORT;
    const gnt_symbol from_general[] = {{NAME(u_charName), &icu.name_of},
                                       {NAME(u_charType), &icu.category},
                                       {NAME(u_foldCase), &icu.fold},
                                       {NAME(u_isUWhiteSpace), &icu.is_space},
                                       {NAME(u_strFromUTF8WithSub), &icu.from_utf8},
                                       {NAME(u_strToUTF8), &icu.to_utf8},
                                       {NAME(unorm2_getNFKCCasefoldInstance), &icu.small_forms},
                                       {NAME(unorm2_normalize), &icu.normalize}};
    const gnt_symbol from_shapes[] = {{NAME(uspoof_close), &icu.close_shapes},
                                      {NAME(uspoof_getSkeleton), &icu.skeleton},
                                      {NAME(uspoof_open), &icu.open_shapes}};
#undef NAME
#undef QUOTE
    if (icu.open_shapes)
        return 0;
    if (gnt_library_open(general, from_general, sizeof from_general / sizeof *from_general, name, package,
                         err) != 0)
        return -1;
    return gnt_library_open(shapes, from_shapes, sizeof from_shapes / sizeof *from_shapes, name, package,
                            err);
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
    take_other(f, icu.normalize(f->small, f->text, f->n, f->other, f->size, error));
}

static void unify_shapes(forms *f, UErrorCode *error) {
    take_other(f, icu.skeleton(f->shapes, 0, f->text, f->n, f->other, f->size, error));
}

/* No data of Unicode but their names say which letters small capitals look like. */
static UChar32 letter_of_small_capital(UChar32 c) {
    static const char prefix[] = "LATIN LETTER SMALL CAPITAL ";
    char name[sizeof prefix + 1];
    UErrorCode error = U_ZERO_ERROR;
    const int32_t n = icu.name_of(c, U_UNICODE_CHAR_NAME, name, sizeof name, &error);
    const int is_one = U_SUCCESS(error) && n == sizeof prefix && memcmp(name, prefix, n - 1) == 0;
    return is_one ? name[n - 1] - 'A' + 'a' : c;
}

/* Leaves out accents and what is not shown, writes i as l, and keeps one space between words. */
static void simplify(forms *f) {
    int32_t n = 0;
    for (int32_t at = 0; at < f->n;) {
        UChar32 c;
        U16_NEXT(f->text, at, f->n, c);
        if (is_hidden((uint32_t)c) || U_MASK(icu.category(c)) & (U_GC_MN_MASK | U_GC_ME_MASK))
            continue;
        c = letter_of_small_capital(icu.fold(c, U_FOLD_CASE_DEFAULT));
        c = c == 'i' ? 'l' : icu.is_space(c) ? ' ' : c;
        if (c != ' ' || (n > 0 && f->other[n - 1] != ' '))
            U16_APPEND_UNSAFE(f->other, n, c);
    }
    take_other(f, n > 0 && f->other[n - 1] == ' ' ? n - 1 : n);
}

/* Returns the skeleton of the text, which goes through f. */
static char *find_skeleton(forms *f, const char *text, int small_first, UErrorCode *error) {
    char *out = NULL;
    int32_t n = 0;
    icu.from_utf8(f->text, f->size, &f->n, text, -1, REPLACEMENT, NULL, error);
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
        icu.to_utf8(out, 3 * f->n + 1, &n, f->text, f->n, error);
    return out;
}

/* Tries with more room until there is enough: a character may become many. */
static char *skeleton_of(const char *text, int small_first, gnt_err *err) {
    if (open_icu(err) != 0)
        return NULL;
    UErrorCode error = U_ZERO_ERROR;
    forms f = {.small = icu.small_forms(&error),
               .shapes = icu.open_shapes(&error),
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
    icu.close_shapes(f.shapes);
    if (!out)
        gnt_fail(err, "out of memory, or ICU lacks the data of names that look alike");
    return out;
}

char *gnt_skeleton(const char *text, gnt_err *err) {
    return skeleton_of(text, 0, err);
}

/* A capital and its small letter may each look like another letter, so both are compared. */
int gnt_looks_alike(const char *a, const char *b, gnt_err *err) {
    int alike = 0;
    for (int small_first = 0; small_first < 2 && alike == 0; small_first++) {
        char *one = skeleton_of(a, small_first, err), *other = one ? skeleton_of(b, small_first, err) : NULL;
        alike = one && other ? strcmp(one, other) == 0 : -1;
        gnt_free(one);
        gnt_free(other);
    }
    return alike;
}
