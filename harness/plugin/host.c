#include "plugin/host.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "plugin/info_impl.h"
#include "plugin/members.h"
#include "plugin/abi_words.h"

enum { MOST_STREAMS = 65536, LONGEST_STREAM_NAME = 256, MOST_FACTS = 256, MOST_HOOKS = 32 };

typedef struct named_stream {
    char *name;
    gnt_stream stream;
} named_stream;

typedef struct arena { /* blocks of scratch that are freed together */
    void **block;
    size_t n, bytes;
} arena;

struct gnt_instance {
    gnt_host host; /* its context is this instance */
    gnt_descriptor own;
    const gnt_descriptor *descriptor; /* own: copy of the plugin's, as large as this host's */
    gnt_defense defense;
    gnt_attack attack;
    gnt_params params;
    gnt_key key;
    gnt_service *model;
    gnt_models models; /* its context is this instance */
    const gnt_instance_model *named;
    size_t n_named;
    gnt_memo memo; /* its context is this instance */
    gnt_memo_file *memo_file;
    gnt_memo_table *memo_table; /* NULL before its first use */
    gnt_digest memo_name;
    void *self;
    int made; /* create or start has returned: scratch belongs to the hook */

    void *context;
    void (*log)(void *context, int32_t level, const char *text);
    void (*progress)(void *context, double done, double total);
    int (*should_stop)(void *context);
    double deadline; /* CLOCK_MONOTONIC seconds; 0: none */
    size_t memory, peak;

    const char *hook; /* the current hook; NULL: none */
    double entered;   /* its start, CLOCK_MONOTONIC seconds */
    gnt_hook_time times[MOST_HOOKS];
    int32_t n_times;
    int stopped;    /* sticky: a stop was requested */
    gnt_err said;   /* by the plugin, in this hook */
    gnt_err broken; /* a service failed without a way to report it; fails the hook */
    arena of_hook, of_life;
    named_stream *streams;
    size_t n_streams;
    gnt_fact *facts; /* mean has the sum until gnt_instance_facts */
    gnt_fact *reported;
    int32_t n_facts;
};

/* ---- scratch ---- */

static void arena_free(arena *a) {
    for (size_t i = 0; i < a->n; i++)
        gnt_free_aligned(a->block[i]);
    gnt_free(a->block);
    *a = (arena){0};
}

static void *host_scratch(void *context, size_t bytes) {
    gnt_instance *i = context;
    arena *a = i->made && i->hook ? &i->of_hook : &i->of_life;
    size_t used = i->of_hook.bytes + i->of_life.bytes;
    if (bytes > SIZE_MAX - used || (i->memory && used + bytes > i->memory))
        return NULL;
    void *block = GNT_GROW(a->block, a->n) == 0 ? gnt_aligned(bytes, 1) : NULL;
    if (!block)
        return NULL;
    a->block[a->n++] = block;
    a->bytes += bytes;
    if (used + bytes > i->peak)
        i->peak = used + bytes;
    return block;
}

/* ---- words ---- */

static const char *no_null(const char *text) {
    return text ? text : "";
}

static void host_log(void *context, int32_t level, const char *text) {
    gnt_instance *i = context;
    gnt_err clean = {0}; /* bounded, and without control characters */
    if (!i->log)
        return;
    gnt_fail(&clean, "%s: %s", no_null(i->descriptor->id), no_null(text));
    i->log(i->context,
           level < GNT_LOG_DEBUG  ? GNT_LOG_DEBUG
           : level > GNT_LOG_WARN ? GNT_LOG_WARN
                                  : level,
           clean.text);
}

static void host_progress(void *context, double done, double total) {
    gnt_instance *i = context;
    if (i->progress && isfinite(done) && isfinite(total))
        i->progress(i->context, done, total);
}

static int32_t host_should_stop(void *context) {
    gnt_instance *i = context;
    if (!i->stopped)
        i->stopped =
            (i->deadline > 0 && gnt_clock() >= i->deadline) || (i->should_stop && i->should_stop(i->context));
    return i->stopped;
}

static gnt_status host_fail(void *context, const char *text) {
    gnt_instance *i = context;
    gnt_fail(&i->said, "%s", no_null(text));
    return GNT_FAILED;
}

