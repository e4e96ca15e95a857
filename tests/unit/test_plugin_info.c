/* What plugins say of themselves: descriptors that lie are refused with the field named, a description
 * survives the way through JSON, and hostile JSON does not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/random.h"
#include "plugin/info.h"
#include "plugin/load.h"
#include "plugin/params.h"

static void *create(const gnt_host *host, const gnt_value *values) {
    (void)values;
    return (void *)(uintptr_t)host;
}

static void destroy(void *self) {
    (void)self;
}

static gnt_status transform(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    (void)self, (void)in, (void)out;
    return GNT_OK;
}

static gnt_status prepare_attack(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    (void)self, (void)in, (void)out;
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    (void)self, (void)seen, (void)own, (void)answer;
    return GNT_OK;
}

static int64_t contribute_size(void *self) {
    (void)self;
    return 1;
}

static const char *const choices[] = {"one", "two \"quoted\"", NULL};
static const char *const services[] = {"gauntlet.some-service", NULL};
static const char *const families[] = {GNT_FAMILY_NOISE, "own-word", NULL};
static const char *const any_family[] = {GNT_FAMILY_ANY, NULL}, *const odd_family[] = {"No word", NULL};

enum { SIGMA, COUNT, FLAG, MODE, NOTE, STEPS, MARKS, JUDGE, EXTRACTOR, N_PARAMETERS };

/* Everything that a case may spoil, fresh for each case. */
typedef struct subject {
    gnt_parameter p[N_PARAMETERS];
    gnt_defense defense;
    gnt_attack attack;
    gnt_descriptor d;
} subject;

static void make(subject *s) {
    *s =
        (subject){.p = {[SIGMA] = {.id = "sigma",
                                   .type = GNT_TYPE_REAL,
                                   .scale = GNT_SCALE_LOG,
                                   .unit = "1",
                                   .least = 0.001,
                                   .most = 10,
                                   .preset = 0.1,
                                   .strength = 1,
                                   .help = "noise"},
                        [COUNT] = {.id = "count",
                                   .type = GNT_TYPE_INT,
                                   .least = -3,
                                   .most = 7,
                                   .preset = 7,
                                   .unit = "samples"},
                        [FLAG] = {.id = "flag", .type = GNT_TYPE_BOOL, .preset = 1},
                        [MODE] = {.id = "mode",
                                  .type = GNT_TYPE_CHOICE,
                                  .preset_text = "two \"quoted\"",
                                  .choices = choices},
                        [NOTE] = {.id = "note", .type = GNT_TYPE_TEXT, .preset_text = "größer\\"},
                        [STEPS] = {.id = "steps_at",
                                   .type = GNT_TYPE_REAL_LIST,
                                   .most = 1,
                                   .preset_text = " [0.375 , 0.625,8.75e-1]"},
                        [MARKS] = {.id = "marks", .type = GNT_TYPE_INT_LIST, .most = 9, .preset_text = "[]"},
                        [JUDGE] = {.id = "judge", .type = GNT_TYPE_MODEL, .preset_text = ""},
                        [EXTRACTOR] = {.id = "extractor", .type = GNT_TYPE_MODEL}},
                  .defense = {.size = sizeof(gnt_defense), .transform_update = transform, .prepare = prepare},
                  .attack = {.size = sizeof(gnt_attack), .run = run},
                  .d = {.size = sizeof(gnt_descriptor),
                        .kind = GNT_PLUGIN_DEFENSE,
                        .id = "some-defense",
                        .version = "1.2",
                        .line = "does <something> & says so",
                        .licence = "MIT",
                        .citation = "",
                        .n_parameters = N_PARAMETERS,
                        .scope = GNT_SCOPE_STAGE,
                        .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_ENCODING,
                        .data_kinds = GNT_KIND_IMAGE | GNT_KIND_AUDIO,
                        .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_FIRST_DENSE,
                        .services = services,
                        .families = families,
                        .conditions = GNT_IF_LOCAL_STEPS | GNT_IF_HIDES,
                        .least_public = 7,
                        .create = create,
                        .destroy = destroy}};
    s->d.parameters = s->p;
    s->d.defense = &s->defense;
}

