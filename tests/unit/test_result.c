/* The format of results.json: what is read is written again to the byte; what is hostile is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "must_work.h"
#include "result/read_impl.h"
#include "result/result.h"
#include "schema.h"

/* A file that has every key, in two parts. */
static const char head[] =
    "{'format': 1, 'suite': 's', 'title': 't', 'suite_digest': 'd', 'tasks': [{'id': 'a', 'digest': 'x', "
    "'data': 'glyphs', 'data_kind': 'image', 'model': 'lenet', 'stages': [0, 3], 'stages_drawn': true, "
    "'seed_public': false, "
    "'utility': 'iou', 'surface': 'update', 'observe_from': 'round', 'targets': 2, 'batch': 1, "
    "'local_steps': 1, 'rounds': 3, 'weights': false, 'attribute': null, 'adequate': {'identified': 0.9, "
    "'above_floor': 10.0, 'gain': 0.2}, 'equal_leakage': [0.25, 0.5], 'set': 4, 'epochs': 0, 'curve': 1, "
    "'width': 0.5, 'public': 'glyphs', 'public_only': [{'seed': 1, 'utility': 0.5, 'standard_error': "
    "null}]}, {'id': 'b', 'digest': 'y', 'data': 'adult', 'data_kind': 'tabular', 'model': 'mlp', 'stages': "
    "[], 'stages_drawn': "
    "false, 'seed_public': true, 'utility': 'accuracy', 'surface': 'transcript', 'observe_from': 'probe', "
    "'targets': 0, 'batch': 1, 'local_steps': 1, 'rounds': 0, 'weights': true, 'attribute': 'sex', "
    "'adequate': {'identified': 0.9, 'above_floor': 10.0, 'gain': 0.2}, 'equal_leakage': 0.5, "
    "'public_only': null}], 'models': [{'id': 'm', 'model': 'lenet', 'data': 'glyphs', 'weights_given': "
    "false, 'samples': null, 'epochs': 3, 'accuracy': null, 'accuracy_error': 0.1, 'loss': 0.5, "
    "'loss_error': 0.01, 'iou': null, 'iou_error': 0.5}], 'defenses': [{'label': 'n', 'plugin': 'prune', "
    "'members': [{'id': 'prune', 'version': '1', 'flags': ['randomised'], 'hooks': ['client_update'], "
    "'families': [], 'params': {'p': "
    "0.1, 'list': [1, 'x', null]}}], 'strength': 'p', 'unit': '', 'scale': null}], 'attacks': [{'label': "
    "'c', 'plugin': 'a+b', 'grants': ['defense'], 'budget': 0, 'members': [], 'first_budget': 0}], "
    "'matches': [{'task': 'a', 'defense': 'n', 'target': 0.5, 'tolerance': 0.01, 'verdict': 'saturated', "
    "'reason': null, 'strength': 0.1, 'utility': 0.5, 'utility_none': null, 'confirmed': true, "
    "'confirmation': {'mean': null, 'standard_error': 0.1, 't': 2.5, 'trainings': 3, 'failed': 0, "
    "'searching': 4}, 'history': [{'strength': null, 'utility': 0.5, 'standard_error': 0.1, 'seed': 0}]}], ";