static const char *host_last_error(void *context) {
    const gnt_instance *i = context;
    return i->model ? gnt_service_error(i->model) : "";
}

static const gnt_named_model *open_model(void *context, const char *parameter) {
    gnt_instance *i = context;
    gnt_err why;
    for (size_t k = 0; parameter && k < i->n_named; k++)
        if (strcmp(i->named[k].parameter, parameter) == 0)
            return &i->named[k].model;
    gnt_fail(&why, "the suite names no model for \"%.60s\"", no_null(parameter));
    if (i->model)
        gnt_service_say(i->model, why.text);
    return NULL;
}

/* ---- what outlives the process ---- */

/* Names the instance in the file: by the plugin and by the key of its role, before any other is set. */
static gnt_digest name_memo(const gnt_instance *i) {
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, no_null(i->descriptor->id));
    gnt_hasher_bytes(&h, &i->key, sizeof i->key);
    return gnt_hasher_end(&h);
}

/* NULL when out of memory. */
static gnt_memo_table *memo_of(gnt_instance *i) {
    if (!i->memo_table)
        i->memo_table = gnt_memo_table_new(i->memo_file, &i->memo_name);
    if (!i->memo_table)
        gnt_fail(&i->broken, "out of memory for results of long computations");
    return i->memo_table;
}

static const void *find_memo(void *context, const uint8_t *key, int64_t *count, int32_t *is_new) {
    gnt_instance *i = context;
    gnt_memo_table *t = key ? memo_of(i) : NULL;
    int64_t n = 0;
    int fresh = 0;
    const void *value = t ? gnt_memo_find(t, key, &n, &fresh) : NULL;
    if (count)
        *count = n;
    if (is_new)
        *is_new = fresh;
    return value;
}

static gnt_status put_memo(void *context, int64_t n, const uint8_t *keys, const void *data, int64_t count) {
    gnt_instance *i = context;
    gnt_memo_table *t = keys && (data || count == 0) ? memo_of(i) : NULL;
    if (t && gnt_memo_put(t, n, keys, data, count) == 0)
        return GNT_OK;
    gnt_fail(&i->said, "%lld results of %lld bytes cannot be kept: out of memory, or not valid", (long long)n,
             (long long)count);
    return GNT_FAILED;
}

int64_t gnt_instance_memo_size(gnt_instance *i) {
    const gnt_memo_table *t = memo_of(i);
    return t ? gnt_memo_size(t) : 0;
}

int64_t gnt_instance_memo_used(gnt_instance *i) {
    const gnt_memo_table *t = memo_of(i);
    return t ? gnt_memo_used(t) : 0;
}

int gnt_instance_set_memo_used(gnt_instance *i, int64_t n) {
    gnt_memo_table *t = memo_of(i);
    return t ? gnt_memo_set_used(t, n) : -1;
}

static const void *host_extension(void *context, const char *id, uint32_t revision) {
    gnt_instance *i = context;
    if (!id || revision > 1)
        return NULL;
    return strcmp(id, GNT_EXTENSION_MODELS) == 0 ? (const void *)&i->models
           : strcmp(id, GNT_EXTENSION_MEMO) == 0 ? (const void *)&i->memo
                                                 : NULL;
}

/* ---- random numbers ---- */

/* Returns the stream of that name, and opens a new one. NULL: it cannot be opened; the hook then fails, since
 * numbers that are not random must not be used as noise. */
static gnt_stream *stream_of(gnt_instance *i, const char *name) {
    for (size_t k = 0; name && k < i->n_streams; k++)
        if (strcmp(i->streams[k].name, name) == 0)
            return &i->streams[k].stream;
    if (!name || strnlen(name, LONGEST_STREAM_NAME + 1) > LONGEST_STREAM_NAME ||
        i->n_streams == MOST_STREAMS) {
        gnt_fail(&i->broken,
                 "it requested a random stream without a name, with one of more than %d bytes, or more "
                 "than %d streams",
                 LONGEST_STREAM_NAME, MOST_STREAMS);
        return NULL;
    }
    size_t n = i->n_streams;
    char *copy = GNT_GROW(i->streams, n) == 0 ? gnt_strdup(name) : NULL;
    if (!copy) {
        gnt_fail(&i->broken, "out of memory for a random stream");
        return NULL;
    }
    i->streams[n] = (named_stream){copy, gnt_stream_open(&i->key, copy)};
    i->n_streams++;
    return &i->streams[n].stream;
}

