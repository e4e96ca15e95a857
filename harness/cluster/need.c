#include "cluster/need.h"

#include <dirent.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* MB of a worker's scheduler; minutes in addition to the work, and the least requested if nothing is
 * known. */
enum { SCHEDULER_MB = 512, SPARE_MINUTES = 10, LEAST_UNKNOWN_MINUTES = 60, MOST_RECORD = 1 << 20 };

static double positive(const json_t *object, const char *name) {
    const double x = json_number_value(json_object_get(object, name));
    return isfinite(x) && x > 0 ? x : 0;
}

static void take_entry(const char *folder, gnt_taken *taken) {
    char *times = gnt_format("%s/times.json", folder), *done = gnt_format("%s/done.json", folder);
    gnt_doc doc;
    if (times && gnt_doc_load(&doc, times, MOST_RECORD, NULL) == 0) {
        taken->entries++;
        taken->seconds += positive(doc.root, "seconds");
        taken->longest = fmax(taken->longest, positive(doc.root, "seconds"));
        taken->peak_bytes = fmax(taken->peak_bytes, positive(doc.root, "peak_bytes"));
        gnt_doc_free(&doc);
    }
    if (done && gnt_doc_load(&doc, done, MOST_RECORD, NULL) == 0) {
        const char *job = json_string_value(json_object_get(doc.root, "job"));
        taken->scores += job && strncmp(job, "score ", strlen("score ")) == 0;
        gnt_doc_free(&doc);
    }
    gnt_free(times);
    gnt_free(done);
}

/* Takes every entry below the folders whose names have that many hexadecimal digits. */
static void each(const char *folder, size_t digits, gnt_taken *taken) {
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (strlen(e->d_name) != digits || strspn(e->d_name, "0123456789abcdef") != digits)
            continue;
        char *inner = gnt_format("%s/%s", folder, e->d_name);
        if (inner && digits == 2)
            each(inner, 64, taken);
        else if (inner)
            take_entry(inner, taken);
        gnt_free(inner);
    }
    if (d)
        closedir(d);
}

static int64_t round_up(double x, int64_t step, int64_t most) {
    return x < (double)most ? ((int64_t)ceil(x / (double)step)) * step : most;
}

gnt_need gnt_need_from(const gnt_taken *taken, double limit_seconds, int64_t limit_mb, size_t cells,
                       int64_t workers, int64_t jobs) {
    enum { MOST_MB = 1 << 24, MOST_MINUTES = 60 * 24 * 30 };
    gnt_need need = {.known = taken->scores ? taken->entries : 0};
    double mb = (double)limit_mb, minutes = fmax(LEAST_UNKNOWN_MINUTES, 2 * limit_seconds / 60);
    if (need.known) {
        const double a_cell = taken->seconds / (double)taken->scores;
        const double left = fmax(0, a_cell * (double)cells - taken->seconds) / (double)(workers * jobs);
        mb = fmin(mb, 1.5 * taken->peak_bytes / (1 << 20));
        minutes = 2 * left / 60 + 2 * taken->longest / 60;
    }
    need.memory_mb = round_up(mb * (double)jobs + SCHEDULER_MB, 64, MOST_MB);
    need.minutes = round_up(minutes + SPARE_MINUTES, 5, MOST_MINUTES);
    return need;
}

gnt_need gnt_need_of(const char *folder, const gnt_suite *suite, const gnt_plan *plan, int64_t workers,
                     int64_t jobs) {
    gnt_taken taken = {0};
    char *store = gnt_format("%s/store", folder);
    if (store)
        each(store, 2, &taken);
    gnt_free(store);
    return gnt_need_from(&taken, suite->seconds, suite->memory_mb, plan->n - plan->n_na, workers, jobs);
}