static const char rest[] =
    " 'groups': [{'task': 'a', 'stage': 3, 'defense': 'n', 'strength': 0.1, 'mode': 'matched', 'attack': "
    "'c', 'status': 'ok', 'reason': null, 'n_cells': 1, 'n_ok': 1, 'utility': {'mean': 0.5, 'low': 0.5, "
    "'high': 0.5, 'beside': {'loss': {'mean': 0.1, 'low': 0.1, 'high': 0.1}, 'dice': null}}, "
    "'utility_none': 0.75, 'measures': {'psnr': {'mean': 12.5, 'deviation': 0.5, 'worst': 13.0, 'median': "
    "12.5, 'low': 12.0, 'high': 13.0, 'n': 2, 'trainings': 1, 'interval': 'targets'}}, 'floors': {'psnr': "
    "{'random': 5.0, 'other': 6.0}}, 'chance': {'identification': 0.5}, 'matched': true}, {'task': 'a', "
    "'stage': 0, 'defense': 'n', 'strength': null, 'mode': 'sweep', 'attack': 'c', 'status': 'n/a', "
    "'reason': 'why', 'n_cells': 1, 'n_ok': 0, 'utility': null, 'utility_none': null, 'measures': {}, "
    "'floors': {}, 'chance': {}, 'matched': false}], 'cells': [{'cell': 'a/r3/n@matched/c/s1', 'task': 'a', "
    "'stage': 3, 'defense': 'n', 'plugin': 'prune', 'strength': 0.1, 'mode': 'matched', 'attack': 'c', "
    "'attack_plugin': 'a+b', 'seed': 1, 'status': 'ok', 'reason': null, 'matched': true, 'grants': "
    "['defense'], 'surface': 'update', 'goals': ['reconstruction'], 'utility': {'measure': 'iou', 'value': "
    "0.5, 'standard_error': 0.1, 'none': null, 'by_round': [{'round': 0, 'accuracy': null, 'loss': 0.5, "
    "'iou': 0.25}, {'round': 3, 'accuracy': 0.5, 'loss': 0.5}], 'by_value': [{'n': 2, 'right': 1, 'labels': "
    "[1, 1]}], 'beside': {'loss': {'value': 0.1, 'standard_error': null}}}, 'measures': {'psnr': {'mean': "
    "12.5, 'deviation': 0.5, 'worst': 13.0, 'median': 12.5, 'low': 12.0, 'high': 13.0, 'n': 2, 'trainings': "
    "1, 'interval': 'targets'}, 'mse': {'mean': 0.05, 'deviation': 0.0, 'worst': 0.05, 'median': 0.05, "
    "'low': 0.05, 'high': 0.05, 'n': 1, 'trainings': 1, 'interval': 'none'}}, 'floors': {'psnr': {'random': "
    "null, 'other': 6.0, 'mean_image': 7.0, 'nearest_public': 8.0}, 'mse': {'mean_image': null}}, 'chance': "
    "{'identification': null}, 'targets': [{'id': 0, 'member': null, 'mse': 0.05, 'mse255': 100.0, 'psnr': "
    "12.5, 'ssim': null, 'lpips_alex': 0.5, 'feature_distance': 0.5, 'representation_mse': 0.5, "
    "'region_mse': null, 'region_psnr': 1.0, 'region_ssim': 1.0, 'region_lpips_vgg': 0.5, 'exact': false, "
    "'broken': true, 'missing': false, 'identification': 1.0, 'rank': 1.0, 'label_accuracy': 1.0, "
    "'attribute_accuracy': 0.0, 'attribute_truth': 1, 'attribute_told': -1, 'attribute_renamed': -1, "
    "'contribution_error': 0.5, 'contribution_truth': [1.0, null], 'contribution_told': null}, {'id': 1}], "
    "'convergence': [{'target': 0, 'restart': 0, 'points': [[0, 1.5], [10, 1e-09]]}], 'ended': {'budget': 1, "
    "'tolerance': 0, 'stall': 0, 'contradicted': 0, 'unknown': 1}, 'facts': {'z': 1.0, "
    "'a': 2.0}, 'points': {'value': [0, 1], 'representation': {'components': [[1.0, -0.5]], 'share': [0.5, "
    "0.25], 'neighbours': [[0.0, 1.0]], 'probe': null}, 'names': ['f', 'm']}, 'marks': [{'what': "
    "'claims-differ', 'says': 'so'}], 'unmeasured': {'lpips_vgg': 'no weights'}, 'images': "
    "'images/cell-00000.safetensors'}], 'scale': {'name': 'smoke', 'says': 'small'}, 'baseline': [{'task': "
    "'a', 'defense': 'n', 'strength': 0.5}], 'check': {'alpha': 0.05}, 'facts': ['z'], 'points': 4, "
    "'tables': [{'id': 'one', 'rows': []}], 'equal_utility': [{'task': 'a', 'stage': 3, 'defense': 'n', "
    "'attack': 'c', 'measure': 'psnr', 'utility': 0.5, 'leakage': null, 'standard_error': null, 'low': "
    "null, 'high': null, 'strengths': 1, 'seeds': 1, 'from': null, 'to': null, 'reason': 'why'}], "
    "'equal_leakage': [{'task': 'a', 'stage': 3, 'defense': 'n', 'attack': 'c', 'measure': 'psnr', "
    "'leakage': 9.5, 'utility': 0.5, 'standard_error': 0.1, 'low': 0.4, 'high': 0.6, 'strengths': 3, "
    "'seeds': 2, 'from': 0.1, 'to': 0.2, 'reason': null}]}";

