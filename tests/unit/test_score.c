/* The score job by itself, on targets whose every answer is known: what a defense says of its encodings moves
 * no score, answers to a set take different members, floors are those of the best of a set, and no candidate
 * is listed twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "fuzz/work.h"
#include "job/score/score.h"

enum { F = 16, CLASSES = 3, PUBLIC = 3 };

typedef struct trial {
    fuzz_work w;
    json_t *score;
} trial;

static json_t *written; /* of the job that runs */

static int keep_score(void *context, const char *name, const gnt_st *st, gnt_err *err) {
    if (strcmp(name, "score") == 0)
        written = json_loads(st->metadata, 0, NULL);
    return fuzz_write(context, name, st, err);
}

/* Image i of a list: a bright pixel of its own on a ground of its own. */
static void image_of(int64_t i, float *x) {
    for (int64_t p = 0; p < F; p++)
        x[p] = (float)(10 + i % 3 * 5) / 255;
    x[i % F] = 1;
    x[i / F] = x[i / F] < 1 ? 0.5f : 1;
}

static void add_images(fuzz_work *w, const char *name, int64_t from, int64_t n) {
    const int64_t x_dim[2] = {n, F}, a_dim[2] = {n, 1};
    gnt_st *st = fuzz_input(w, name);
    gnt_st_tensor *t;
    MUST(gnt_st_add(st, "x", GNT_ST_F32, 2, x_dim, NULL, &t, NULL) == 0);
    for (int64_t i = 0; i < n; i++)
        image_of(from + i, (float *)t->data + i * F);
    MUST(gnt_st_add(st, "label", GNT_ST_I32, 1, &n, NULL, &t, NULL) == 0);
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)t->data)[i] = (int32_t)((from + i) % CLASSES);
    MUST(gnt_st_add(st, "a", GNT_ST_I32, 2, a_dim, NULL, &t, NULL) == 0);
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)t->data)[i] = (int32_t)((from + i) % 2);
    MUST(gnt_st_set_metadata(st,
                             "{\"kind\": 0, \"classes\": 3, \"dim\": [1, 4, 4], \"attributes\": [{\"name\": "
                             "\"style\", \"values\": 2}]}",
                             NULL) == 0);
}

/* members: rows of `targets` that were used for an observation, as the job that observes says it; 0: nothing
 * is said. */
static void begin(trial *t, uint32_t goals, uint32_t surface, int64_t targets, int64_t batch, int64_t set,
                  int members) {
    static const gnt_request_attribute style = {.index = 0, .values = 2};
    fuzz_work_open(
        &t->w, (gnt_request){
                   .kind = GNT_JOB_SCORE,
                   .score = {.goals = goals,
                             .observe = {.surface = surface, .targets = targets, .batch = batch, .set = set},
                             .attribute = &style,
                             .key = gnt_key_of_seed(1)}});
    t->w.work.write = keep_score;
    fuzz_input(&t->w, "answer");
    gnt_st *seen = fuzz_input(&t->w, "seen");
    if (members) {
        char text[64];
        snprintf(text, sizeof text, "{\"members\": %d}", members);
        MUST(gnt_st_set_metadata(seen, text, NULL) == 0);
    }
    add_images(&t->w, "public", 100, PUBLIC);
}

static gnt_st *input(trial *t, const char *name) {
    return (gnt_st *)(uintptr_t)fuzz_input_of(&t->w, name);
}

static void add_answer(trial *t, const char *kind, int64_t j, int64_t rows, int64_t columns, const float *x) {
    char name[64];
    const int64_t dim[2] = {rows, columns};
    snprintf(name, sizeof name, "%s.%d", kind, (int)j);
    MUST(gnt_st_add(input(t, "answer"), name, GNT_ST_F32, 2, dim, x, NULL, NULL) == 0);
}

/* Answers image `shown` with the shade that it is moved by. */
static void answer_with(trial *t, int64_t j, int64_t shown, float moved) {
    float x[F];
    image_of(shown, x);
    for (int p = 0; p < F; p++)
        x[p] = x[p] < 0.9f ? x[p] + moved : x[p];
    add_answer(t, "reconstruction", j, 1, F, x);
}

static void end(trial *t) {
    gnt_err err = {{0}};
    written = NULL;
    if (gnt_job_score(&t->w.work, &err) != 0)
        fail_msg("%s", err.text);
    t->score = written;
    assert_non_null(t->score);
}

static void forget(trial *t) {
    fuzz_work_close(&t->w);
    json_decref(t->score);
}

