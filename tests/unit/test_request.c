/* Requests of jobs, and what a worker is given about its process: whatever is in a table of fields comes back
 * as it was written, and nothing else is read. Everything here walks the tables, so that a field added later
 * is tried too. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "filled_fields.h"
#include "process/launch.h"
#include "request/request_fields.h"

enum { SUBJECTS = GNT_JOB_KINDS + 1 };

static const char where[] = "asked";

/* Every kind of job, then the launch of a process. */
static const gnt_fields *subject(int i) {
    return i < GNT_JOB_KINDS ? gnt_request_kinds[i].fields : &gnt_launch_fields;
}

static const char *subject_name(int i) {
    return i < GNT_JOB_KINDS ? gnt_request_kinds[i].name : "launch";
}

static char *text_of(const gnt_fields *fields, const void *from, gnt_fields_part part) {
    json_t *json = gnt_fields_encode(fields, from, part);
    assert_non_null(json);
    char *text = gnt_json_canonical(json);
    assert_non_null(text);
    json_decref(json);
    return text;
}

/* ---- the JSON of a filled struct, field by field ---- */

typedef struct visit visit;
struct visit {
    const gnt_fields *fields;
    json_t *root;
    void (*group)(const visit *v, const gnt_fields *fields, json_t *object, const char *path);
    void (*field)(const visit *v, const gnt_field *f, json_t *object, const char *path);
    /* State of the walk so far. */
    int *fields_seen;
};

static void walk(const visit *v, const gnt_fields *fields, json_t *object, const char *at) {
    if (v->group)
        v->group(v, fields, object, at);
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        const gnt_path path = gnt_path_key(at, f->name);
        json_t *entry;
        size_t k;
        assert_non_null(json_object_get(object, f->name));
        if (v->field)
            v->field(v, f, object, path.text);
        ++*v->fields_seen;
        json_t *value = json_object_get(object, f->name);
        if (f->type == GNT_FIELD_GROUP)
            walk(v, f->group, value, path.text);
        if (f->type == GNT_FIELD_LIST)
            json_array_foreach(value, k, entry) {
                const gnt_path item = gnt_path_item(path.text, k);
                walk(v, f->group, entry, item.text);
            }
    }
}

static void walk_all(visit v) {
    int seen = 0;
    for (int i = 0; i < SUBJECTS; i++) {
        gnt_arena memory = {0};
        v.fields = subject(i);
        v.root = gnt_fields_encode(v.fields, filled(v.fields, 1, &memory), GNT_FIELDS_ALL);
        v.fields_seen = &seen;
        assert_non_null(v.root);
        walk(&v, v.fields, v.root, where);
        json_decref(v.root);
        gnt_arena_free(&memory);
    }
    assert_true(seen > 300);
}

/* The member's value, which the caller owns, is another from here on; NULL: it is missing. Takes `value`
 * over. */
static json_t *replace(json_t *object, const char *name, json_t *value) {
    json_t *was = json_incref(json_object_get(object, name));
    if (value)
        json_object_set_new(object, name, value);
    else
        json_object_del(object, name);
    return was;
}

/* NULL where it is refused; else what is read, written once more. */
static char *read_and_write(const visit *v, gnt_fields_part part, gnt_err *err) {
    gnt_arena memory = {0};
    void *to = gnt_arena_array(&memory, 1, v->fields->size);
    char *text = NULL;
    if (gnt_fields_decode(v->fields, to, v->root, &memory, where, err) == 0)
        text = text_of(v->fields, to, part);
    gnt_arena_free(&memory);
    return text;
}

static void assert_refused(const visit *v, const char *path, const char *says) {
    const size_t length = strlen(path);
    gnt_err err = {0};
    char *text = read_and_write(v, GNT_FIELDS_ALL, &err);
    if (text)
        fail_msg("%s: is read as %s", path, text);
    if (strncmp(err.text, path, length) != 0 || err.text[length] != ':' || !strstr(err.text, says))
        fail_msg("\"%s\" does not begin with \"%s:\" and say \"%s\"", err.text, path, says);
}