/* The struct that the host fills in place of create. */
typedef struct filled {
    const gnt_host *host;
    double sigma;
    int64_t count, flag, mode;
    const char *note;
    gnt_list steps, marks;
    const char *judge, *extractor;
} filled;

static void by_members(subject *s) {
    s->d.create = NULL;
    s->d.destroy = NULL;
    s->d.instance_size = GNT_INSTANCE(filled);
    s->p[SIGMA].member = GNT_MEMBER(filled, sigma, double);
    s->p[COUNT].member = GNT_MEMBER(filled, count, int64_t);
    s->p[FLAG].member = GNT_MEMBER(filled, flag, int64_t);
    s->p[MODE].member = GNT_MEMBER(filled, mode, int64_t);
    s->p[NOTE].member = GNT_MEMBER(filled, note, const char *);
    s->p[STEPS].member = GNT_MEMBER(filled, steps, gnt_list);
    s->p[MARKS].member = GNT_MEMBER(filled, marks, gnt_list);
    s->p[JUDGE].member = GNT_MEMBER(filled, judge, const char *);
    s->p[EXTRACTOR].member = GNT_MEMBER(filled, extractor, const char *);
}

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static char *text_of(const gnt_plugin_info *info) {
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    gnt_info_write(&text, info);
    char *taken = gnt_text_take(&text);
    assert_non_null(taken);
    return taken;
}

static int parse(gnt_plugin_info *out, const char *json, gnt_err *err) {
    gnt_doc doc;
    *out = (gnt_plugin_info){0};
    if (gnt_doc_parse(&doc, "answer", json, strlen(json), err))
        return -1;
    int bad = gnt_info_parse(out, &doc, "", doc.root, err);
    gnt_doc_free(&doc);
    return bad;
}

static void description_survives_json(void **state) {
    (void)state;
    subject s;
    gnt_plugin_info info, again;
    gnt_err err = {0};
    make(&s);
    if (gnt_info_of_descriptor(&info, &s.d, "/a/file.so", digest, 3, &err))
        fail_msg("%s", err.text);
    assert_int_equal(info.strength, SIGMA);
    assert_int_equal(info.hooks, GNT_HOOK_PREPARE | GNT_HOOK_TRANSFORM_UPDATE);
    assert_string_equal(info.parameters[STEPS].preset_text, "[0.375,0.625,0.875]");
    char *first = text_of(&info);
    gnt_info_free(&info);
    by_members(&s); /* says the same of itself */
    if (gnt_info_of_descriptor(&info, &s.d, "/a/file.so", digest, 3, &err))
        fail_msg("%s", err.text);
    char *filled_text = text_of(&info);
    assert_string_equal(first, filled_text);
    gnt_free(filled_text);
    if (parse(&again, first, &err))
        fail_msg("%s", err.text);
    char *second = text_of(&again);
    assert_string_equal(first, second);
    assert_int_equal(again.index, 3);
    assert_int_equal(again.strength, SIGMA);
    assert_string_equal(again.digest, digest);
    assert_true(again.parameters[SIGMA].preset == 0.1 && again.parameters[SIGMA].least == 0.001);
    assert_string_equal(again.parameters[MODE].choices[1], choices[1]);
    assert_string_equal(again.parameters[NOTE].preset_text, "größer\\");
    assert_string_equal(again.parameters[JUDGE].preset_text, "");
    assert_null(again.parameters[EXTRACTOR].preset_text);
    assert_string_equal(again.services[0], services[0]);
    assert_int_equal(again.n_families, 2);
    assert_int_equal(again.conditions, GNT_IF_LOCAL_STEPS | GNT_IF_HIDES);
    assert_int_equal(again.least_public, 7);
    assert_int_equal(again.least_shadow, 0);
    assert_string_equal(again.families[1], "own-word");
    gnt_free(first);
    gnt_free(second);
    gnt_info_free(&info);
    gnt_info_free(&again);
}

/* ---- descriptors that lie ---- */

static const char *const twice[] = {"one", "one", NULL}, *const no_choices[] = {NULL};
static char long_text[GNT_PLUGIN_TEXT + 2];
static gnt_parameter many[GNT_PLUGIN_PARAMS + 1];

#define SPOIL(name, what)                                                                                    \
    static void name(subject *s) {                                                                           \
        what;                                                                                                \
    }
