#include "base/lookalike.h"

#include <string.h>

#include "base/mem.h"

typedef struct span {
    uint32_t first, last;
} span;

/* ---- UTF-8 ---- */

enum { REPLACEMENT = 0xFFFD };

/* Reads the character at *text, and moves behind it. */
static uint32_t next_character(const char **text) {
    const uint8_t *c = (const uint8_t *)*text;
    const int more = c[0] < 0x80 ? 0 : c[0] >= 0xF0 ? 3 : c[0] >= 0xE0 ? 2 : c[0] >= 0xC0 ? 1 : -1;
    uint32_t value = more <= 0 ? c[0] : c[0] & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((c[i] & 0xC0) != 0x80) {
            *text += i;
            return REPLACEMENT;
        }
        value = value << 6 | (c[i] & 0x3Fu);
    }
    *text += 1 + (more > 0 ? more : 0);
    return more < 0 ? REPLACEMENT : value;
}

static char *put_character(char *to, uint32_t c) {
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    *to++ = (char)(lead[more] | c >> (6 * more));
    for (int i = more - 1; i >= 0; i--)
        *to++ = (char)(0x80 | (c >> (6 * i) & 0x3F));
    return to;
}

static int is_within(uint32_t c, const span *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c >= list[i].first && c <= list[i].last)
            return 1;
    return 0;
}
#define IS_WITHIN(c, list) is_within(c, list, sizeof(list) / sizeof *(list))

/* ---- what is not shown ---- */