/* The value in the field's place is refused, by this path. Takes it over. */
static void refuse(const visit *v, const gnt_field *f, json_t *object, const char *path, json_t *value,
                   const char *says) {
    json_t *was = replace(object, f->name, value);
    assert_refused(v, path, says);
    json_object_set_new(object, f->name, was);
}

/* The value in the field's place is read, and comes back. Takes it over. */
static void accept(const visit *v, const gnt_field *f, json_t *object, const char *path, json_t *value) {
    json_t *was = replace(object, f->name, value);
    gnt_err err = {0};
    char *text = read_and_write(v, GNT_FIELDS_ALL, &err);
    if (!text)
        fail_msg("%s: %s", path, err.text);
    char *given = gnt_json_canonical(v->root);
    assert_string_equal(text, given);
    gnt_free(given);
    gnt_free(text);
    json_object_set_new(object, f->name, was);
}

/* A list of as many entries as the field wants, all of this value, which it takes over. */
static json_t *list_of(const gnt_field *f, json_t *value) {
    json_t *list = json_array();
    for (size_t i = 0; i < (f->count ? f->count : 1); i++)
        json_array_append(list, value);
    json_decref(value);
    return list;
}

/* ---- what comes back ---- */

static void what_is_written_is_read(void **state) {
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int optional = 0; optional < 2; optional++) {
            gnt_arena memory = {0}, again = {0};
            gnt_err err = {0};
            const gnt_fields *fields = subject(i);
            const void *from = filled(fields, optional, &memory);
            void *to = gnt_arena_array(&again, 1, fields->size);
            json_t *json = gnt_fields_encode(fields, from, GNT_FIELDS_ALL);
            if (gnt_fields_decode(fields, to, json, &again, where, &err) != 0)
                fail_msg("%s: %s", subject_name(i), err.text);
            char *first = text_of(fields, from, GNT_FIELDS_ALL),
                 *second = text_of(fields, to, GNT_FIELDS_ALL);
            assert_string_equal(first, second);
            gnt_free(first);
            gnt_free(second);
            json_decref(json);
            gnt_arena_free(&again);
            gnt_arena_free(&memory);
        }
}

/* The same with the kind of job before it. */
static void requests_come_back(void **state) {
    (void)state;
    for (int kind = 0; kind < GNT_JOB_KINDS; kind++) {
        gnt_request from = {.kind = (gnt_job_kind)kind}, to, refused;
        gnt_err err = {0};
        const gnt_fields *fields = gnt_request_kinds[kind].fields;
        const void *values = filled(fields, 1, &from.memory);
        memcpy(&from.data, values, fields->size);
        json_t *json = gnt_request_encode(&from, GNT_FIELDS_ALL);
        assert_string_equal(json_string_value(json_object_get(json, "job")), gnt_job_kind_name(from.kind));
        if (gnt_request_decode(&to, json, &err) != 0)
            fail_msg("%s", err.text);
        assert_int_equal(to.kind, kind);
        json_t *again = gnt_request_encode(&to, GNT_FIELDS_ALL);
        assert_true(json_equal(json, again));
        json_object_set_new(json, "more", json_true());
        assert_int_equal(gnt_request_decode(&refused, json, &err), -1);
        assert_string_equal(err.text, "the job's request: has the unknown field \"more\"");
        assert_null(refused.memory.last);
        json_decref(again);
        json_decref(json);
        gnt_request_free(&to);
        assert_null(to.memory.last);
        gnt_request_free(&to);
        gnt_request_free(&from);
    }
}

static void what_is_no_request_is_refused(void **state) {
    static const struct {
        const char *text, *says;
    } odd[] = {{"[]", "is an empty list, expected an object"},
               {"{\"ask\": {}}", "unknown kind of job"},
               {"{\"job\": 3, \"ask\": {}}", "has the unknown kind of job 3"},
               {"{\"job\": \"Attack\", \"ask\": {}}", "has the unknown kind of job \"Attack\""},
               {"{\"job\": \"sandbox\"}", "expected an object"},
               {"{\"job\": \"sandbox\", \"ask\": []}", "is an empty list, expected an object"}};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        gnt_request request;
        gnt_err err = {0};
        json_t *json = json_loads(odd[i].text, 0, NULL);
        assert_non_null(json);
        assert_int_equal(gnt_request_decode(&request, json, &err), -1);
        if (strncmp(err.text, "the job's request", 17) != 0 || !strstr(err.text, odd[i].says))
            fail_msg("%s: %s", odd[i].text, err.text);
        assert_null(request.memory.last);
        json_decref(json);
    }
}