SPOIL(id_null, s->d.id = NULL)
SPOIL(id_upper, s->d.id = "Some")
SPOIL(id_digit_first, s->d.id = "1st")
SPOIL(id_path, s->d.id = "../x")
SPOIL(id_empty, s->d.id = "")
SPOIL(id_long, s->d.id = "a123456789012345678901234567890123456789012345678")
SPOIL(size_small, s->d.size = 8)
SPOIL(kind_odd, s->d.kind = 3)
SPOIL(no_create, s->d.create = NULL)
SPOIL(no_destroy, s->d.destroy = NULL)
SPOIL(no_table, s->d.defense = NULL)
SPOIL(both_tables, s->d.attack = &s->attack)
SPOIL(wrong_table, s->d.defense = NULL; s->d.attack = &s->attack)
SPOIL(table_small, s->defense.size = 16)
SPOIL(half_sum, s->defense.contribute_size = contribute_size)
SPOIL(scope_without_hook, s->defense.prepare = NULL)
SPOIL(hook_without_scope, s->d.scope = GNT_SCOPE_NONE)
SPOIL(scope_odd, s->d.scope = 9)
SPOIL(no_surface, s->d.surfaces = 0)
SPOIL(surface_unknown, s->d.surfaces |= 1u << 20)
SPOIL(goal_of_defense, s->d.goals = GNT_GOAL_LABEL)
SPOIL(needs_of_defense, s->d.needs = GNT_KNOWS_LABELS)
SPOIL(family_odd, s->d.families = odd_family)
SPOIL(family_any_of_defense, s->d.families = any_family)
SPOIL(no_data, s->d.data_kinds = 0)
SPOIL(flag_unknown, s->d.flags = 1u << 31)
SPOIL(condition_unknown, s->d.conditions = 1u << 31)
SPOIL(rows_negative, s->d.least_shadow = -1)
SPOIL(line_empty, s->d.line = "")
SPOIL(line_two, s->d.line = "one\ntwo")
SPOIL(line_escape, s->d.line = "a \x1b[31mred\x1b[0m line")
SPOIL(line_c1, s->d.line = "a \xc2\x9b"
                           "31m line")
SPOIL(line_latin1, s->d.line = "gr\xf6\xdf"
                               "er")
SPOIL(line_overlong, s->d.line = "slash \xc0\xaf")
SPOIL(line_surrogate, s->d.line = "\xed\xa0\x80")
SPOIL(line_bidi, s->d.line = "safe \xe2\x80\xae"
                             "esrever")
SPOIL(line_cut, s->d.line = "cut \xe2\x80")
SPOIL(citation_long, memset(long_text, 'x', sizeof long_text - 1); s->d.citation = long_text)
SPOIL(negative_table, s->d.n_parameters = -1)
SPOIL(missing_table, s->d.parameters = NULL)
SPOIL(huge_table, s->d.parameters = many; s->d.n_parameters = GNT_PLUGIN_PARAMS + 1)
SPOIL(same_parameter, s->p[COUNT].id = "sigma")
SPOIL(parameter_dash, s->p[COUNT].id = "my-count")
SPOIL(type_odd, s->p[COUNT].type = 12)
SPOIL(scale_odd, s->p[COUNT].scale = 3)
SPOIL(default_above, s->p[SIGMA].preset = 10.5)
SPOIL(default_nan, s->p[SIGMA].preset = NAN)
SPOIL(range_inverted, s->p[SIGMA].least = 11)
SPOIL(range_infinite, s->p[SIGMA].most = INFINITY)
SPOIL(log_negative, s->p[SIGMA].least = -1)
SPOIL(share_above_one, s->p[SIGMA].scale = GNT_SCALE_COMPLEMENT)
SPOIL(int_fraction, s->p[COUNT].preset = 1.5)
SPOIL(int_bounds, s->p[COUNT].most = 7.5)
SPOIL(int_huge, s->p[COUNT].most = 0x1p60)
SPOIL(bool_two, s->p[FLAG].preset = 2)
SPOIL(choices_null, s->p[MODE].choices = NULL)
SPOIL(choices_empty, s->p[MODE].choices = no_choices)
SPOIL(choices_twice, s->p[MODE].choices = twice; s->p[MODE].preset_text = "one")
SPOIL(choice_unknown, s->p[MODE].preset_text = "three")
SPOIL(text_null, s->p[NOTE].preset_text = NULL)
SPOIL(model_preset, s->p[JUDGE].preset_text = "extractor")
SPOIL(list_no_json, s->p[STEPS].preset_text = "0.1, 0.2")
SPOIL(list_object, s->p[STEPS].preset_text = "{\"a\": 1}")
SPOIL(list_outside, s->p[STEPS].preset_text = "[0.5, 1.5]")
SPOIL(list_fraction, s->p[MARKS].preset_text = "[1, 2.5]")
SPOIL(two_strengths, s->p[COUNT].strength = -1)
SPOIL(strength_odd, s->p[SIGMA].strength = 5)
SPOIL(word_set, s->p[SIGMA].reserved_word = 1)
static gnt_status start(void *self) {
    (void)self;
    return GNT_OK;
}