/* The whole, with ' for ". */
static const char *whole(void) {
    static char text[sizeof head + sizeof rest];
    snprintf(text, sizeof text, "%s%s", head, rest);
    return text;
}

/* The text with " for '; the caller frees. */
static char *quoted(const char *text) {
    char *copy = gnt_strdup(text);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

static gnt_result read_text(const char *single_quoted) {
    char *text = quoted(single_quoted);
    gnt_result r;
    MUST_WORK(gnt_result_parse(&r, "results.json", text, strlen(text), err));
    gnt_free(text);
    return r;
}

static void what_is_read_is_written_to_the_byte(void **state) {
    (void)state;
    char *text = quoted(whole());
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    char *wanted = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    gnt_result r = read_text(whole());
    char *written = gnt_result_text(&r, 1);
    assert_non_null(written);
    assert_string_equal(written, wanted);
    gnt_result_free(&r);
    json_decref(root);
    gnt_free(text);
    gnt_free(wanted);
    gnt_free(written);
}

static void structs_hold_what_the_file_says(void **state) {
    (void)state;
    gnt_result r = read_text(whole());
    const gnt_outcome *c = &r.cells.at[0], *g = &r.groups.at[1];
    const gnt_target *t = &c->targets.at[0], *bare = &c->targets.at[1];
    assert_true(c->status == GNT_CELL_OK && c->mode == GNT_ROW_MATCHED && g->status == GNT_CELL_NA);
    assert_true(isnan(g->strength) && isnan(g->utility.value) && g->utility.measure == gnt_no_text);
    assert_true(t->score[GNT_MEASURE_PSNR] == 12.5 && isnan(t->score[GNT_MEASURE_SSIM]) && t->member == -1);
    assert_true(gnt_fields_has(&gnt_target_fields, t, &t->score[GNT_MEASURE_SSIM]));
    assert_false(gnt_fields_has(&gnt_target_fields, bare, &bare->score[GNT_MEASURE_SSIM]));
    assert_true(isnan(bare->score[GNT_MEASURE_SSIM]) && isnan(t->score[GNT_MEASURE_CONTRIBUTION_RANK]));
    assert_int_equal(c->n_score, 2);
    assert_string_equal(c->score[0].measure, "mse");
    assert_true(isnan(c->score[0].chance) && c->score[1].floor[GNT_FLOOR_NEAREST] == 8);
    assert_true(r.tasks.at[0].set == 4 && r.tasks.at[1].set == -1 && isnan(r.tasks.at[1].width));
    assert_true(r.tasks.at[1].equal_leakage.n == 1 && r.tasks.at[1].public_only.at == NULL);
    assert_true(r.matches.at[0].is_matched && r.matches.at[0].confirmation.searching == 4);
    assert_string_equal(r.check, "{\"alpha\":0.05}");
    gnt_result_free(&r);
}

/* A file of an old build has fewer keys; one of a newer build has more. */
static void other_builds_are_read(void **state) {
    (void)state;
    gnt_result r =
        read_text("{'format': 1, 'tasks': ['a'], 'news': {'x': 1}, 'groups': [], 'cells': [{'task': "
                  "'a', 'defense': 'n', 'attack': 'c', 'mode': 'none', 'status': 'ok', 'new': [], "
                  "'measures': {'psnr': null}}], 'matches': [{'task': 'a', 'defense': 'n', "
                  "'verdict': 'unmatched'}]}");
    const gnt_match_row *m = &r.matches.at[0];
    assert_string_equal(r.tasks.at[0].id, "a");
    assert_true(r.cells.at[0].n_score == 0 && isnan(r.cells.at[0].strength) && !r.cells.at[0].targets.at);
    assert_true(isnan(m->target) && !gnt_fields_has(&gnt_match_fields, m, &m->confirmation));
    assert_true(r.equal_utility.at == NULL && r.points == -1);
    gnt_result_free(&r);
}

/* Up to 0.9.0 a defense without a strength had the mode of no defense. */
static void only_no_defense_is_undefended(void **state) {
    (void)state;
    static const struct {
        const char *members, *mode;
        gnt_row_mode is;
    } cases[] = {{"{'id': 'none'}", "none", GNT_ROW_NONE},
                 {"{'id': 'none'}", "as-is", GNT_ROW_NONE},
                 {"{'id': 'pda-pam'}", "none", GNT_ROW_AS_IS},
                 {"{'id': 'pda-pam'}", "as-is", GNT_ROW_AS_IS},
                 {"{'id': 'none'}, {'id': 'pda-pam'}", "none", GNT_ROW_AS_IS},
                 {"{'id': 'pda-pam'}", "fixed", GNT_ROW_FIXED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = gnt_format("{'format': 1, 'defenses': [{'label': 'd', 'members': [%s]}], 'groups': "
                                "[{'task': 'a', 'defense': 'd', 'attack': 'c', 'mode': '%s', 'status': "
                                "'ok'}], 'cells': [{'task': 'a', 'defense': 'd', 'attack': 'c', 'mode': "
                                "'%s', 'status': 'ok'}]}",
                                cases[i].members, cases[i].mode, cases[i].mode);
        gnt_result r = read_text(text);
        assert_int_equal(r.cells.at[0].mode, cases[i].is);
        assert_int_equal(r.groups.at[0].mode, cases[i].is);
        gnt_result_free(&r);
        gnt_free(text);
    }
}

static void numbers_round_as_a_file_would(void **state) {
    (void)state;
    gnt_result r = read_text(whole());
    gnt_outcome *c = &r.cells.at[0];
    c->strength = 1.0 / 3;
    ((gnt_target *)(uintptr_t)c->targets.at)[0].score[GNT_MEASURE_MSE] = 2.0 / 3;
    gnt_fields_round(&gnt_result_fields, &r);
    assert_true(c->strength == 0.333333333 && c->targets.at[0].score[GNT_MEASURE_MSE] == 0.666666667);
    gnt_result_free(&r);
}

/* Each of these replaces the first `was` in the file. */
static const struct {
    const char *was, *is, *sentence;
} hostile[] = {
    {"'format': 1", "'format': 2", "format: expected 1"},
    {"'suite': 's'", "'suite': 5", "suite: is 5, expected a text"},
    {"'stages': [0, 3]", "'stages': [0, 'x']", "tasks[0].stages[1]: is \"x\", expected an integer"},
    {"'stages_drawn': true", "'stages_drawn': 1", "tasks[0].stages_drawn: is 1, expected true or false"},
    {"'targets': 2", "'targets': 0.5", "tasks[0].targets: is 0.5, expected an integer"},
    {"[0.25, 0.5]", "['x']", "tasks[0].equal_leakage[0]: is \"x\", expected a number"},
    {"'standard_error': null", "'standard_error': {}",
     "tasks[0].public_only[0].standard_error: is an object"},
    {"'flags': ['randomised']", "'flags': {}", "defenses[0].members[0].flags: is an object, expected a list"},
    {"'target': 0.5", "'target': 'x'", "matches[0].target: is \"x\", expected a number or null"},
    {"'verdict': 'saturated'", "'verdict': null", "matches[0].verdict: is null, expected a text"},
    {"'history': [", "'history': [1, ", "matches[0].history[0]: is 1, expected an object"},
    {"'mode': 'matched'", "'mode': 'lucky'", "groups[0].mode: is \"lucky\", expected one of none, matched"},
    {"'status': 'ok'", "'status': 7", "groups[0].status: is 7, expected one of ok"},
    {"'stage': 3", "'stage': -1", "groups[0].stage: is -1, expected an integer from 0"},
    {"'interval': 'targets'", "'interval': 'x'",
     "groups[0].measures.psnr.interval: is \"x\", expected one of"},
    {"'floors': {'psnr'", "'floors': {'q': [], 'psnr'", "groups[0].floors.q: is an empty list, expected"},
    {"'chance': {'identification': 0.5", "'chance': {'identification': []",
     "groups[0].chance.identification"},
    {"'by_value': [{'n': 2", "'by_value': [{'n': -2", "cells[0].utility.by_value[0].n: is -2"},
    {"'round': 3", "'round': 0", "cells[0].utility.by_round[1].round: is 0 after 0"},
    {"'exact': false", "'exact': 'no'", "cells[0].targets[0].exact: is \"no\", expected true or false"},
    {"'attribute_told': -1", "'attribute_told': -2", "cells[0].targets[0].attribute_told: is -2, expected"},
    {"[0, 1.5]", "[0]", "cells[0].convergence[0].points[0]: is a list of 1, expected a list of 2"},
    {"'stall': 0", "'stall': -1", "cells[0].ended.stall: is -1, expected an integer from 0"},
    {"'facts': {'z': 1.0", "'facts': {'z': true", "cells[0].facts.z: is true, expected a number or null"},
    {"[[1.0, -0.5]]", "[[1.0, 'a']]", "components[0][1]: is \"a\", expected a number"},
    {"[[1.0, -0.5]]", "[[1.0, 0.1, 2.0]]", "components[0]: is a list of 3, expected a list of 2"},
    {"'value': [0, 1]", "'value': [0, 0.5]", "cells[0].points.value[1]: is 0.5, expected an integer"},
    {"'probe': null", "'probe': {}", "cells[0].points.representation.probe: is an"},
    {"'id': 0, ", "'id': 'x', ", "cells[0].targets[0].id: is \"x\", expected an integer"},
    {"'psnr': 12.5", "'psnr': 'high'", "cells[0].targets[0].psnr: is \"high\", expected a number or null"},
    {"'targets': [{", "'targets': [1, {", "cells[0].targets[0]: is 1, expected an object"},
    {"'marks': [{'what': 'claims-differ', ", "'marks': [{", "cells[0].marks[0].what: is missing"},
    {"'cells': [", "'cell': [", "cells: is missing"},
};

static char *replaced(const char *was, const char *is) {
    const char *all = whole(), *at = strstr(all, was);
    assert_non_null(at);
    char *changed = gnt_format("%.*s%s%s", (int)(at - all), all, is, at + strlen(was)),
         *text = quoted(changed);
    gnt_free(changed);
    return text;
}

static void hostile_values_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        gnt_err err = {""};
        gnt_result r;
        char *text = replaced(hostile[i].was, hostile[i].is);
        assert_int_equal(gnt_result_parse(&r, "f", text, strlen(text), &err), -1);
        assert_true(r.cells.at == NULL && r.memory.last == NULL);
        if (strncmp(err.text, "f: ", 3) != 0 || !strstr(err.text, hostile[i].sentence))
            fail_msg("%s → %s: %s", hostile[i].was, hostile[i].is, err.text);
        gnt_free(text);
    }
}

