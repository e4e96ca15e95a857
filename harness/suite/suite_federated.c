/* A task's federation: which clients train, how often, and how a client uses its samples. */
#include "suite/suite_impl.h"

const char *const gnt_schedule_names[] = {"constant", "cosine"};
enum { SCHEDULES = 2 };

static int read_augment(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    gnt_augment *a = &t->federated.augment;
    const json_t *o = NULL;
    const gnt_path at = gnt_path_key(path, "augment");
    if (suite_object(r, path, object, "augment", &o))
        return -1;
    if (!o)
        return 0;
    if (t->facts.kind != GNT_DATA_IMAGE)
        return suite_fail(r, at.text, "changes images, but the samples of %s are not images; remove it",
                          t->data);
    const int64_t height = t->facts.dim[1], width = t->facts.dim[2], side = height < width ? height : width;
    return suite_keys(r, at.text, o, "flip", "shift", "cutout") ||
           suite_bool(r, at.text, o, "flip", &a->flip) ||
           suite_int(r, at.text, o, "shift", 0, side - 1, &a->shift) ||
           suite_int(r, at.text, o, "cutout", 0, side, &a->cutout);
}

/* Checks that every client has a row, every round a client, and options of local steps a local step. */
static int check(suite_reader *r, const char *path, const gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    char number[GNT_NUMBER_SIZE];
    if (f->rounds > 0 && suite_check_partition(r, path, t))
        return -1;
    if ((double)f->clients * f->participation < 1 - 1e-9)
        return suite_fail_key(
            r, path, "participation",
            "is %s, which of %lld clients is less than one a round; expected at least 1/%lld",
            gnt_number_text(f->participation, number), (long long)f->clients, (long long)f->clients);
    if (f->decay > 0 && f->rounds > 0 && f->local_steps == 0)
        return suite_fail_key(
            r, path, "decay",
            "is %s, which is added to the gradients of local steps, but clients take none and "
            "share one gradient; remove it, or raise federated.local_steps",
            gnt_number_text(f->decay, number));
    if (f->adam && f->rounds > 0 && f->local_steps == 0)
        return suite_fail_key(r, path, "optimizer",
                              "is \"adam\", which takes local steps, but clients take none and share one "
                              "gradient; remove it, or raise federated.local_steps");
    if (f->adam && f->momentum > 0)
        return suite_fail_key(r, path, "momentum",
                              "is %s, which is for the optimizer \"sgd\", but federated.optimizer is "
                              "\"adam\"; remove one of them",
                              gnt_number_text(f->momentum, number));
    return 0;
}

int suite_read_federated(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const stats[] = {"evaluation", "training"}, *const unchosen[] = {"rest", "train"},
                             *const optimizers[] = {"sgd", "adam"};
    gnt_suite_federated *f = &t->federated;
    const json_t *o = NULL;
    int schedule = GNT_SCHEDULE_CONSTANT, training = 1;
    const gnt_path at = gnt_path_key(path, "federated");
    *f = (gnt_suite_federated){
        .clients = 10, .shards = 2, .alpha = 0.5, .participation = 1, .batch = 32, .rate = 0.1};
    if (suite_object(r, path, object, "federated", &o))
        return -1;
    if (o &&
        (suite_keys(r, at.text, o, "clients", "partition", "rounds", "participation", "unchosen",
                    "local_steps", "batch", "rate", "decay", "schedule", "momentum", "optimizer", "augment",
                    "share", "batch_norm") ||
         suite_int(r, at.text, o, "clients", 1, 1000000, &f->clients) ||
         suite_read_partition(r, at.text, o, t) ||
         suite_int(r, at.text, o, "rounds", 0, 1000000, &f->rounds) ||
         suite_real(r, at.text, o, "participation", 1e-6, 1, &f->participation) ||
         suite_choice(r, at.text, o, "unchosen", unchosen, 2, &f->all_train) ||
         suite_int(r, at.text, o, "local_steps", 0, 100000, &f->local_steps) ||
         suite_int(r, at.text, o, "batch", 1, 1000000, &f->batch) ||
         suite_real(r, at.text, o, "rate", 1e-9, 1e6, &f->rate) ||
         suite_choice(r, at.text, o, "schedule", gnt_schedule_names, SCHEDULES, &schedule) ||
         suite_real(r, at.text, o, "momentum", 0, 0.9999, &f->momentum) ||
         suite_real(r, at.text, o, "decay", 0, 1, &f->decay) ||
         suite_choice(r, at.text, o, "optimizer", optimizers, 2, &f->adam) ||
         read_augment(r, at.text, o, t) || suite_choice(r, at.text, o, "batch_norm", stats, 2, &training)))
        return -1;
    f->schedule = (gnt_schedule_kind)schedule;
    f->training_stats = training;
    return check(r, at.text, t);
}