SPOIL(member_with_create, s->p[SIGMA].member = 9)
SPOIL(start_with_create, s->d.start = start)
SPOIL(stop_with_create, s->d.stop = destroy)
SPOIL(create_with_instance, by_members(s); s->d.create = create)
SPOIL(destroy_with_instance, by_members(s); s->d.destroy = destroy)
SPOIL(instance_without_host, by_members(s); s->d.instance_size = sizeof(void *) - 1)
SPOIL(instance_huge, by_members(s); s->d.instance_size = UINT64_MAX)
SPOIL(member_missing, by_members(s); s->p[NOTE].member = 0)
SPOIL(member_on_host, by_members(s); s->p[NOTE].member = 1)
SPOIL(member_beyond, by_members(s); s->p[STEPS].member = sizeof(filled) - 7)
SPOIL(member_far_beyond, by_members(s); s->p[STEPS].member = UINT64_MAX)
SPOIL(member_at_the_end, by_members(s); s->p[SIGMA].member = sizeof(filled) + 1)
SPOIL(member_unaligned, by_members(s); s->p[SIGMA].member += 4)
SPOIL(member_shared, by_members(s); s->p[COUNT].member = s->p[SIGMA].member)
SPOIL(member_in_a_list, by_members(s); s->p[JUDGE].member = s->p[STEPS].member + 8)
SPOIL(type_of_member_odd, by_members(s); s->p[FLAG].type = 12)
SPOIL(active_defense, s->d.flags |= GNT_FLAG_ACTIVE)
SPOIL(strength_bool, s->p[SIGMA].strength = 0; s->p[FLAG].strength = 1)
SPOIL(attack_strength, s->d.kind = GNT_PLUGIN_ATTACK; wrong_table(s); s->d.goals = GNT_GOAL_LABEL;
      s->d.scope = 0)
SPOIL(attack_no_run, attack_strength(s); s->p[SIGMA].strength = 0; s->attack.run = NULL)
SPOIL(prepares_once_by_stage, s->d.kind = GNT_PLUGIN_ATTACK; wrong_table(s); s->d.goals = GNT_GOAL_LABEL;
      s->d.scope = GNT_SCOPE_STAGE; s->attack.prepare = prepare_attack; s->d.flags |= GNT_FLAG_PREPARES_ONCE;
      s->p[SIGMA].strength = 0)
SPOIL(attack_no_goal, attack_strength(s); s->p[SIGMA].strength = 0; s->d.goals = 0)