static void host_uniform(void *context, const char *name, int64_t n, double *out) {
    gnt_stream *s = stream_of(context, name);
    for (int64_t k = 0; k < n; k++)
        out[k] = s ? gnt_random_uniform(s) : 0;
}

static void host_normal(void *context, const char *name, int64_t n, float *out) {
    gnt_stream *s = stream_of(context, name);
    if (s && n > 0)
        gnt_random_normals(s, out, (size_t)n);
    else
        for (int64_t k = 0; k < n; k++)
            out[k] = 0;
}

static void host_laplace(void *context, const char *name, int64_t n, float *out) {
    gnt_stream *s = stream_of(context, name);
    if (s && n > 0)
        gnt_random_laplaces(s, out, (size_t)n);
    else
        for (int64_t k = 0; k < n; k++)
            out[k] = 0;
}

static uint64_t host_below(void *context, const char *name, uint64_t n) {
    gnt_stream *s = stream_of(context, name);
    return s && n ? gnt_random_below(s, n) : 0;
}

/* ---- facts ---- */

static gnt_fact *fact_of(gnt_instance *i, const char *name) {
    for (int32_t k = 0; k < i->n_facts; k++)
        if (strcmp(i->facts[k].name, name) == 0)
            return &i->facts[k];
    if (i->n_facts == MOST_FACTS)
        return NULL;
    char *copy = GNT_GROW(i->facts, i->n_facts) == 0 ? gnt_strdup(name) : NULL;
    if (!copy)
        return NULL;
    i->facts[i->n_facts] = (gnt_fact){.name = copy};
    return &i->facts[i->n_facts++];
}

static void host_fact(void *context, const char *name, double value) {
    gnt_instance *i = context;
    const int is_id = gnt_id_ok(name, '_');
    gnt_fact *f = is_id ? fact_of(i, name) : NULL;
    if (!is_id)
        gnt_fail(&i->broken,
                 "the fact \"%.60s\" has an invalid name; expected 1 to %d of a to z, 0 to 9 "
                 "and _, "
                 "beginning with a letter",
                 no_null(name), GNT_PLUGIN_ID);
    else if (!f)
        gnt_fail(&i->broken, "the fact \"%.60s\" exceeds the %d facts that a plugin may report", name,
                 MOST_FACTS);
    if (!f)
        return;
    if (!isfinite(value))
        return;
    f->mean += value;
    f->n++;
}

static int by_name(const gnt_fact *a, const gnt_fact *b) {
    return strcmp(a->name, b->name);
}

int32_t gnt_instance_facts(gnt_instance *i, const gnt_fact **list) {
    int32_t n = 0;
    gnt_free(i->reported);
    *list = i->reported = gnt_array((size_t)i->n_facts, sizeof *i->reported);
    for (int32_t k = 0; i->reported && k < i->n_facts; k++) {
        gnt_fact f = i->facts[k];
        if (f.n == 0)
            continue;
        f.mean /= (double)f.n;
        int32_t at = n++;
        for (; at > 0 && by_name(&f, &i->reported[at - 1]) < 0; at--)
            i->reported[at] = i->reported[at - 1];
        i->reported[at] = f;
    }
    return n;
}

const gnt_fact *gnt_instance_fact_sum(const gnt_instance *i, size_t k) {
    return k < (size_t)i->n_facts ? &i->facts[k] : NULL;
}

int gnt_instance_set_fact(gnt_instance *i, const char *name, double sum, int64_t n) {
    gnt_fact *f = gnt_id_ok(name, '_') && n >= 0 ? fact_of(i, name) : NULL;
    if (!f)
        return -1;
    f->mean = sum;
    f->n = n;
    return 0;
}

const char *gnt_instance_stream(const gnt_instance *i, size_t k, uint64_t *words) {
    if (k >= i->n_streams)
        return NULL;
    *words = gnt_stream_words(&i->streams[k].stream);
    return i->streams[k].name;
}