/* ---- entries of long lists, one at a time ---- */

static int join_entry(void *user, size_t i, const json_t *entry) {
    char *text = json_dumps(entry, JSON_COMPACT | JSON_ENCODE_ANY), *all = user;
    snprintf(all + strlen(all), 100 - strlen(all), "%zu%s", i, text ? text : "?");
    gnt_free(text);
    return 0;
}

/* Writes the lists l and m of a text, in the text's order, as their names, lengths and entries; "":
 * refused. */
static void list_entries(char all[100], const char *text) {
    static const gnt_field l = {.name = "l"}, m = {.name = "m"}, *const both[] = {&l, &m};
    result_list found[2];
    size_t n;
    int rc = result_find_lists(found, &n, both, 2, text, strlen(text));
    all[0] = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        snprintf(all + strlen(all), 100 - strlen(all), "%s%zu:", found[i].field->name,
                 result_count_entries(&found[i], text));
        rc = result_each_entry(&found[i], text, join_entry, all);
    }
    if (rc != 0)
        all[0] = 0;
}

static void entries_are_found_whatever_strings_say(void **state) {
    (void)state;
    static const struct {
        const char *text, *entries;
    } of[] = {{"{}", ""},
              {"{\"l\":[]}", "l0:"},
              {" { \"a\" : [1, {\"l\": [9]}] , \"m\" : [ {} , [2] ] ,\"l\":[{\"l\":[3]}]}",
               "m2:0{}1[2]l1:0{\"l\":[3]}"},
              {"{\"x\":\"],\\\"l\\\":[\",\"l\":[{\"k\":\"]},{\\\\\"},{}]}", "l2:0{\"k\":\"]},{\\\\\"}1{}"},
              {"{\"l\":7,\"m\":null}", ""},
              /* faults */
              {"{\"l\":[{},]}", ""},
              {"{\"l\":[,{}]}", ""},
              {"{\"l\":[{}{}]}", ""},
              {"{\"l\":[{} {}]}", ""},
              {"{\"l\":[{\"a\":1,\"a\":2}]}", ""},
              {"{\"l\":[{}}", ""},
              {"{\"l\":[{}", ""},
              {"{\"l\":[\"", ""},
              {"{\"l\":[\"\\", ""},
              {"{\"l\"", ""},
              {"{\"l", ""},
              {"", ""},
              {"[]", ""}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char all[100];
        list_entries(all, of[i].text);
        if (strcmp(all, of[i].entries) != 0)
            fail_msg("%s: %s", of[i].text, all);
    }
}