static const struct {
    const char *word;
    void (*spoil)(subject *s);
} lies[] = {
    {"id is NULL", id_null},
    {"id breaks", id_upper},
    {"id breaks", id_digit_first},
    {"id breaks", id_path},
    {"id breaks", id_empty},
    {"id is longer", id_long},
    {"size is 8", size_small},
    {"reserved", word_set},
    {"GNT_FLAG_ACTIVE go together", active_defense},
    {"GNT_FLAG_PREPARES_ONCE needs the hook prepare", prepares_once_by_stage},
    {"kind is 3", kind_odd},
    {"create is NULL", no_create},
    {"destroy is NULL", no_destroy},
    {"neither", no_table},
    {"both", both_tables},
    {"other kind", wrong_table},
    {"size 16", table_small},
    {"1 of the three", half_sum},
    {"no hook prepare", scope_without_hook},
    {"has the hook prepare", hook_without_scope},
    {"scope is 9", scope_odd},
    {"surfaces", no_surface},
    {"0x100000", surface_unknown},
    {"goals", goal_of_defense},
    {"needs", needs_of_defense},
    {"family 0 breaks the rule", family_odd},
    {"of no family \"any\"", family_any_of_defense},
    {"data_kinds", no_data},
    {"flags", flag_unknown},
    {"conditions", condition_unknown},
    {"least_shadow", rows_negative},
    {"line", line_empty},
    {"line", line_two},
    {"line", line_escape},
    {"line", line_c1},
    {"line", line_latin1},
    {"line", line_overlong},
    {"line", line_surrogate},
    {"line", line_bidi},
    {"line", line_cut},
    {"citation", citation_long},
    {"n_parameters", negative_table},
    {"n_parameters", missing_table},
    {"n_parameters", huge_table},
    {"twice", same_parameter},
    {"parameter 1", parameter_dash},
    {"type 12", type_odd},
    {"scale 3", scale_odd},
    {"default 10.5", default_above},
    {"default", default_nan},
    {"range", range_inverted},
    {"range", range_infinite},
    {"logarithmic", log_negative},
    {"log(1 - p)", share_above_one},
    {"whole", int_fraction},
    {"whole", int_bounds},
    {"whole", int_huge},
    {"bool", bool_two},
    {"no choices", choices_null},
    {"no choices", choices_empty},
    {"twice", choices_twice},
    {"not one of its choices", choice_unknown},
    {"preset_text", text_null},
    {"judge", model_preset},
    {"steps_at", list_no_json},
    {"steps_at", list_object},
    {"1.5", list_outside},
    {"marks", list_fraction},
    {"THE strength", two_strengths},
    {"strength is 5", strength_odd},
    {"int or a real", strength_bool},
    {"only a defense", attack_strength},
    {"run", attack_no_run},
    {"goals", attack_no_goal},
    {"parameter sigma names a member, but instance_size is 0", member_with_create},
    {"both create and start", start_with_create},
    {"both create and stop", stop_with_create},
    {"both instance_size and create", create_with_instance},
    {"both instance_size and destroy", destroy_with_instance},
    {"instance_size is 7", instance_without_host},
    {"instance_size is 18446744073709551615", instance_huge},
    {"parameter note names no member", member_missing},
    {"parameter note: its member is at offset 0, inside", member_on_host},
    {"parameter steps_at: its member of 16 bytes at offset 88 lies beyond instance_size 96", member_beyond},
    {"parameter steps_at: its member of 16 bytes at offset 18446744073709551614", member_far_beyond},
    {"parameter sigma: its member of 8 bytes at offset 96 lies beyond", member_at_the_end},
    {"parameter sigma: its member at offset 12 is not aligned to 8", member_unaligned},
    {"parameters sigma and count share a member, at offset 8", member_shared},
    {"parameters steps_at and judge share a member, at offset 56", member_in_a_list},
    {"type 12", type_of_member_odd},
};

static void lying_descriptors_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        subject s;
        gnt_plugin_info info;
        gnt_err err = {0};
        make(&s);
        lies[i].spoil(&s);
        if (gnt_info_of_descriptor(&info, &s.d, "/a/file.so", digest, 0, &err) == 0)
            fail_msg("case %zu (%s) was accepted", i, lies[i].word);
        if (!strstr(err.text, lies[i].word) || !strstr(err.text, "/a/file.so"))
            fail_msg("case %zu (%s): %s", i, lies[i].word, err.text);
        assert_null(info.id);
    }
}

/* ---- hostile JSON ---- */

