/* Names that look alike have one skeleton, others do not; characters that nobody sees are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <unicode/uchar.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "base/lookalike.h"
#include "base/mem.h"

static void look_alikes_have_one_skeleton(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"keeper", "keeper"},
        {"keeper", "Keeper"},
        {"keeper", "kеереr"}, /* Cyrillic е, р */
        {"KEEPER", "ΚΕΕΡΕR"}, /* Greek Κ, Ε, Ρ */
        {"Ann", "Аnn"},       /* Cyrillic А */
        {"Bob", "ᏴоЬ"},       /* Cherokee, Cyrillic */
        {"нина", "НИНА"},
        {"BOB", "вов"},     /* Cyrillic в, small capitals in shape */
        {"Ann", "ᴀɴɴ"},     /* small capitals */
        {"scope", "ѕсоре"}, /* Cyrillic throughout */
        {"cyan", "ϲуаn"},   /* Greek lunate sigma */
        {"loop", "ⅼ໐໐p"},   /* a Roman numeral, Lao digits */
        {"bee", "Ƅее"},
        {"keeper", "ｋｅｅｐｅｒ"}, /* full width */
        {"Ann", "𝐀𝗻𝓃"},             /* mathematical */
        {"Ann", "𝔸𝖓𝚗"},
        {"Ann", "Ⓐⓝⓝ"},
        {"Mac", "Ⓜⓐⓒ"},
        {"flint", "ﬂint"}, /* a ligature */
        {"dzeta", "ǆeta"},
        {"a-b", "ａ－ｂ"},
        {"a, b", "ａ， ｂ"},
        {"a(b", "a⁽b"},
        {"Ann", "A\u200bn\u200dn"}, /* zero width */
        {"Ann", "\u202eAnn\u200f"}, /* marks of direction */
        {"Ann", "A\u180en\U000e0101n"},
        {"Ann", "A\U0001d17an\u08e2n"},
        {"Osman", "Øsman"},
        {"Zoe", "Zoë"},
        {"Zoe", "Zoe\u0308"},
        {"Zoë", "Zoe\u0308"},
        {"한", "\u1112\u1161\u11ab"}, /* a syllable and its parts */
        {"q\u0323\u0307", "q\u0307\u0323"},
        {"Ann B", " Ann\u00a0 B "},
        {"Bill 10", "BiII lO"},
        {"modern", "modem"},
        {"a-b", "a\u2013b"},
        {"ЖЮ", "жю"},
        {"", " "},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (gnt_looks_alike(pairs[i][0], pairs[i][1], NULL) != 1)
            fail_msg("\"%s\" and \"%s\" look alike", pairs[i][0], pairs[i][1]);
}

static void others_do_not(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"Ann", "Anna"}, {"Ann", "Bob"}, {"a b", "ab"},
                                           {"王", "李"},    {"ж", "ю"},     {"dp", "dq"},
                                           {"한", "하"},    {"ab", "ba"},   {"山", "출"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(gnt_looks_alike(pairs[i][0], pairs[i][1], NULL), 0);
}

static void bytes_that_are_no_text_are_replaced(void **state) {
    (void)state;
    static const char *const broken[] = {"\xff", "\xc3", "a\xe2\x82", "\xf0\x9f", "\x80\x80"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char *skeleton = gnt_skeleton(broken[i], NULL);
        assert_non_null(strstr(skeleton, "\xef\xbf\xbd"));
        gnt_free(skeleton);
        assert_int_equal(gnt_hidden_character(broken[i]), 0);
    }
}

static void hidden_characters_are_found(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t found;
    } of[] = {{"Ann", 0},
              {"Zoë 王 ж", 0},
              {"An\u200bn", 0x200B},
              {"An\u202en", 0x202E},
              {"\u2066Ann", 0x2066},
              {"Ann\ufeff", 0xFEFF},
              {"An\u00adn", 0xAD},
              {"A\tn", 9},
              {"A\ufe0f", 0xFE0F},
              {"A\U000e0041", 0xE0041},
              {"A\u061cn", 0x61C},
              {"A\u08e2n", 0x8E2},
              {"A\u3164n", 0x3164},
              {"A\U0001d17an", 0x1D17A}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_int_equal(gnt_hidden_character(of[i].text), of[i].found);
}

/* ICU is the reference, for the characters that Unicode 15 has. */
static void hidden_are_those_of_unicode_15(void **state) {
    (void)state;
    enum { NOT_SHOWN = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_ZL_MASK | U_GC_ZP_MASK, BLANK_BRAILLE = 0x2800 };
    for (UChar32 c = 1; c <= 0x10FFFF; c++) {
        char text[5] = {0};
        UVersionInfo age;
        int32_t n = 0;
        u_charAge(c, age);
        if (U_IS_SURROGATE(c) || age[0] > 15)
            continue;
        const int hidden = (U_GET_GC_MASK(c) & NOT_SHOWN) != 0 ||
                           u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) || c == BLANK_BRAILLE;
        U8_APPEND_UNSAFE(text, n, c);
        if (gnt_hidden_character(text) != (hidden ? (uint32_t)c : 0))
            fail_msg("U+%04X", (unsigned)c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_alikes_have_one_skeleton),       cmocka_unit_test(others_do_not),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced), cmocka_unit_test(hidden_characters_are_found),
        cmocka_unit_test(hidden_are_those_of_unicode_15),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