/* One message of each kind of job, from which fuzzing starts. */
static void kept_messages_are_sound(void **state) {
    (void)state;
    for (int kind = 0; kind < GNT_JOB_KINDS; kind++) {
        char path[128];
        uint8_t *bytes;
        size_t size;
        gnt_request request;
        gnt_launch launch;
        gnt_arena memory = {0};
        gnt_err err = {0};
        snprintf(path, sizeof path, "tests/fuzz/corpus/request/%s", gnt_job_kind_name((gnt_job_kind)kind));
        if (gnt_file_read(path, 1 << 20, &bytes, &size, &err) != 0)
            fail_msg("%s", err.text);
        json_t *json = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, NULL);
        if (gnt_fields_decode(&gnt_launch_fields, &launch, json_object_get(json, "process"), &memory, path,
                              &err) != 0 ||
            gnt_request_decode(&request, json_object_get(json, "request"), &err) != 0)
            fail_msg("%s: %s", path, err.text);
        assert_int_equal(request.kind, kind);
        gnt_request_free(&request);
        gnt_arena_free(&memory);
        json_decref(json);
        gnt_free(bytes);
    }
}

/* ---- the tables themselves ---- */

static size_t size_of_member(const gnt_field *f) {
    switch (f->type) {
    case GNT_FIELD_INT:
    case GNT_FIELD_REAL:
        return 8;
    case GNT_FIELD_FLAG:
        return sizeof(int);
    case GNT_FIELD_TEXT:
        return sizeof(char *);
    case GNT_FIELD_KEY:
        return sizeof(gnt_key);
    case GNT_FIELD_WORD:
    case GNT_FIELD_BITS:
        return sizeof(uint32_t);
    case GNT_FIELD_GROUP:
        return f->optional ? sizeof(void *) : f->group->size;
    default:
        return sizeof(gnt_ints);
    }
}

/* Rows do not share bytes of the struct, and no member of eight bytes or more is without one. */
static void check_table(const gnt_fields *fields) {
    unsigned char *taken = gnt_array(fields->size + 1, 1);
    size_t gap = 0;
    assert_non_null(taken);
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        const size_t size = size_of_member(f);
        assert_true(f->offset + size <= fields->size);
        for (size_t k = 0; k < size; k++)
            if (taken[f->offset + k]++)
                fail_msg("%s shares bytes with another field", f->name);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(f->name, fields->field[k].name);
        assert_true(!f->optional || f->type == GNT_FIELD_TEXT || f->type == GNT_FIELD_GROUP);
        assert_true((f->words != NULL) == (f->type == GNT_FIELD_WORD || f->type == GNT_FIELD_BITS));
        assert_true((f->group != NULL) == (f->type == GNT_FIELD_GROUP || f->type == GNT_FIELD_LIST));
        if (f->group)
            check_table(f->group);
    }
    for (size_t k = 0; k < fields->size; k++) {
        gap = taken[k] ? 0 : gap + 1;
        if (gap == 8)
            fail_msg("a struct with \"%s\" has a member at byte %zu that no field describes",
                     fields->field[0].name, k - 7);
    }
    gnt_free(taken);
}

static void every_member_has_its_row(void **state) {
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        check_table(subject(i));
}

/* ---- what is refused ---- */

static void remove_field(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    json_t *was = replace(object, f->name, NULL);
    gnt_err err = {0};
    if (f->optional) {
        char *text = read_and_write(v, GNT_FIELDS_ALL, &err), *given = gnt_json_canonical(v->root);
        if (!text)
            fail_msg("%s may be missing: %s", path, err.text);
        assert_string_equal(text, given);
        gnt_free(text);
        gnt_free(given);
    } else
        assert_refused(v, path, "is missing");
    json_object_set_new(object, f->name, was);
}

static void a_missing_field_is_named(void **state) {
    (void)state;
    walk_all((visit){.field = remove_field});
}