int gnt_instance_set_stream(gnt_instance *i, const char *name, uint64_t words) {
    gnt_stream *s = stream_of(i, name);
    if (!s)
        return -1;
    *s = gnt_stream_at(&i->key, name, words);
    return 0;
}

/* ---- times ---- */

static gnt_hook_time *time_of(gnt_instance *i, const char *hook) {
    for (int32_t k = 0; k < i->n_times; k++)
        if (strcmp(i->times[k].hook, hook) == 0)
            return &i->times[k];
    if (i->n_times == MOST_HOOKS)
        return NULL;
    i->times[i->n_times] = (gnt_hook_time){.hook = hook};
    return &i->times[i->n_times++];
}

static void add_time(gnt_instance *i, const char *hook, double seconds) {
    gnt_hook_time *t = time_of(i, hook);
    if (!t)
        return;
    t->calls++;
    t->seconds += seconds;
}

int32_t gnt_instance_times(const gnt_instance *i, const gnt_hook_time **list) {
    *list = i->times;
    return i->n_times;
}

/* ---- instances ---- */

static const char *kind_of(const gnt_instance *i) {
    return gnt_word_name(&gnt_kind_words, (uint32_t)i->descriptor->kind);
}

static void fill_host(gnt_instance *i) {
    i->host = (gnt_host){.size = sizeof i->host,
                         .abi_major = GNT_ABI_MAJOR,
                         .abi_minor = GNT_ABI_MINOR,
                         .context = i,
                         .log = host_log,
                         .progress = host_progress,
                         .should_stop = host_should_stop,
                         .fail = host_fail,
                         .last_error = host_last_error,
                         .uniform = host_uniform,
                         .normal = host_normal,
                         .laplace = host_laplace,
                         .below = host_below,
                         .scratch = host_scratch,
                         .fact = host_fact,
                         .model = i->model ? gnt_service_table(i->model) : NULL,
                         .extension = host_extension};
    i->models = (gnt_models){.size = sizeof i->models, .context = i, .open = open_model};
    i->memo = (gnt_memo){.size = sizeof i->memo, .context = i, .find = find_memo, .put = put_memo};
}

static gnt_status call_create(gnt_instance *i, gnt_err *err) {
    gnt_instance_enter(i, "create");
    i->self = i->descriptor->create(&i->host, i->params.value);
    return gnt_instance_leave(i, i->self ? GNT_OK : GNT_FAILED, err);
}

/* Allocates and fills the plugin's struct, and calls its `start`. */
static gnt_status start(gnt_instance *i, gnt_err *err) {
    const gnt_descriptor *d = i->descriptor;
    i->self = host_scratch(i, (size_t)d->instance_size);
    if (!i->self) {
        gnt_fail(err, "%s %s: its instance of %llu bytes does not fit in the memory limit", kind_of(i), d->id,
                 (unsigned long long)d->instance_size);
        return GNT_FAILED;
    }
    gnt_members_set(i->self, d, &i->host, &i->params);
    if (!d->start)
        return GNT_OK;
    gnt_instance_enter(i, "start");
    return gnt_instance_leave(i, d->start(i->self), err);
}

static gnt_status create(gnt_instance *i, gnt_err *err) {
    const gnt_descriptor *d = i->descriptor;
    if (d->flags & GNT_FLAG_ACTIVE) {
        gnt_fail(err, "%s %s: it changes what the server broadcasts, which this host lets no attack do",
                 kind_of(i), d->id);
        return GNT_UNSUPPORTED;
    }
    for (size_t k = 0; d->services && d->services[k]; k++)
        if (!host_extension(i, d->services[k], 0)) {
            gnt_fail(err, "%s %s: it needs the service \"%.60s\", which this host does not have", kind_of(i),
                     d->id, d->services[k]);
            return GNT_UNSUPPORTED;
        }
    return d->instance_size ? start(i, err) : call_create(i, err);
}