/* `json` with the first `from` replaced by `to`. */
static char *replaced(const char *json, const char *from, const char *to) {
    const char *at = strstr(json, from);
    if (!at)
        fail_msg("\"%s\" is not in the description", from);
    return gnt_format("%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
}

static void hostile_json_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *word;
    } cases[] = {
        {"\"kind\":\"defense\"", "\"kind\":\"weapon\"", "kind"},
        {"\"kind\":\"defense\"", "\"kind\":1", "kind"},
        {"\"kind\":\"defense\"", "\"kind\":\"attack\"", "goals"},
        {"\"id\":\"some-defense\"", "\"id\":\"../../etc\"", "id"},
        {"\"id\":\"some-defense\"", "\"id\":\"some-defense\",\"id\":\"x\"", "twice"},
        {"\"id\":\"some-defense\"", "\"id\":7", "id"},
        {"\"id\":\"some-defense\",", "", "id"},
        {"\"line\":\"", "\"line\":\"\\u001b[2J", "line"},
        {"\"line\":\"", "\"line\":\"\\u202e", "line"},
        {"\"licence\"", "\"extra\":1,\"licence\"", "extra"},
        {"\"surfaces\":[\"update\",\"encoding\"]", "\"surfaces\":[\"update\",\"update\"]", "twice"},
        {"\"surfaces\":[\"update\",\"encoding\"]", "\"surfaces\":[\"telepathy\"]", "telepathy"},
        {"\"surfaces\":[\"update\",\"encoding\"]", "\"surfaces\":5", "surfaces"},
        {"\"surfaces\":[\"update\",\"encoding\"]", "\"surfaces\":[]", "surfaces"},
        {"\"hooks\":[", "\"hooks\":[\"run\",", "run"},
        {"\"needs\":[]", "\"needs\":[\"labels\"]", "needs"},
        {"\"index\":3", "\"index\":-1", "index"},
        {"\"index\":3", "\"index\":1e9", "index"},
        {"\"abi_major\":0", "\"abi_major\":true", "abi_major"},
        {"\"digest\":\"0123", "\"digest\":\"XYZW", "digest"},
        {"\"digest\":\"0123", "\"digest\":\"", "digest"},
        {"\"default\":0.1", "\"default\":1e400", ""},
        {"\"default\":0.1", "\"default\":11", "sigma"},
        {"\"default\":0.1", "\"default\":\"0.1\"", "default"},
        {"\"least\":0.001", "\"least\":20", "sigma"},
        {"\"least\":0.001,", "", "least"},
        {"\"strength\":1", "\"strength\":2", "strength"},
        {"\"default\":true", "\"default\":1", "default"},
        {"\"choices\":[\"one\",", "\"choices\":[\"two \\\"quoted\\\"\",", "twice"},
        {"\"choices\":[\"one\",\"two \\\"quoted\\\"\"]", "\"choices\":[]", "choices"},
        {"[0.375,0.625,0.875]", "[0.375,[0.625],0.875]", "steps_at"},
        {"[0.375,0.625,0.875]", "[0.375,2]", "steps_at"},
        {"\"type\":\"bool\"", "\"type\":\"real\"", "scale"},
        {"\"type\":\"bool\"", "\"type\":\"bool\",\"least\":0", "members"},
        {"\"id\":\"count\"", "\"id\":\"sigma\"", "twice"},
        {"\"parameters\":[", "\"parameters\":[null,", "parameters[0]"},
    };
    subject s;
    gnt_plugin_info info;
    make(&s);
    assert_int_equal(gnt_info_of_descriptor(&info, &s.d, "/a/file.so", digest, 3, NULL), 0);
    char *good = text_of(&info);
    gnt_info_free(&info);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gnt_err err = {0};
        char *bad = replaced(good, cases[i].from, cases[i].to);
        if (parse(&info, bad, &err) == 0)
            fail_msg("case %zu (%s) was accepted", i, cases[i].to);
        if (!strstr(err.text, cases[i].word))
            fail_msg("case %zu (%s): %s", i, cases[i].to, err.text);
        assert_null(info.id);
        gnt_free(bad);
    }
    for (size_t n = 0; n < strlen(good); n += 7) { /* cut anywhere */
        char *cut = gnt_format("%.*s", (int)n, good);
        assert_int_equal(parse(&info, cut, NULL), -1);
        gnt_free(cut);
    }
    gnt_free(good);
}

/* Bytes changed, lost or repeated at random: a description is refused with a sentence, or what it says holds:
 * its defaults can be read. */