static void add_unknown(const visit *v, const gnt_fields *fields, json_t *object, const char *path) {
    (void)fields;
    json_object_set_new(object, "strange", json_integer(1));
    assert_refused(v, path, "has the unknown field \"strange\"");
    json_object_del(object, "strange");
}

static void an_unknown_field_is_named(void **state) {
    (void)state;
    walk_all((visit){.group = add_unknown});
}

/* True if the JSON value is of the type, whatever else may be wrong with it. */
static int is_of_type(gnt_field_type type, const json_t *value) {
    switch (type) {
    case GNT_FIELD_INT:
        return json_is_integer(value);
    case GNT_FIELD_REAL:
        return json_is_number(value);
    case GNT_FIELD_FLAG:
        return json_is_boolean(value);
    case GNT_FIELD_TEXT:
        return json_is_string(value);
    case GNT_FIELD_KEY:
    case GNT_FIELD_WORD:
        return 0; /* the text below is neither */
    case GNT_FIELD_GROUP:
        return json_is_object(value);
    default:
        return json_is_array(value);
    }
}

static json_t *some_value(int i) {
    switch (i) {
    case 0:
        return json_null();
    case 1:
        return json_true();
    case 2:
        return json_integer(1);
    case 3:
        return json_real(0.5);
    case 4:
        return json_string("no such word");
    case 5:
        return json_array();
    default:
        return json_object();
    }
}
enum { VALUES = 7 };

static void give_other_types(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    static const gnt_field_type entry_type[] = {[GNT_FIELD_BITS] = GNT_FIELD_WORD,
                                                [GNT_FIELD_INTS] = GNT_FIELD_INT,
                                                [GNT_FIELD_REALS] = GNT_FIELD_REAL,
                                                [GNT_FIELD_TEXTS] = GNT_FIELD_TEXT,
                                                [GNT_FIELD_LIST] = GNT_FIELD_GROUP};
    const int is_list = f->type >= GNT_FIELD_BITS && f->type != GNT_FIELD_GROUP;
    const gnt_path first = gnt_path_item(path, 0);
    for (int i = 0; i < VALUES; i++) {
        json_t *value = some_value(i), *entry = some_value(i);
        if (!is_of_type(f->type, value))
            refuse(v, f, object, path, json_incref(value), "");
        if (is_list && !is_of_type(entry_type[f->type], entry)) /* words are named by their list */
            refuse(v, f, object, f->type == GNT_FIELD_BITS ? path : first.text,
                   list_of(f, json_incref(entry)), "");
        json_decref(value);
        json_decref(entry);
    }
}

static void a_value_of_another_type_is_refused(void **state) {
    (void)state;
    walk_all((visit){.field = give_other_types});
}

static void give_ints(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    const int is_list = f->type == GNT_FIELD_INTS;
    const gnt_path first = gnt_path_item(path, 0);
    const int64_t most = f->least || f->most ? f->most : INT64_MAX;
    const int64_t sound[] = {f->least, most};
    for (int i = 0; i < 2; i++) {
        json_t *value = json_integer(sound[i]);
        accept(v, f, object, path, is_list ? list_of(f, value) : value);
    }
    if (f->least > INT64_MIN) {
        json_t *value = json_integer(f->least - 1);
        refuse(v, f, object, is_list ? first.text : path, is_list ? list_of(f, value) : value,
               "an integer from");
    }
    if (most < INT64_MAX) {
        json_t *value = json_integer(most + 1);
        refuse(v, f, object, is_list ? first.text : path, is_list ? list_of(f, value) : value,
               "an integer from");
    }
}

static void give_reals(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    const int is_list = f->type == GNT_FIELD_REALS, any = f->low == 0 && f->high == 0;
    const gnt_path first = gnt_path_item(path, 0);
    const double sound[] = {any ? -DBL_MAX : f->low, any ? DBL_MAX : f->high};
    for (int i = 0; i < 2; i++) {
        json_t *value = json_real(sound[i]);
        accept(v, f, object, path, is_list ? list_of(f, value) : value);
        if (any)
            continue; /* JSON has no number beyond */
        value = json_real(nextafter(sound[i], i ? INFINITY : -INFINITY));
        refuse(v, f, object, is_list ? first.text : path, is_list ? list_of(f, value) : value,
               "a number from");
    }
}

