#include "vet/hook_sequence_impl.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "plugin/info.h"

enum { MOST_FILES = 1024, FILES_AT_ONCE = 64 };

/* ---- one hook ---- */

/* poll says of 64 descriptors in one call which are not open. */
static int count_files(void) {
    int n = 0;
    for (int at = 0; at < MOST_FILES; at += FILES_AT_ONCE) {
        struct pollfd file[FILES_AT_ONCE];
        for (int i = 0; i < FILES_AT_ONCE; i++)
            file[i] = (struct pollfd){.fd = at + i};
        const int answered = poll(file, FILES_AT_ONCE, 0) >= 0;
        for (int i = 0; i < FILES_AT_ONCE; i++)
            n += answered && !(file[i].revents & POLLNVAL);
    }
    return n;
}

/* Counts other threads and processes; waits up to half a second for those that are ending. */
static int count_others(gnt_work *w) {
    int n = 0;
    for (int tries = 0; tries < 50; tries++) {
        n = w->others ? w->others(w->context) : 0;
        if (n <= 0)
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return n;
}

static int is_create(const gnt_vet_step *s) {
    return strcmp(s->hook, "create") == 0;
}

static void call_running(void *sequence) {
    gnt_vet_sequence *t = sequence;
    t->running->call(t);
}

/* Calls the hook, between enter and leave if there is an instance. */
static void call(gnt_vet_sequence *t, const gnt_vet_step *s) {
    gnt_vet_hook_result *result = t->result;
    const int files = count_files();
    double wall, cpu = gnt_vet_seconds(CLOCK_PROCESS_CPUTIME_ID);
    t->stop_cpu = t->stop_wall = 0;
    if (!is_create(s))
        gnt_instance_enter(t->instance, s->hook);
    if (t->spec.guarded && !is_create(s) && gnt_guard_close(t->setting.guard) == 0) {
        result->written = gnt_guard_watch(t->setting.guard, call_running, t);
        gnt_guard_open(t->setting.guard);
    } else if (t->spec.setting.fenced && !is_create(s)) {
        gnt_guard_watch(t->setting.guard, call_running, t);
        result->beyond = gnt_guard_beyond(t->setting.guard);
    } else
        s->call(t);
    wall = gnt_vet_seconds(CLOCK_MONOTONIC);
    result->seconds = gnt_vet_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (t->stop_wall > 0) {
        result->wall_late = wall - t->stop_wall;
        result->cpu_late = cpu + result->seconds - t->stop_cpu;
    }
    const int64_t polls = result->polls;
    result->status = is_create(s) || result->written || result->beyond
                         ? t->status
                         : gnt_instance_leave(t->instance, t->status, &result->err);
    result->polls = polls;
    if (count_others(t->spec.work) > 0)
        gnt_fail(&result->leftover, "a thread or a process");
    else if (count_files() > files)
        gnt_fail(&result->leftover, "a file open");
}

static int run_step(gnt_vet_sequence *t, const gnt_vet_step *s, gnt_vet_hook_result *result, gnt_err *err) {
    *result = (gnt_vet_hook_result){.client = s->in_round ? s->index : -1};
    snprintf(result->name, sizeof result->name, "%s", s->name);
    t->result = result;
    t->running = s;
    t->err = err;
    t->index = s->index;
    t->status = GNT_FAILED;
    t->n_outputs = 0;
    t->answered = 0;
    gnt_hasher_init(&t->digest);
    gnt_guard_restore(t->setting.guard);
    /* else the note still names the hook that took too long */
    if (!t->spec.work->should_stop(t->spec.work->context))
        t->spec.work->note(t->spec.work->context, s->hook);
    int rc = s->before ? s->before(t) : 0;
    if (rc == 0)
        call(t, s);
    if (rc == 0 && result->status == GNT_OK && !result->written && !result->beyond && s->after)
        rc = s->after(t);
    gnt_hasher_u64(&t->digest, (uint64_t)result->status);
    const gnt_digest d = gnt_hasher_end(&t->digest);
    gnt_digest_hex(&d, result->digest);
    t->result = NULL;
    return rc;
}

/* Replaces an instance that was stopped, for the hooks that follow. */
static int after_stop(gnt_vet_sequence *t, const gnt_vet_step *s, gnt_err *err) {
    gnt_vet_hook_result unreported;
    int rc = 0;
    t->unlimited = 1;
    if (is_create(s))
        t->ended = 1;
    else {
        gnt_vet_step again = t->step[0];
        gnt_vet_destroy(t);
        rc = run_step(t, &again, &unreported, err);
        if (rc == 0 && strcmp(s->hook, "prepare") == 0) {
            if (t->spec.prepares_twice && unreported.status == GNT_OK)
                rc = run_step(t, s, &unreported, err);
            t->ended = !t->spec.prepares_twice;
        }
        t->ended |= unreported.status != GNT_OK;
    }
    t->unlimited = 0;
    return rc;
}

static int is_skipped(const gnt_vet_sequence *t, const gnt_vet_step *s) {
    return (t->hooks & s->needs) != s->needs || (t->spec.skips_client_0 && s->in_round && s->index == 0);
}

/* Gives a client's hooks random streams of their own. */
static void take_streams(gnt_vet_sequence *t, const gnt_vet_step *s) {
    char name[32];
    if (!t->spec.client_streams || !s->in_round || s->index == t->served)
        return;
    snprintf(name, sizeof name, "client %d", (int)s->index);
    const gnt_key key = gnt_key_derive(&t->spec.key, name);
    gnt_instance_rekey(t->instance, &key);
    t->served = s->index;
}

gnt_vet_next gnt_vet_sequence_next(gnt_vet_sequence *t, gnt_vet_hook_result *result, gnt_err *err) {
    while (t->at < t->n_steps && is_skipped(t, &t->step[t->at]))
        t->at++;
    if (t->ended || t->at == t->n_steps)
        return GNT_VET_NEXT_END;
    const gnt_vet_step *s = &t->step[t->at++];
    take_streams(t, s);
    if (run_step(t, s, result, err) != 0)
        return GNT_VET_NEXT_FAILED;
    const int prepares = is_create(s) || strcmp(s->hook, "prepare") == 0;
    if (result->status == GNT_STOPPED)
        return after_stop(t, s, err) == 0 ? GNT_VET_NEXT_RAN : GNT_VET_NEXT_FAILED;
    if (result->written || result->beyond || (prepares && result->status != GNT_OK))
        t->ended = 1; /* later hooks lack their inputs */
    return GNT_VET_NEXT_RAN;
}

/* ---- the sequence ---- */

/* Allocates the tensors of a list, each by itself. */
static int make_tensors(gnt_vet_sequence *t, gnt_tensors *list) {
    for (int64_t i = 0; i < list->n; i++) {
        gnt_tensor *one = &list->tensor[i];
        if (!(one->data = gnt_vet_output(&t->setting, one->name, one->count, sizeof *one->data)))
            return -1;
    }
    return 0;
}

static int make_outputs(gnt_vet_sequence *t) {
    const gnt_model *m = t->setting.model.model;
    gnt_err ignored;
    t->new_weights = gnt_vet_output(&t->setting, "new_weights", gnt_model_size(m), sizeof *t->new_weights);
    t->rate = gnt_vet_output(&t->setting, "rate", 1, sizeof *t->rate);
    if (!t->new_weights || !t->rate || gnt_fl_tensors(&t->update, m, &ignored) != 0 ||
        gnt_fl_buffer_tensors(&t->statistics, m, &ignored) != 0)
        return -1;
    t->n_statistics = t->statistics.n;
    return make_tensors(t, &t->update) != 0 ? -1 : make_tensors(t, &t->statistics);
}

int gnt_vet_sequence_open(gnt_vet_sequence **out, const gnt_vet_sequence_spec *spec, gnt_err *err) {
    gnt_plugin_info info;
    gnt_vet_sequence *t = gnt_alloc(sizeof *t);
    *out = NULL;
    if (!t)
        return gnt_fail(err, "out of memory");
    t->spec = *spec;
    t->served = -1;
    gnt_st_init(&t->prepared);
    for (int i = 0; i <= GNT_VET_CLIENTS; i++)
        gnt_st_init(&t->state[i]);
    const int attack = spec->descriptor->kind == GNT_PLUGIN_ATTACK;
    t->step = attack ? gnt_vet_attack_steps : gnt_vet_defense_steps;
    t->n_steps = attack ? gnt_vet_attack_count : gnt_vet_defense_count;
    int rc = gnt_info_of_descriptor(&info, spec->descriptor, NULL, NULL, 0, err);
    if (rc == 0) {
        t->hooks = info.hooks;
        gnt_info_free(&info);
        rc = gnt_vet_setting_open(&t->setting, &spec->setting, err);
    }
    if (rc == 0 && make_outputs(t) != 0)
        rc = gnt_fail(err, "out of memory for a hook's outputs");
    if (rc != 0)
        gnt_vet_sequence_free(t);
    else
        *out = t;
    return rc;
}

void gnt_vet_sequence_free(gnt_vet_sequence *t) {
    if (!t)
        return;
    gnt_vet_destroy(t);
    gnt_st_free(&t->prepared);
    for (int i = 0; i <= GNT_VET_CLIENTS; i++)
        gnt_st_free(&t->state[i]);
    gnt_free(t->update.tensor);
    gnt_free(t->statistics.tensor);
    gnt_vet_setting_free(&t->setting);
    gnt_free(t);
}