static double at(const trial *t, const char *part, const char *name, const char *member) {
    const json_t *value = json_object_get(json_object_get(t->score, part), name);
    if (member)
        value = json_object_get(value, member);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double of_target(const trial *t, size_t i, const char *name) {
    const json_t *value = json_object_get(json_array_get(json_object_get(t->score, "targets"), i), name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* ---- sets behind updates ---- */

enum { SETS = 2, SET = 4, EPOCHS = 3, ENCODINGS = SET * EPOCHS };

/* Encoding e of a set is of member e mod 4 and, where `mix`, of the next one too; the defense says that it is
 * of the one `turned` further on. */
static void add_mixing(trial *t, int turned, int mix) {
    gnt_st *st = fuzz_input(&t->w, "mixing");
    for (int j = 0; j < SETS; j++) {
        const int64_t dim[2] = {ENCODINGS, SET};
        float weight[ENCODINGS * SET] = {0};
        int64_t source[ENCODINGS];
        char name[16];
        for (int e = 0; e < ENCODINGS; e++) {
            source[e] = (e + turned) % SET;
            weight[e * SET + (e + turned) % SET] = mix ? 0.5f : 1;
            if (mix)
                weight[e * SET + (e + turned + 1) % SET] = 0.5f;
        }
        snprintf(name, sizeof name, "weight.%d", j);
        MUST(gnt_st_add(st, name, GNT_ST_F32, 2, dim, weight, NULL, NULL) == 0);
        snprintf(name, sizeof name, "source.%d", j);
        MUST(gnt_st_add(st, name, GNT_ST_I64, 1, dim, source, NULL, NULL) == 0);
    }
}

/* Every update gives the sample behind its encoding away, but for a shade. */
static void score_updates(trial *t, int turned, int mix, int shown_next) {
    begin(t, GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, SETS * SET, 1, SET, 0);
    add_images(&t->w, "targets", 0, SETS * SET);
    add_images(&t->w, "clients", 20, 5);
    add_mixing(t, turned, mix);
    for (int j = 0; j < SETS; j++)
        for (int e = 0; e < ENCODINGS; e++) {
            int member = j * SET + (e + (shown_next && e % 2)) % SET;
            float scores[CLASSES] = {0};
            scores[member % CLASSES] = 1;
            answer_with(t, j * ENCODINGS + e, member, 0.02f);
            add_answer(t, "labels", j * ENCODINGS + e, 1, CLASSES, scores);
        }
    end(t);
}

static void a_turned_claim_moves_no_score(void **state) {
    (void)state;
    static const char *const same[] = {"targets", "measures", "floors", "chance"};
    trial honest, liar;
    score_updates(&honest, 0, 0, 0);
    score_updates(&liar, 1, 0, 0);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(json_equal(json_object_get(honest.score, same[i]), json_object_get(liar.score, same[i])));
    for (size_t i = 0; i < SETS * ENCODINGS; i++) {
        assert_true(of_target(&honest, i, "member") == (double)(i / ENCODINGS * SET + i % SET));
        assert_true(of_target(&honest, i, "identification") == 1);
        assert_true(of_target(&honest, i, "label_accuracy") == 1);
        assert_true(fabs(of_target(&honest, i, "mse") - 14.0 / 16 * 0.0004) < 1e-4);
    }
    assert_true(at(&honest, "facts", "claims_agree", NULL) == 1);
    assert_null(json_object_get(honest.score, "marks"));
    assert_true(at(&liar, "facts", "claims_agree", NULL) == 0);
    const json_t *mark = json_array_get(json_object_get(liar.score, "marks"), 0);
    assert_string_equal(json_string_value(json_object_get(mark, "what")), "claims-differ");
    assert_non_null(strstr(json_string_value(json_object_get(mark, "says")), "24 answers show"));
    /* 8 judged samples and 5 others, of which any of 4 is right */
    assert_true(fabs(at(&honest, "chance", "identification", NULL) - 4.0 / 13) < 1e-8);
    forget(&honest);
    forget(&liar);
}

/* A mix of two halves may show either. */
static void a_partner_of_a_mix_agrees(void **state) {
    (void)state;
    trial t;
    score_updates(&t, 0, 1, 1);
    assert_true(at(&t, "facts", "claims_agree", NULL) == 1);
    assert_null(json_object_get(t.score, "marks"));
    forget(&t);
    score_updates(&t, 0, 0, 1); /* half of them wrong is not enough to call it a lie */
    assert_true(at(&t, "facts", "claims_agree", NULL) == 0.5);
    assert_null(json_object_get(t.score, "marks"));
    forget(&t);
}

static void nothing_is_settled_by(const float *image) {
    trial t;
    begin(&t, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_UPDATE, SETS * SET, 1, SET, 0);
    add_images(&t.w, "targets", 0, SETS * SET);
    add_images(&t.w, "clients", 20, 5);
    add_mixing(&t, 1, 0);
    for (int i = 0; i < SETS * ENCODINGS; i++)
        add_answer(&t, "reconstruction", i, 1, F, image);
    end(&t);
    assert_null(json_object_get(json_object_get(t.score, "facts"), "claims_agree"));
    assert_null(json_object_get(t.score, "marks"));
    forget(&t);
}

/* An answer that is no nearer to any member than the mean image reveals nothing of claims, nor does a public
 * image, which may well be nearer. */
static void what_shows_nothing_settles_nothing(void **state) {
    (void)state;
    float grey[F], known[F];
    for (int p = 0; p < F; p++)
        grey[p] = 0.9f;
    nothing_is_settled_by(grey);
    image_of(100, known);
    nothing_is_settled_by(known);
}

/* ---- released encodings ---- */

/* The encodings are the samples themselves: the claim-free share stays where claims are turned, and so does
 * every score. */
static void score_encodings(trial *t, int turned) {
    const int64_t dim[2] = {SETS * ENCODINGS, F};
    gnt_st_tensor *x;
    begin(t, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_ENCODING, SETS * SET, 1, SET, 0);
    add_images(&t->w, "targets", 0, SETS * SET);
    add_images(&t->w, "clients", 20, 5);
    add_mixing(t, turned, 0);
    MUST(gnt_st_add(input(t, "seen"), "encoded_x", GNT_ST_F32, 2, dim, NULL, &x, NULL) == 0);
    for (int i = 0; i < SETS * ENCODINGS; i++)
        image_of(i / ENCODINGS * SET + i % SET, (float *)x->data + i * F);
    for (int j = 0; j < SETS; j++) {
        float image[SET * F], mixture[ENCODINGS * SET] = {0};
        for (int k = 0; k < SET; k++) /* in another order */
            image_of(j * SET + SET - 1 - k, image + k * F);
        for (int e = 0; e < ENCODINGS; e++)
            mixture[e * SET + SET - 1 - e % SET] = 1;
        add_answer(t, "reconstruction", j, SET, F, image);
        add_answer(t, "mixture", j, ENCODINGS, SET, mixture);
    }
    end(t);
}

static void released_encodings_speak_for_themselves(void **state) {
    (void)state;
    static const char *const same[] = {"targets", "measures", "floors", "chance"};
    trial honest, liar;
    score_encodings(&honest, 0);
    score_encodings(&liar, 1);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(json_equal(json_object_get(honest.score, same[i]), json_object_get(liar.score, same[i])));
    assert_true(at(&honest, "facts", "encoding_identification", NULL) == 1);
    assert_true(at(&honest, "facts", "encoding_member", NULL) == 1);
    assert_true(at(&liar, "facts", "encoding_identification", NULL) == 0);
    assert_true(at(&liar, "facts", "encoding_member", NULL) == 1);
    assert_true(at(&honest, "facts", "claims_agree", NULL) == 1);
    assert_true(at(&honest, "facts", "claims_agree_mixture", NULL) == 1);
    assert_true(at(&liar, "facts", "claims_agree", NULL) == 0);
    assert_true(at(&liar, "facts", "claims_agree_mixture", NULL) == 0);
    assert_null(json_object_get(honest.score, "marks"));
    assert_true(json_array_size(json_object_get(liar.score, "marks")) == 1);
    forget(&honest);
    forget(&liar);
}

/* ---- batches from larger sets ---- */

enum { MEMBERS = 6, BATCH = 2 };

/* Two observations, batches of two of six; the first answers both, the second one image, of its fourth
 * member. */
static void a_batch_is_assigned_within_its_set(void **state) {
    (void)state;
    trial t;
    float both[BATCH * F], labels[BATCH * CLASSES] = {0};
    begin(&t, GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, 2, BATCH, 0, MEMBERS);
    add_images(&t.w, "targets", 0, 2 * MEMBERS);
    add_images(&t.w, "clients", 0, 2 * MEMBERS + 3); /* all targets are clients' */
    image_of(5, both);
    image_of(1, both + F);
    add_answer(&t, "reconstruction", 0, BATCH, F, both);
    answer_with(&t, 1, MEMBERS + 3, 0.02f);
    labels[5 % CLASSES] = labels[CLASSES + 0] = 1; /* one of both right */
    add_answer(&t, "labels", 0, BATCH, CLASSES, labels);
    end(&t);
    assert_true(json_array_size(json_object_get(t.score, "targets")) == 4);
    assert_true(of_target(&t, 0, "member") == 5 && of_target(&t, 1, "member") == 1);
    assert_true(of_target(&t, 0, "psnr") == 60 && of_target(&t, 1, "identification") == 1);
    assert_true(of_target(&t, 2, "member") == MEMBERS + 3 && of_target(&t, 2, "identification") == 1);
    assert_true(of_target(&t, 2, "psnr") > 30 && of_target(&t, 3, "psnr") == 0);
    assert_true(
        json_is_true(json_object_get(json_array_get(json_object_get(t.score, "targets"), 3), "missing")));
    assert_true(isnan(of_target(&t, 3, "member")));
    assert_true(of_target(&t, 0, "label_accuracy") == 0.5 && of_target(&t, 2, "label_accuracy") == 0);
    /* 12 targets and the 3 clients' samples that are none of them */
    assert_true(fabs(at(&t, "chance", "identification", NULL) - 6.0 / 15) < 1e-8);
    forget(&t);
}

/* ---- clients with fewer rows than the batch ---- */

enum { FULL = 4, FEW = 2 };

/* Two observations: of four rows, and of two, which are there twice. The first is answered by its rows. */
static void begin_few(trial *t, const char *sizes, uint32_t goals) {
    begin(t, goals, GNT_SURFACE_UPDATE, 2, FULL, 0, 0);
    MUST(gnt_st_set_metadata(input(t, "seen"), sizes, NULL) == 0);
    add_images(&t->w, "clients", 0, 9); /* 3 are behind no observation */
    fuzz_input(&t->w, "targets");
    MUST(gnt_samples_rows(input(t, "targets"), input(t, "clients"), (int64_t[]){0, 1, 2, 3, 4, 5, 4, 5}, 8,
                          NULL) == 0);
    float all[FULL * F];
    for (int i = 0; i < FULL; i++)
        image_of(i, all + i * F);
    add_answer(t, "reconstruction", 0, FULL, F, all);
}

static const char few_sizes[] = "{\"members\": 4, \"rows\": [4, 2]}";

/* Each row counts once, for what one answer shows of it. */
static void rows_that_repeat_count_once(void **state) {
    (void)state;
    static const float labels[FEW * CLASSES] = {1, 0, 0, 0, 0, 1}; /* 0 and 2, of 1 and 2 */
    trial t;
    float both[FEW * F];
    begin_few(&t, few_sizes, GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL | GNT_GOAL_ATTRIBUTE);
    image_of(5, both);
    image_of(4, both + F);
    add_answer(&t, "reconstruction", 1, FEW, F, both);
    add_answer(&t, "labels", 1, FEW, CLASSES, labels);
    end(&t);
    const json_t *targets = json_object_get(t.score, "targets");
    assert_true(json_array_size(targets) == 2 * FULL);
    for (size_t i = 0; i < 2 * FULL; i++) {
        const json_t *one = json_array_get(targets, i);
        if (i < FULL + FEW) {
            assert_true(of_target(&t, i, "psnr") == 60 && of_target(&t, i, "identification") == 1);
            assert_true(of_target(&t, i, "label_accuracy") == (i < FULL ? 0 : 0.5));
        } else {
            assert_true(json_is_null(json_object_get(one, "psnr")) && !json_object_get(one, "missing"));
        }
    }
    assert_true(at(&t, "measures", "psnr", "n") == FULL + FEW && at(&t, "measures", "psnr", "mean") == 60);
    assert_true(fabs(at(&t, "measures", "label_accuracy", "mean") - 1.0 / 6) < 1e-8);
    assert_true(at(&t, "measures", "attribute_accuracy", "n") == FULL + FEW);
    assert_true(fabs(at(&t, "chance", "label_accuracy", NULL) - 2.0 / 6) < 1e-8);
    assert_true(fabs(at(&t, "chance", "identification", NULL) - 1.0 / 9) < 1e-8);
    forget(&t);
}

/* One image in four copies is one answer, and of four guesses the first two count. */
static void more_answers_than_rows_are_no_more_guesses(void **state) {
    (void)state;
    for (int guesses = 0; guesses < 2; guesses++) {
        trial t;
        float images[FULL * F];
        begin_few(&t, few_sizes, GNT_GOAL_RECONSTRUCTION);
        for (int i = 0; i < FULL; i++)
            image_of(guesses ? (const int64_t[FULL]){7, 8, 4, 5}[i] : 5, images + i * F);
        add_answer(&t, "reconstruction", 1, FULL, F, images);
        end(&t);
        assert_true(of_target(&t, FULL, "psnr") < 30);
        assert_true(guesses ? of_target(&t, FULL + 1, "psnr") < 30 : of_target(&t, FULL + 1, "psnr") == 60);
        assert_true(of_target(&t, FULL + 1, "identification") == !guesses);
        assert_true(isnan(of_target(&t, FULL + 2, "psnr")) && isnan(of_target(&t, FULL + 3, "psnr")));
        forget(&t);
    }
}

/* Baselines are those of the rows, however often they are there. */
static void repeated_rows_move_no_baseline(void **state) {
    (void)state;
    static const char *const floors[] = {"mean_image", "nearest_public", "random", "other"};
    trial few, without;
    begin_few(&few, few_sizes, GNT_GOAL_RECONSTRUCTION);
    end(&few);
    begin(&without, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_UPDATE, 6, 1, 0, 0);
    add_images(&without.w, "targets", 0, 6);
    end(&without);
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++)
        assert_true(fabs(at(&few, "floors", "psnr", floors[i]) - at(&without, "floors", "psnr", floors[i])) <
                    1e-6);
    forget(&few);
    forget(&without);
}

static void bent_sizes_are_refused(void **state) {
    static const char *const sizes[] = {"[4]", "[4, 0]", "[4, 5]", "[4, null]", "2"};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        trial t = {0};
        gnt_err err = {{0}};
        char text[64];
        snprintf(text, sizeof text, "{\"members\": 4, \"rows\": %s}", sizes[i]);
        begin_few(&t, text, GNT_GOAL_RECONSTRUCTION);
        assert_int_equal(gnt_job_score(&t.w.work, &err), -1);
        assert_non_null(strstr(err.text, "says that observation"));
        forget(&t);
    }
}

/* One client seen twice: its samples are the same candidates both times, and a hit has no twin. */
static void a_sample_of_two_sets_is_one_candidate(void **state) {
    (void)state;
    enum { SEEN = 2 };
    const int64_t x_dim[2] = {SEEN * MEMBERS, F};
    trial t;
    gnt_st_tensor *x;
    begin(&t, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_UPDATE, SEEN, 1, 0, MEMBERS);
    add_images(&t.w, "clients", 0, MEMBERS + 2);
    add_images(&t.w, "targets", 0, MEMBERS); /* its other tensors do not matter here */
    gnt_st *st = input(&t, "targets"), twice;
    gnt_st_init(&twice);
    MUST(gnt_st_add(&twice, "x", GNT_ST_F32, 2, x_dim, NULL, &x, NULL) == 0);
    for (int i = 0; i < SEEN * MEMBERS; i++)
        image_of(i % MEMBERS, (float *)x->data + i * F);
    MUST(gnt_st_add(&twice, "label", GNT_ST_I32, 1, x_dim, NULL, &x, NULL) == 0);
    MUST(gnt_st_add(&twice, "a", GNT_ST_I32, 2, (int64_t[]){x_dim[0], 1}, NULL, &x, NULL) == 0);
    MUST(gnt_st_set_metadata(&twice, st->metadata, NULL) == 0);
    gnt_st_free(st);
    *st = twice;
    answer_with(&t, 0, 4, 0.02f);
    answer_with(&t, 1, 4, 0.02f);
    end(&t);
    for (size_t i = 0; i < SEEN; i++)
        assert_true(of_target(&t, i, "identification") == 1 && of_target(&t, i, "rank") == 1);
    assert_true(of_target(&t, 0, "member") == 4 && of_target(&t, 1, "member") == MEMBERS + 4);
    assert_true(fabs(at(&t, "chance", "identification", NULL) - 6.0 / 8) < 1e-8);
    forget(&t);
}

/* Labels alone: any two of the set's, {0, 1, 2} twice each. */
static void labels_alone_are_those_of_the_set(void **state) {
    (void)state;
    trial t;
    float labels[BATCH * CLASSES] = {0}, thrice[3 * CLASSES] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    begin(&t, GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, 2, BATCH, 0, MEMBERS);
    add_images(&t.w, "targets", 0, 2 * MEMBERS);
    labels[1] = labels[CLASSES + 1] = 1; /* class 1 twice: both there */
    add_answer(&t, "labels", 0, BATCH, CLASSES, labels);
    labels[CLASSES + 1] = 0;
    labels[CLASSES + 2] = (float)NAN; /* and one that is no answer */
    add_answer(&t, "labels", 1, BATCH, CLASSES, labels);
    end(&t);
    assert_true(of_target(&t, 0, "label_accuracy") == 1 && of_target(&t, 2, "label_accuracy") == 0.5);
    assert_true(at(&t, "chance", "label_accuracy", NULL) == 1); /* any two will do, blindly too */
    forget(&t);
    begin(&t, GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, 1, 3, 0, 4); /* labels 0, 1, 2, 0 */
    add_images(&t.w, "targets", 0, 4);
    add_answer(&t, "labels", 0, 3, CLASSES, thrice);
    end(&t);
    assert_true(fabs(of_target(&t, 0, "label_accuracy") - 1.0 / 3) < 1e-8);
    assert_true(at(&t, "chance", "label_accuracy", NULL) == 1);
    forget(&t);
}

/* A guess scores what the best of six does; as many members as answers are a batch, whatever is said of
 * members. */
static void floors_are_of_the_best_members(void **state) {
    (void)state;
    trial fixed, wide;
    double best = 0;
    begin(&fixed, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_UPDATE, MEMBERS, 1, 0, 0);
    add_images(&fixed.w, "targets", 0, MEMBERS);
    for (int j = 0; j < MEMBERS; j++)
        answer_with(&fixed, j, 2, 0);
    end(&fixed);
    begin(&wide, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_UPDATE, 1, 1, 0, MEMBERS);
    add_images(&wide.w, "targets", 0, MEMBERS);
    answer_with(&wide, 0, 2, 0);
    end(&wide);
    assert_true(of_target(&wide, 0, "member") == 2 && of_target(&wide, 0, "psnr") == 60);
    for (size_t i = 0; i < MEMBERS; i++)
        best = fmax(best, of_target(&fixed, i, "psnr"));
    assert_true(best == 60);
    static const char *const floors[] = {"random", "other", "mean_image", "nearest_public"};
    for (size_t i = 0; i < 4; i++)
        assert_true(at(&wide, "floors", "psnr", floors[i]) >= at(&fixed, "floors", "psnr", floors[i]));
    assert_true(at(&wide, "floors", "psnr", "mean_image") > at(&fixed, "floors", "psnr", "mean_image"));
    forget(&wide);
    begin(&wide, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_UPDATE, MEMBERS, 1, 0, 1);
    add_images(&wide.w, "targets", 0, MEMBERS);
    for (int j = 0; j < MEMBERS; j++)
        answer_with(&wide, j, 2, 0);
    end(&wide);
    assert_true(json_equal(wide.score, fixed.score));
    forget(&fixed);
    forget(&wide);
}

/* Opens observations of which the attack says that nothing was sent; the first `zeros` are zero. */
static void begin_silent(trial *t, uint32_t goals, int64_t n, int64_t zeros) {
    enum { ENTRIES = 6 };
    const int64_t dim[2] = {n, ENTRIES};
    gnt_st_tensor *update;
    begin(t, goals, GNT_SURFACE_UPDATE, n, 1, 0, 0);
    add_images(&t->w, "targets", 0, n);
    MUST(gnt_st_add(input(t, "seen"), "update", GNT_ST_F32, 2, dim, NULL, &update, NULL) == 0);
    memset(update->data, 0, (size_t)(n * ENTRIES) * sizeof(float));
    for (int64_t j = zeros; j < n; j++)
        ((float *)update->data)[j * ENTRIES + ENTRIES - 1] = 1e-30f;
    MUST(gnt_st_set_metadata(input(t, "answer"),
                             "{\"targets\": [{\"silent\": true}, {\"silent\": true}, {\"silent\": true}]}",
                             NULL) == 0);
}

/* A target of which nothing was sent is scored as the best that public data give; that it was so is read off
 * the observation, whatever the attack says. */
static void silence_is_no_better_than_a_guess(void **state) {
    (void)state;
    trial t;
    begin_silent(&t, GNT_GOAL_RECONSTRUCTION | GNT_GOAL_ATTRIBUTE, 1, 1);
    end(&t);
    assert_true(json_integer_value(json_object_get(t.score, "silent")) == 1);
    assert_true(fabs(of_target(&t, 0, "psnr") - fmax(at(&t, "floors", "psnr", "mean_image"),
                                                     at(&t, "floors", "psnr", "nearest_public"))) < 1e-6);
    assert_true(of_target(&t, 0, "attribute_accuracy") == 1); /* the only value is the most frequent one */
    forget(&t);
    begin_silent(&t, GNT_GOAL_RECONSTRUCTION, 1, 0);
    end(&t);
    assert_null(json_object_get(t.score, "silent"));
    assert_true(
        json_is_true(json_object_get(json_array_get(json_object_get(t.score, "targets"), 0), "missing")));
    forget(&t);
    begin_silent(&t, GNT_GOAL_LABEL, 3, 3); /* of labels 0, 1 and 2 a guess finds a third */
    end(&t);
    assert_true(json_integer_value(json_object_get(t.score, "silent")) == 3);
    assert_true(fabs(of_target(&t, 0, "label_accuracy") - 1.0 / 3) < 1e-8);
    forget(&t);
}

/* Where others were sent, no guess is averaged with them, so that one client may not send for all. */
static void guesses_do_not_count_where_others_were_sent(void **state) {
    (void)state;
    trial t;
    begin_silent(&t, GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL | GNT_GOAL_ATTRIBUTE, 3, 2);
    answer_with(&t, 2, 2, 0);
    add_answer(&t, "labels", 2, 1, CLASSES, (const float[CLASSES]){0, 0, 1});
    add_answer(&t, "attribute", 2, 1, 2, (const float[2]){1, 0});
    end(&t);
    assert_true(json_integer_value(json_object_get(t.score, "silent")) == 2);
    static const char *const measures[] = {"psnr", "identification", "label_accuracy", "attribute_accuracy",
                                           "attribute_balanced"};
    static const double sent[] = {60, 1, 1, 1, 1};
    for (size_t m = 0; m < sizeof sent / sizeof *sent; m++) {
        assert_true(at(&t, "measures", measures[m], "mean") == sent[m]);
        assert_true(at(&t, "measures", measures[m], "n") == 1);
    }
    const json_t *first = json_array_get(json_object_get(t.score, "targets"), 0);
    assert_true(json_is_null(json_object_get(first, "psnr")) && !json_object_get(first, "missing") &&
                !json_object_get(first, "attribute_told"));
    assert_true(fabs(at(&t, "chance", "label_accuracy", NULL) - 1.0 / 3) < 1e-8); /* of all targets */
    forget(&t);
}

static void a_set_smaller_than_the_batch_is_refused(void **state) {
    (void)state;
    trial t = {0};
    gnt_err err = {{0}};
    begin(&t, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_UPDATE, 1, 3, 0, 2);
    add_images(&t.w, "targets", 0, 3);
    assert_int_equal(gnt_job_score(&t.w.work, &err), -1);
    assert_non_null(strstr(err.text, "cannot come from a set of 2"));
    forget(&t);
}

/* ---- updates that depend on more than their batches ---- */

enum { OWNED = 5 };

static void add_numbers(trial *t, const char *name, int64_t n, const int64_t *number) {
    MUST(gnt_st_add(input(t, "replay"), name, GNT_ST_I64, 1, &n, number, NULL, NULL) == 0);
}

/* Two clients hold images 0 to 4 and 5 to 8 of `clients`; batches are of images 1 and 6. Answers show images
 * `first` and `second`, and labels those of the batch. */
static void answer_for_all_rows(trial *t, int depends, int64_t first, int64_t second) {
    static const float labels[2][CLASSES] = {{0, 1, 0}, {1, 0, 0}}; /* of images 1 and 6 */
    static const int64_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const int64_t word[] = {0, depends};
    begin(t, GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, 2, 1, 0, 0);
    MUST(gnt_st_set_metadata(input(t, "seen"), "{\"round\": 3, \"members\": 1}", NULL) == 0);
    add_images(&t->w, "clients", 0, 12);
    fuzz_input(&t->w, "targets");
    MUST(gnt_samples_rows(input(t, "targets"), input(t, "clients"), (int64_t[]){1, 6}, 2, NULL) == 0);
    fuzz_input(&t->w, "replay");
    add_numbers(t, "depends.3", 2, word);
    add_numbers(t, "rows.3.0", OWNED, rows);
    add_numbers(t, "rows.3.1", OWNED - 1, rows + OWNED);
    answer_with(t, 0, first, 0);
    answer_with(t, 1, second, 0);
    for (int j = 0; j < 2; j++)
        add_answer(t, "labels", j, 1, CLASSES, labels[j]);
    end(t);
    assert_true(at(t, "measures", "label_accuracy", "mean") == 1); /* whatever the images show */
}

static const char *scored_against(const trial *t) {
    return json_string_value(json_object_get(t->score, "scored_against"));
}

/* Each answer is another row of its client: the cell is scored against all rows, and its chance is that of as
 * many members. */
static void rows_of_earlier_rounds_are_found(void **state) {
    (void)state;
    trial t;
    answer_for_all_rows(&t, 1, 4, 8);
    assert_string_equal(scored_against(&t), "all rows");
    assert_true(at(&t, "measures", "psnr", "mean") > 50 && at(&t, "measures", "identification", "mean") == 1);
    assert_true(of_target(&t, 0, "member") == 4 && of_target(&t, 1, "member") == 8);
    assert_true(fabs(at(&t, "chance", "identification", NULL) - 4.5 / 12) < 1e-6);
    forget(&t);
    /* unless the updates depend on their batches alone */
    answer_for_all_rows(&t, 0, 4, 8);
    assert_null(scored_against(&t));
    assert_true(at(&t, "measures", "psnr", "mean") < 20 && isnan(of_target(&t, 0, "member")));
    forget(&t);
}

/* Answers that show the batches, and those that are public images, are scored against the batches: among many
 * rows a guess is nearer too. */
static void what_shows_the_batch_is_scored_against_it(void **state) {
    static const int64_t shown[2][2] = {{1, 6}, {100, 101}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        trial plain, t;
        answer_for_all_rows(&plain, 0, shown[i][0], shown[i][1]);
        answer_for_all_rows(&t, 1, shown[i][0], shown[i][1]);
        assert_string_equal(scored_against(&t), "batch");
        json_object_del(t.score, "scored_against");
        assert_true(json_equal(t.score, plain.score));
        forget(&plain);
        forget(&t);
    }
}

/* Rows that are missing, or fewer than the batch, are an error. */
static void rows_that_cannot_be_read_are_refused(void **state) {
    (void)state;
    trial t;
    gnt_err err = {{0}};
    begin(&t, GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_UPDATE, 1, 1, 0, 0);
    MUST(gnt_st_set_metadata(input(&t, "seen"), "{\"round\": 3}", NULL) == 0);
    add_images(&t.w, "clients", 0, 4);
    add_images(&t.w, "targets", 0, 1);
    fuzz_input(&t.w, "replay");
    add_numbers(&t, "depends.3", 1, (int64_t[]){1});
    assert_int_equal(gnt_job_score(&t.w.work, &err), -1);
    assert_non_null(strstr(err.text, "the rows that the client behind observation 0 holds cannot be read"));
    add_numbers(&t, "rows.3.0", 2, (int64_t[]){0, 4});
    assert_int_equal(gnt_job_score(&t.w.work, &err), -1);
    assert_non_null(strstr(err.text, "there is no row 4 among 4 samples"));
    fuzz_work_close(&t.w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turned_claim_moves_no_score),
        cmocka_unit_test(a_partner_of_a_mix_agrees),
        cmocka_unit_test(what_shows_nothing_settles_nothing),
        cmocka_unit_test(released_encodings_speak_for_themselves),
        cmocka_unit_test(a_batch_is_assigned_within_its_set),
        cmocka_unit_test(a_sample_of_two_sets_is_one_candidate),
        cmocka_unit_test(rows_that_repeat_count_once),
        cmocka_unit_test(more_answers_than_rows_are_no_more_guesses),
        cmocka_unit_test(repeated_rows_move_no_baseline),
        cmocka_unit_test(bent_sizes_are_refused),
        cmocka_unit_test(labels_alone_are_those_of_the_set),
        cmocka_unit_test(silence_is_no_better_than_a_guess),
        cmocka_unit_test(guesses_do_not_count_where_others_were_sent),
        cmocka_unit_test(floors_are_of_the_best_members),
        cmocka_unit_test(a_set_smaller_than_the_batch_is_refused),
        cmocka_unit_test(rows_of_earlier_rounds_are_found),
        cmocka_unit_test(what_shows_the_batch_is_scored_against_it),
        cmocka_unit_test(rows_that_cannot_be_read_are_refused),
    };
    return cmocka_run_group_tests_name("score", tests, NULL, NULL);
}