static void give_bounds(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    if (f->type == GNT_FIELD_INT || f->type == GNT_FIELD_INTS)
        give_ints(v, f, object, path);
    if (f->type == GNT_FIELD_REAL || f->type == GNT_FIELD_REALS)
        give_reals(v, f, object, path);
}

static void a_number_out_of_bounds_is_refused(void **state) {
    (void)state;
    walk_all((visit){.field = give_bounds});
}

static void give_words(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    const int is_list = f->type == GNT_FIELD_BITS;
    for (size_t i = 0; f->words && i < f->words->n; i++) {
        const char *word = f->words->word[i].name;
        json_t *value = json_string(word), *twice = json_pack("[s, s]", word, word);
        accept(v, f, object, path, is_list ? list_of(f, value) : value);
        if (is_list)
            refuse(v, f, object, path, json_incref(twice), "twice");
        json_decref(twice);
    }
    for (int i = 0; f->words && i < 3; i++) {
        char word[64];
        snprintf(word, sizeof word, "%s%s", i ? f->words->word[0].name : "", i == 2 ? "s" : "");
        word[0] = (char)(i == 1 ? toupper((unsigned char)word[0]) : word[0]);
        json_t *value = json_string(word);
        refuse(v, f, object, path, is_list ? list_of(f, value) : value, f->words->word[0].name);
    }
}

static void a_word_that_is_none_is_refused(void **state) {
    (void)state;
    walk_all((visit){.field = give_words});
}

/* Entries beyond the number are not looked at. */
static void give_lengths(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    const size_t most = f->most_entries ? f->most_entries : GNT_FIELD_MOST_ENTRIES;
    const size_t wrong[] = {f->count ? f->count - 1 : most + 1, f->count ? f->count + 1 : most + 1};
    if (f->type < GNT_FIELD_INTS || f->type == GNT_FIELD_GROUP)
        return;
    for (int i = 0; i < 1 + (f->count > 0); i++) {
        json_t *list = json_array(), *null = json_null();
        for (size_t k = 0; k < wrong[i]; k++)
            json_array_append(list, null);
        refuse(v, f, object, path, list, "expected a list of");
    }
    if (!f->count)
        accept(v, f, object, path, json_array());
}

static void a_list_of_another_length_is_refused(void **state) {
    (void)state;
    walk_all((visit){.field = give_lengths});
}

static void give_keys(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    if (f->type != GNT_FIELD_KEY)
        return;
    const char *sound = json_string_value(json_object_get(object, f->name));
    assert_int_equal(strlen(sound), 64);
    for (int how = 0; how < 5; how++) {
        char text[80], part[9];
        gnt_err err = {0};
        snprintf(text, sizeof text, "%s%s", sound, how == 1 ? "0" : "");
        if (how == 0)
            text[63] = '\0';
        if (how == 2)
            text[5] = 'g';
        if (how == 3)
            text[63] = ' ';
        for (int i = 0; how == 4 && text[i]; i++)
            text[i] = (char)toupper((unsigned char)text[i]);
        json_t *was = replace(object, f->name, json_string(text));
        assert_refused(v, path, "is no key");
        assert_null(read_and_write(v, GNT_FIELDS_ALL, &err));
        for (size_t at = 0; at + 8 <= strlen(text); at++) {
            snprintf(part, sizeof part, "%.8s", text + at);
            if (strstr(err.text, part))
                fail_msg("a key is shown: %s", err.text);
        }
        json_object_set_new(object, f->name, was);
        sound = json_string_value(json_object_get(object, f->name));
    }
}

static void a_key_that_is_none_is_not_shown(void **state) {
    (void)state;
    walk_all((visit){.field = give_keys});
}

/* ---- the identity ---- */

