/* A task's federation: which clients train, how often, and how a client uses its samples. */
#include "suite/suite_impl.h"

const char *const gnt_schedule_names[] = {"constant", "cosine"};
enum { SCHEDULES = 2 };

static int read_augment(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const keys[] = {"flip", "shift", "cutout"};
    gnt_augment *a = &t->federated.augment;
    const json_t *o = NULL;
    const gnt_path at = gnt_path_key(path, "augment");
    if (gnt_doc_object(r->doc, path, object, "augment", &o, r->err))
        return -1;
    if (!o)
        return 0;
    if (t->facts.kind != GNT_DATA_IMAGE)
        return suite_fail(r, at.text, "changes images, but the samples of %s are not images; remove it",
                          t->data);
    const int64_t height = t->facts.dim[1], width = t->facts.dim[2], side = height < width ? height : width;
    return gnt_doc_keys(r->doc, at.text, o, keys, sizeof keys / sizeof *keys, r->err) ||
                   gnt_doc_bool(r->doc, at.text, o, "flip", &a->flip, r->err) ||
                   gnt_doc_int(r->doc, at.text, o, "shift", 0, side - 1, &a->shift, r->err) ||
                   gnt_doc_int(r->doc, at.text, o, "cutout", 0, side, &a->cutout, r->err)
               ? -1
               : 0;
}

/* Checks that every client has a row, every round a client, and options of local steps a local step. */
static int check(suite_reader *r, const char *path, const gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    char number[GNT_NUMBER_SIZE];
    if (f->rounds > 0 && suite_check_partition(r, path, t))
        return -1;
    if ((double)f->clients * f->participation < 1 - 1e-9)
        return suite_fail(r, gnt_path_key(path, "participation").text,
                          "is %s, which of %lld clients is less than one a round; expected at least 1/%lld",
                          gnt_number_text(f->participation, number), (long long)f->clients,
                          (long long)f->clients);
    if (f->decay > 0 && f->rounds > 0 && f->local_steps == 0)
        return suite_fail(r, gnt_path_key(path, "decay").text,
                          "is %s, which is added to the gradients of local steps, but clients take none and "
                          "share one gradient; remove it, or raise federated.local_steps",
                          gnt_number_text(f->decay, number));
    return 0;
}

int suite_read_federated(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const keys[] = {"clients",     "partition", "rounds", "participation", "unchosen",
                                       "local_steps", "batch",     "rate",   "decay",         "schedule",
                                       "momentum",    "augment",   "share",  "batch_norm"};
    static const char *const stats[] = {"evaluation", "training"}, *const unchosen[] = {"rest", "train"};
    gnt_suite_federated *f = &t->federated;
    const json_t *o = NULL;
    int schedule = GNT_SCHEDULE_CONSTANT, training = 1;
    const gnt_path at = gnt_path_key(path, "federated");
    *f = (gnt_suite_federated){
        .clients = 10, .shards = 2, .alpha = 0.5, .participation = 1, .batch = 32, .rate = 0.1};
    if (gnt_doc_object(r->doc, path, object, "federated", &o, r->err))
        return -1;
    if (o &&
        (gnt_doc_keys(r->doc, at.text, o, keys, sizeof keys / sizeof *keys, r->err) ||
         gnt_doc_int(r->doc, at.text, o, "clients", 1, 1000000, &f->clients, r->err) ||
         suite_read_partition(r, at.text, o, t) ||
         gnt_doc_int(r->doc, at.text, o, "rounds", 0, 1000000, &f->rounds, r->err) ||
         gnt_doc_real(r->doc, at.text, o, "participation", 1e-6, 1, &f->participation, r->err) ||
         gnt_doc_choice(r->doc, at.text, o, "unchosen", unchosen, 2, &f->all_train, r->err) ||
         gnt_doc_int(r->doc, at.text, o, "local_steps", 0, 100000, &f->local_steps, r->err) ||
         gnt_doc_int(r->doc, at.text, o, "batch", 1, 1000000, &f->batch, r->err) ||
         gnt_doc_real(r->doc, at.text, o, "rate", 1e-9, 1e6, &f->rate, r->err) ||
         gnt_doc_choice(r->doc, at.text, o, "schedule", gnt_schedule_names, SCHEDULES, &schedule, r->err) ||
         gnt_doc_real(r->doc, at.text, o, "momentum", 0, 0.9999, &f->momentum, r->err) ||
         gnt_doc_real(r->doc, at.text, o, "decay", 0, 1, &f->decay, r->err) ||
         read_augment(r, at.text, o, t) ||
         gnt_doc_choice(r->doc, at.text, o, "batch_norm", stats, 2, &training, r->err)))
        return -1;
    f->schedule = (gnt_schedule_kind)schedule;
    f->training_stats = training;
    return check(r, at.text, t);
}