/* docs/results.schema.json takes the file with every key, and nothing of another type or word. */
static void the_schema_describes_the_file(void **state) {
    static const struct {
        const char *was, *is, *place;
    } wrong[] = {{"'stage': 3", "'stage': '3'", "groups[0].stage"},
                 {"'mode': 'sweep'", "'mode': 'swept'", "groups[1].mode"},
                 {"'confirmed': true", "'confirmed': 1", "matches[0].confirmed"},
                 {"[0, 1.5]", "[0, 'x']", "cells[0].convergence[0].points[0][1]"},
                 {"'attribute_told': -1", "'attribute_told': -2", "cells[0].targets[0].attribute_told"},
                 {"'what': 'claims-differ', ", "", "cells[0].marks[0]"}};
    json_t *schema = json_load_file("docs/results.schema.json", JSON_REJECT_DUPLICATES, NULL);
    char *text = quoted(whole());
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    gnt_path where = {""};
    (void)state;
    assert_non_null(schema);
    if (schema_check(schema, root, &where) != 0)
        fail_msg("%s is not of the schema", where.text);
    json_decref(root);
    gnt_free(text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        where = (gnt_path){""};
        text = replaced(wrong[i].was, wrong[i].is);
        root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        assert_int_equal(schema_check(schema, root, &where), -1);
        assert_string_equal(where.text, wrong[i].place);
        json_decref(root);
        gnt_free(text);
    }
    json_decref(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_is_written_to_the_byte),
                                       cmocka_unit_test(structs_hold_what_the_file_says),
                                       cmocka_unit_test(other_builds_are_read),
                                       cmocka_unit_test(only_no_defense_is_undefended),
                                       cmocka_unit_test(numbers_round_as_a_file_would),
                                       cmocka_unit_test(hostile_values_are_refused),
                                       cmocka_unit_test(entries_are_found_whatever_strings_say),
                                       cmocka_unit_test(the_schema_describes_the_file)};
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