/* Another value of the same type that the field allows; NULL: its parts are changed one by one. */
static json_t *changed(const gnt_field *f, const json_t *value) {
    const json_t *first = json_array_get(value, 0);
    const int64_t most = f->least || f->most ? f->most : INT64_MAX;
    const int any = f->low == 0 && f->high == 0;
    json_t *list;
    char text[80];
    switch (f->type) {
    case GNT_FIELD_INT:
        return json_integer(json_integer_value(value) + (json_integer_value(value) < most ? 1 : -1));
    case GNT_FIELD_REAL:
        return json_real(any ? json_real_value(value) + 1 : f->high);
    case GNT_FIELD_FLAG:
        return json_false();
    case GNT_FIELD_TEXT:
        snprintf(text, sizeof text, "%s.", json_string_value(value));
        return json_string(text);
    case GNT_FIELD_KEY:
        snprintf(text, sizeof text, "%s", json_string_value(value));
        text[63] = text[63] == '0' ? '1' : '0';
        return json_string(text);
    case GNT_FIELD_WORD:
        return json_string(
            f->words->word[strcmp(json_string_value(value), f->words->word[0].name) == 0].name);
    case GNT_FIELD_GROUP:
        return NULL;
    case GNT_FIELD_INTS:
        list = json_deep_copy(value);
        json_array_set_new(
            list, 0, json_integer(json_integer_value(first) + (json_integer_value(first) < most ? 1 : -1)));
        return list;
    case GNT_FIELD_REALS:
        list = json_deep_copy(value);
        json_array_set_new(list, 0, json_real(any ? json_real_value(first) + 1 : f->high));
        return list;
    default:
        list = json_deep_copy(value);
        json_array_remove(list, 0);
        return list;
    }
}

static char *identity(const visit *v) {
    gnt_err err = {0};
    char *text = read_and_write(v, GNT_FIELDS_IDENTITY, &err);
    if (!text)
        fail_msg("%s", err.text);
    return text;
}

static void change_field(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    json_t *other = changed(f, json_object_get(object, f->name));
    char *before = identity(v);
    for (int how = 0; how < 2; how++) {
        if (how == 0 ? !other : !f->optional)
            continue;
        json_t *was = replace(object, f->name, how == 0 ? other : NULL);
        char *after = identity(v);
        if ((strcmp(before, after) == 0) != f->is_place)
            fail_msg("%s: the identity %s", path, f->is_place ? "changes with it" : "does not tell it");
        gnt_free(after);
        json_object_set_new(object, f->name, was);
    }
    gnt_free(before);
}

static void the_identity_contains_all_but_places(void **state) {
    (void)state;
    walk_all((visit){.field = change_field});
}

/* Paths on this machine, and nothing else. */
static void note_places(const visit *v, const gnt_field *f, json_t *object, const char *path) {
    (void)v, (void)object;
    const int is_path = strcmp(f->name, "file") == 0 || strcmp(f->name, "folder") == 0;
    if (f->is_place != is_path)
        fail_msg("%s %s", path, is_path ? "is part of the identity" : "is no part of the identity");
}

static void assert_no_paths(const json_t *json) {
    const char *name;
    json_t *value;
    size_t i;
    assert_null(json_object_get(json, "file"));
    assert_null(json_object_get(json, "folder"));
    json_object_foreach((json_t *)(uintptr_t)json, name, value) assert_no_paths(value);
    json_array_foreach(json, i, value) assert_no_paths(value);
}

static void the_identity_has_no_paths(void **state) {
    (void)state;
    walk_all((visit){.field = note_places});
    for (int i = 0; i < SUBJECTS; i++) {
        gnt_arena memory = {0};
        json_t *json = gnt_fields_encode(subject(i), filled(subject(i), 1, &memory), GNT_FIELDS_IDENTITY);
        assert_no_paths(json);
        json_decref(json);
        gnt_arena_free(&memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_has_its_row),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(requests_come_back),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(kept_messages_are_sound),
        cmocka_unit_test(a_missing_field_is_named),
        cmocka_unit_test(an_unknown_field_is_named),
        cmocka_unit_test(a_value_of_another_type_is_refused),
        cmocka_unit_test(a_number_out_of_bounds_is_refused),
        cmocka_unit_test(a_word_that_is_none_is_refused),
        cmocka_unit_test(a_list_of_another_length_is_refused),
        cmocka_unit_test(a_key_that_is_none_is_not_shown),
        cmocka_unit_test(the_identity_contains_all_but_places),
        cmocka_unit_test(the_identity_has_no_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