static void mutations_are_refused_or_sound(void **state) {
    (void)state;
    subject s;
    gnt_plugin_info info;
    gnt_key key = gnt_key_of_seed(21);
    gnt_stream random = gnt_stream_open(&key, "mutations");
    make(&s);
    assert_int_equal(gnt_info_of_descriptor(&info, &s.d, "/a/file.so", digest, 3, NULL), 0);
    char *good = text_of(&info);
    size_t size = strlen(good);
    gnt_info_free(&info);
    for (int round = 0; round < 3000; round++) {
        gnt_err err = {0};
        size_t at = (size_t)gnt_random_below(&random, size - 8), n = 1 + (size_t)gnt_random_below(&random, 7);
        char *bad = gnt_strdup(good);
        if (round % 3 == 0)
            bad[at] = (char)(1 + gnt_random_below(&random, 255));
        else if (round % 3 == 1)
            memmove(bad + at, bad + at + n, size - at - n + 1);
        else
            memmove(bad + at, bad + gnt_random_below(&random, size - 8), n);
        if (parse(&info, bad, &err))
            assert_true(err.text[0] && !info.id);
        else {
            gnt_params defaults;
            assert_int_equal(
                gnt_params_read(&defaults, info.parameters, info.n_parameters, NULL, "x", NULL, NULL), 0);
            gnt_params_free(&defaults);
            gnt_info_free(&info);
        }
        gnt_free(bad);
    }
    gnt_free(good);
}

/* ---- entries and lists ---- */

static const gnt_descriptor *nothing(int32_t index) {
    (void)index;
    return NULL;
}

static void entries_are_checked_field_by_field(void **state) {
    (void)state;
    const gnt_entry good = {
        GNT_ABI_MAGIC, sizeof(gnt_entry), GNT_ABI_MAJOR, GNT_ABI_MINOR, sizeof(void *), "", 1, 0, nothing};
    gnt_entry bad[8];
    static const char *const words[8] = {"magic is 0x00000001", "abi_major is 7",         "abi_minor is 13",
                                         "pointer_size is 4",   "size of the entry is 8", "n_plugins is 0",
                                         "n_plugins is 1000",   "descriptor is NULL"};
    for (int i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].magic = 1;
    bad[1].abi_major = 7;
    bad[2].abi_minor = GNT_ABI_MINOR + 1;
    bad[3].pointer_size = 4;
    bad[4].size = 8;
    bad[5].n_plugins = 0;
    bad[6].n_plugins = 1000;
    bad[7].descriptor = NULL;
    assert_int_equal(gnt_entry_check(&good, "/a/b.so", NULL), 0);
    for (int i = 0; i < 8; i++) {
        gnt_err err = {0};
        assert_int_equal(gnt_entry_check(&bad[i], "/a/b.so", &err), -1);
        if (!strstr(err.text, words[i]) || !strstr(err.text, "/a/b.so"))
            fail_msg("%s", err.text);
    }
    gnt_entry older = good; /* structs had another layout before 0.10 */
    gnt_err err = {0};
    older.abi_minor = 9;
    assert_int_equal(gnt_entry_check(&older, "/a/b.so", &err), -1);
    assert_non_null(strstr(err.text, "abi_minor is 9; this host takes 10 to 12"));
    const gnt_descriptor *d;
    assert_int_equal(gnt_entry_find(&d, &good, "/a/b.so", GNT_PLUGIN_ATTACK, "x", &err), -1);
    assert_non_null(strstr(err.text, "NULL"));
}

/* Structs of a later minor version go on where this host's end: what is known is read, whatever follows is
 * not. */
static void larger_structs_are_read_as_far_as_they_are_known(void **state) {
    (void)state;
    subject s;
    make(&s);
    struct {
        gnt_defense known;
        uint64_t more[3];
    } table = {.known = s.defense, .more = {1, 2, 3}};
    struct {
        gnt_descriptor known;
        uint64_t more;
    } d = {.known = s.d, .more = 9};
    table.known.size = sizeof table;
    d.known.size = sizeof d;
    d.known.defense = &table.known;
    gnt_plugin_info plain, larger;
    gnt_err err = {0};
    assert_int_equal(gnt_info_of_descriptor(&plain, &s.d, NULL, NULL, 0, &err), 0);
    assert_int_equal(gnt_info_of_descriptor(&larger, &d.known, NULL, NULL, 0, &err), 0);
    assert_int_equal(plain.hooks, larger.hooks);
    gnt_info_free(&plain);
    gnt_info_free(&larger);
    d.known.size = GNT_DESCRIPTOR_SIZE_0_10 - 1;
    assert_int_equal(gnt_info_of_descriptor(&larger, &d.known, NULL, NULL, 0, &err), -1);
    d.known.size = sizeof d;
    table.known.size = GNT_DEFENSE_SIZE_0_10 - 8;
    assert_int_equal(gnt_info_of_descriptor(&larger, &d.known, NULL, NULL, 0, &err), -1);
}