int gnt_instance_new(gnt_instance **out, const gnt_instance_spec *spec, gnt_status *status, gnt_err *err) {
    gnt_status unused;
    status = status ? status : &unused;
    *status = GNT_FAILED;
    *out = NULL;
    gnt_instance *i = gnt_alloc(sizeof *i);
    if (!i)
        return gnt_fail(err, "out of memory");
    i->own = gnt_descriptor_copy(spec->descriptor);
    i->descriptor = &i->own;
    i->key = spec->key;
    i->model = spec->model;
    i->named = spec->models;
    i->n_named = spec->n_models;
    i->memo_file = spec->memo;
    i->memo_name = name_memo(i);
    i->context = spec->context;
    i->log = spec->log;
    i->progress = spec->progress;
    i->should_stop = spec->should_stop;
    i->deadline = spec->seconds > 0 ? gnt_clock() + spec->seconds : 0;
    i->memory = spec->memory;
    if (i->own.defense)
        i->defense = gnt_defense_table(i->own.defense);
    else
        i->attack = gnt_attack_table(i->own.attack);
    fill_host(i);
    if (gnt_params_copy(&i->params, spec->params, err) == 0)
        *status = create(i, err);
    i->made = 1;
    if (*status != GNT_OK) {
        gnt_instance_free(i);
        return -1;
    }
    *out = i;
    return 0;
}

static void forget_streams(gnt_instance *i) {
    for (size_t k = 0; k < i->n_streams; k++)
        gnt_free(i->streams[k].name);
    i->n_streams = 0;
}

void gnt_instance_rekey(gnt_instance *i, const gnt_key *key) {
    forget_streams(i);
    i->key = *key;
}

void gnt_instance_free(gnt_instance *i) {
    if (!i)
        return;
    void (*end)(void *self) = i->own.instance_size ? i->own.stop : i->own.destroy;
    if (i->self && end) {
        i->hook = i->own.instance_size ? "stop" : "destroy";
        end(i->self);
    }
    if (i->model)
        gnt_service_release_all(i->model);
    arena_free(&i->of_hook);
    arena_free(&i->of_life);
    gnt_memo_table_free(i->memo_table);
    forget_streams(i);
    gnt_free(i->streams);
    for (int32_t k = 0; k < i->n_facts; k++)
        gnt_free(i->facts[k].name);
    gnt_free(i->facts);
    gnt_free(i->reported);
    gnt_params_free(&i->params);
    gnt_free(i);
}

void *gnt_instance_self(const gnt_instance *i) {
    return i->self;
}

const gnt_defense *gnt_instance_defense(const gnt_instance *i) {
    return i->descriptor->defense ? &i->defense : NULL;
}

const gnt_attack *gnt_instance_attack(const gnt_instance *i) {
    return i->descriptor->attack ? &i->attack : NULL;
}

size_t gnt_instance_peak_scratch(const gnt_instance *i) {
    return i->peak;
}

void gnt_instance_enter(gnt_instance *i, const char *hook) {
    i->hook = hook;
    i->said = i->broken = (gnt_err){0};
    i->entered = gnt_clock();
}

gnt_status gnt_instance_leave(gnt_instance *i, gnt_status returned, gnt_err *err) {
    const char *hook = i->hook ? i->hook : "hook", *id = i->descriptor->id, *kind = kind_of(i);
    if (i->hook)
        add_time(i, i->hook, gnt_clock() - i->entered);
    int stop = host_should_stop(i);
    arena_free(&i->of_hook);
    i->hook = NULL;
    if (stop || returned == GNT_STOPPED) {
        gnt_fail(err, "%s %s: %s %s", kind, id, hook,
                 stop ? "was stopped, or exceeded its time; its answer is not used"
                      : "returned GNT_STOPPED without a request to stop");
        return stop ? GNT_STOPPED : GNT_FAILED;
    }
    if (i->broken.text[0]) {
        gnt_fail(err, "%s %s: %s: %s", kind, id, hook, i->broken.text);
        return GNT_FAILED;
    }
    if (returned == GNT_OK)
        return GNT_OK;
    if (returned == GNT_FAILED || returned == GNT_UNSUPPORTED) {
        gnt_fail(err, "%s %s: %s: %s", kind, id, hook,
                 i->said.text[0] ? i->said.text : "returned GNT_FAILED without calling host->fail");
        return returned;
    }
    gnt_fail(err, "%s %s: %s returned the unknown status %d", kind, id, hook, returned);
    return GNT_FAILED;
}