static const span hidden[] = {{0x01, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
                              {0x600, 0x605},   {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},
                              {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},
                              {0x2028, 0x202E}, {0x2060, 0x206F},   {0x2800, 0x2800},   {0x3164, 0x3164},
                              {0xD800, 0xDFFF}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
                              {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

uint32_t gnt_hidden_character(const char *text) {
    while (*text) {
        const uint32_t c = next_character(&text);
        if (IS_WITHIN(c, hidden))
            return c;
    }
    return 0;
}

/* ---- what looks alike ---- */

static const span spaces[] = {{0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                              {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
static const span accents[] = {
    {0x300, 0x36F}, {0x483, 0x489}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}};

static const struct {
    uint16_t from;
    char to;
} shapes[] = {{0x00B4, '\''}, {0x0131, 'l'},  {0x01C0, 'l'}, {0x0251, 'a'}, {0x0261, 'g'},  {0x0262, 'g'},
              {0x0269, 'l'},  {0x026A, 'l'},  {0x0274, 'n'}, {0x0280, 'r'}, {0x028B, 'u'},  {0x028F, 'y'},
              {0x0292, 'z'},  {0x0299, 'b'},  {0x029C, 'h'}, {0x029F, 'l'}, {0x02B9, '\''}, {0x02BC, '\''},
              {0x037F, 'j'},  {0x0391, 'a'},  {0x0392, 'b'}, {0x0393, 'r'}, {0x0395, 'e'},  {0x0396, 'z'},
              {0x0397, 'h'},  {0x0398, 'o'},  {0x0399, 'l'}, {0x039A, 'k'}, {0x039C, 'm'},  {0x039D, 'n'},
              {0x039F, 'o'},  {0x03A0, 'n'},  {0x03A1, 'p'}, {0x03A4, 't'}, {0x03A5, 'y'},  {0x03A7, 'x'},
              {0x03B1, 'a'},  {0x03B2, 'b'},  {0x03B3, 'y'}, {0x03B5, 'e'}, {0x03B6, 'z'},  {0x03B7, 'n'},
              {0x03B8, 'o'},  {0x03B9, 'l'},  {0x03BA, 'k'}, {0x03BC, 'u'}, {0x03BD, 'v'},  {0x03BF, 'o'},
              {0x03C0, 'n'},  {0x03C1, 'p'},  {0x03C3, 'o'}, {0x03C4, 't'}, {0x03C5, 'u'},  {0x03C7, 'x'},
              {0x03C9, 'w'},  {0x03F2, 'c'},  {0x03F3, 'j'}, {0x03F9, 'c'}, {0x03FA, 'm'},  {0x03FB, 'm'},
              {0x0405, 's'},  {0x0406, 'l'},  {0x0408, 'j'}, {0x0410, 'a'}, {0x0412, 'b'},  {0x0413, 'r'},
              {0x0415, 'e'},  {0x0417, 'z'},  {0x0418, 'u'}, {0x041A, 'k'}, {0x041C, 'm'},  {0x041D, 'h'},
              {0x041E, 'o'},  {0x041F, 'n'},  {0x0420, 'p'}, {0x0421, 'c'}, {0x0422, 't'},  {0x0423, 'y'},
              {0x0425, 'x'},  {0x042C, 'b'},  {0x0430, 'a'}, {0x0432, 'b'}, {0x0433, 'r'},  {0x0435, 'e'},
              {0x0437, 'z'},  {0x0438, 'u'},  {0x043A, 'k'}, {0x043C, 'm'}, {0x043D, 'h'},  {0x043E, 'o'},
              {0x043F, 'n'},  {0x0440, 'p'},  {0x0441, 'c'}, {0x0442, 't'}, {0x0443, 'y'},  {0x0445, 'x'},
              {0x0448, 'w'},  {0x044C, 'b'},  {0x0455, 's'}, {0x0456, 'l'}, {0x0458, 'j'},  {0x0460, 'w'},
              {0x0461, 'w'},  {0x0474, 'v'},  {0x0475, 'v'}, {0x0492, 'f'}, {0x0493, 'f'},  {0x04AE, 'y'},
              {0x04AF, 'y'},  {0x04BA, 'h'},  {0x04BB, 'h'}, {0x04BD, 'e'}, {0x04C0, 'l'},  {0x04CF, 'l'},
              {0x0500, 'd'},  {0x0501, 'd'},  {0x050C, 'g'}, {0x051A, 'q'}, {0x051B, 'q'},  {0x051C, 'w'},
              {0x051D, 'w'},  {0x13F4, 'b'},  {0x1D00, 'a'}, {0x1D04, 'c'}, {0x1D05, 'd'},  {0x1D07, 'e'},
              {0x1D0A, 'j'},  {0x1D0B, 'k'},  {0x1D0D, 'm'}, {0x1D0F, 'o'}, {0x1D18, 'p'},  {0x1D1B, 't'},
              {0x1D1C, 'u'},  {0x1D20, 'v'},  {0x1D21, 'w'}, {0x1D22, 'z'}, {0x1D26, 'r'},  {0x2010, '-'},
              {0x2011, '-'},  {0x2012, '-'},  {0x2013, '-'}, {0x2014, '-'}, {0x2015, '-'},  {0x2018, '\''},
              {0x2019, '\''}, {0x2032, '\''}, {0x2212, '-'}, {0xA731, 's'}, {0xFE58, '-'},  {0xFE63, '-'}};

/* The letters U+00C0 to U+017F without their accents. */
static const char latin[] = "aaaaaaaceeeeiiiidnoooooxouuuuypbaaaaaaaceeeeiiiidnoooooxouuuuypy"
                            "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiljjjjkkklllllll"
                            "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzf";

/* Returns the plain letter or digit of one that is written wide, mathematical or circled. */
static uint32_t plain(uint32_t c) {
    if (c >= 0xFF01 && c <= 0xFF5E)
        return c - 0xFF01 + '!';
    if (c >= 0x1D400 && c <= 0x1D6A3)
        return (c - 0x1D400) % 52 % 26 + 'a';
    if (c >= 0x1D7CE && c <= 0x1D7FF)
        return (c - 0x1D7CE) % 10 + '0';
    return c >= 0x24B6 && c <= 0x24E9 ? (c - 0x24B6) % 26 + 'a' : c;
}

/* Returns the small letter of a Greek or Cyrillic capital. */
static uint32_t small(uint32_t c) {
    if ((c >= 0x391 && c <= 0x3A9) || (c >= 0x410 && c <= 0x42F))
        return c + 0x20;
    return c >= 0x400 && c <= 0x40F ? c + 0x50 : c >= 0x460 && c <= 0x52F ? c | 1 : c;
}

static uint32_t shape_of(uint32_t c) {
    c = plain(c);
    if (c >= 0xC0 && c <= 0x17F)
        c = (uint32_t)latin[c - 0xC0];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].from == c)
            c = (uint32_t)shapes[i].to;
    c = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : small(c);
    return c == '0' ? 'o' : c == '1' || c == 'i' || c == '|' ? 'l' : c;
}

/* Adds a character to the skeleton that begins at `begin` and ends at `to`. */
static char *add_shape(const char *begin, char *to, uint32_t c) {
    if (IS_WITHIN(c, accents) || IS_WITHIN(c, hidden))
        return to;
    if (c == ' ' || IS_WITHIN(c, spaces)) {
        if (to > begin && to[-1] != ' ')
            *to++ = ' ';
        return to;
    }
    c = shape_of(c);
    if (c == 'n' && to > begin && to[-1] == 'r') {
        to[-1] = 'm';
        return to;
    }
    return put_character(to, c);
}

char *gnt_skeleton(const char *text) {
    char *out = gnt_alloc(3 * strlen(text) + 1), *to = out; /* a byte that is no UTF-8 becomes three */
    if (!out)
        return NULL;
    while (*text)
        to = add_shape(out, to, next_character(&text));
    if (to > out && to[-1] == ' ')
        to--;
    *to = 0;
    return out;
}

int gnt_looks_alike(const char *a, const char *b) {
    char *one = gnt_skeleton(a), *other = gnt_skeleton(b);
    const int alike = one && other ? strcmp(one, other) == 0 : -1;
    gnt_free(one);
    gnt_free(other);
    return alike;
}