static void duplicates_name_both_files(void **state) {
    (void)state;
    subject s;
    gnt_plugin_list list = {0};
    gnt_plugin_info info;
    gnt_err err = {0};
    static const char *const ids[] = {"b-plugin", "a-plugin", "c-plugin"};
    make(&s);
    for (int i = 0; i < 3; i++) {
        s.d.id = ids[i];
        assert_int_equal(gnt_info_of_descriptor(&info, &s.d, "/first.so", digest, 0, NULL), 0);
        assert_int_equal(gnt_plugin_list_add(&list, &info, NULL), 0);
        assert_null(info.id);
    }
    assert_string_equal(list.info[0].id, "a-plugin");
    assert_string_equal(list.info[2].id, "c-plugin");
    assert_int_equal(gnt_info_of_descriptor(&info, &s.d, "/second.so", digest, 0, NULL), 0);
    assert_int_equal(gnt_plugin_list_add(&list, &info, &err), -1);
    assert_non_null(strstr(err.text, "/first.so"));
    assert_non_null(strstr(err.text, "/second.so"));
    gnt_info_free(&info);
    assert_ptr_equal(gnt_plugin_list_need(&list, GNT_PLUGIN_DEFENSE, "b-plugin", "suite.json:3", NULL),
                     &list.info[1]);
    assert_null(gnt_plugin_list_need(&list, GNT_PLUGIN_DEFENSE, "b-plugi", "suite.json:3", &err));
    assert_non_null(strstr(err.text, "did you mean \"b-plugin\""));
    assert_null(gnt_plugin_list_find(&list, GNT_PLUGIN_ATTACK, "b-plugin"));
    gnt_plugin_list_free(&list);
}

static void answers_are_all_or_none(void **state) {
    (void)state;
    subject s;
    gnt_plugin_list list = {0};
    gnt_plugin_info info;
    gnt_err err = {0};
    make(&s);
    assert_int_equal(gnt_info_of_descriptor(&info, &s.d, "/a.so", digest, 0, NULL), 0);
    char *first = text_of(&info);
    info.index = 1;
    char *second = text_of(&info);
    char *same = gnt_format("{\"format\":4,\"digest\":\"%s\",\"plugins\":[%s,%s]}", digest, first, second);
    assert_int_equal(gnt_describe_read(&list, same, strlen(same), "/a.so", digest, &err), -1);
    assert_non_null(strstr(err.text, "twice"));
    assert_int_equal(list.n, 0);
    char *other = replaced(same, digest, "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    assert_int_equal(gnt_describe_read(&list, other, strlen(other), "/a.so", digest, &err), -1);
    assert_non_null(strstr(err.text, "changed"));
    char *single = gnt_format("{\"format\":4,\"digest\":\"%s\",\"plugins\":[%s]}", digest, first);
    assert_int_equal(gnt_describe_read(&list, single, strlen(single), "/real/place.so", digest, &err), 0);
    assert_string_equal(list.info[0].file, "/real/place.so"); /* not what the answer says of itself */
    assert_int_equal(gnt_describe_read(&list, single, strlen(single), "/b.so", digest, &err), -1);
    assert_int_equal(list.n, 1);
    gnt_free(first);
    gnt_free(second);
    gnt_free(same);
    gnt_free(other);
    gnt_free(single);
    gnt_info_free(&info);
    gnt_plugin_list_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(description_survives_json),
        cmocka_unit_test(lying_descriptors_are_refused),
        cmocka_unit_test(hostile_json_is_refused),
        cmocka_unit_test(mutations_are_refused_or_sound),
        cmocka_unit_test(entries_are_checked_field_by_field),
        cmocka_unit_test(larger_structs_are_read_as_far_as_they_are_known),
        cmocka_unit_test(duplicates_name_both_files),
        cmocka_unit_test(answers_are_all_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
