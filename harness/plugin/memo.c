#include "plugin/memo.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { UNIT = 8, DIGEST = 32, HEAD = 2 * DIGEST + 2 * UNIT };
static const int64_t most_bytes = (int64_t)1 << 32;

static int64_t padded(int64_t count) {
    return (count + UNIT - 1) / UNIT * UNIT;
}

/* Returns the bytes of a record; 0: there can be none of that size. */
static int64_t record_size(int64_t n, int64_t count) {
    return n >= 1 && count >= 0 && n <= most_bytes && count <= most_bytes / n
               ? HEAD + n * (GNT_MEMO_KEY + padded(count))
               : 0;
}

/* ---- the file ---- */

static gnt_digest record_digest(const char *job, int64_t at, const uint8_t *record, int64_t size) {
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, "memo 1");
    gnt_hasher_text(&h, job);
    gnt_hasher_u64(&h, (uint64_t)at);
    gnt_hasher_bytes(&h, record + DIGEST, (size_t)(size - DIGEST));
    return gnt_hasher_end(&h);
}

static int64_t number_at(const uint8_t *bytes) {
    int64_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

static int64_t n_of(const uint8_t *record) {
    return number_at(record + 2 * DIGEST);
}

static int64_t count_of(const uint8_t *record) {
    return number_at(record + 2 * DIGEST + UNIT);
}

/* Returns the bytes of the record at `at`; 0: none that counts is there. */
static int64_t record_at(const gnt_memo_file *f, int64_t at) {
    const int64_t left = (int64_t)f->size - at;
    const uint8_t *record = f->bytes + at;
    const int64_t size = left >= HEAD ? record_size(n_of(record), count_of(record)) : 0;
    if (size == 0 || size > left)
        return 0;
    const gnt_digest d = record_digest(f->job, at, record, size);
    return memcmp(d.b, record, sizeof d.b) == 0 ? size : 0;
}

static size_t read_all(int fd, uint8_t *bytes, size_t size) {
    size_t n = 0;
    while (n < size) {
        const ssize_t got = pread(fd, bytes + n, size - n, (off_t)n);
        if (got > 0)
            n += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    return n;
}

int gnt_memo_file_open(gnt_memo_file *out, int fd, const char *job, gnt_err *err) {
    struct stat st;
    *out = (gnt_memo_file){.fd = fd, .job = job};
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size <= 0)
        return 0;
    out->bytes = gnt_alloc((size_t)st.st_size);
    if (!out->bytes)
        return gnt_fail(err, "out of memory for %lld bytes that plugins computed before the job was stopped",
                        (long long)st.st_size);
    out->size = read_all(fd, out->bytes, (size_t)st.st_size);
    for (int64_t n; (n = record_at(out, out->end)); out->end += n)
        ;
    out->size = (size_t)out->end;
    return 0;
}

void gnt_memo_file_close(gnt_memo_file *f) {
    gnt_free(f->bytes);
    *f = (gnt_memo_file){.fd = -1};
}

static int write_all(int fd, const uint8_t *bytes, size_t size, int64_t at) {
    size_t n = 0;
    while (n < size) {
        const ssize_t put = pwrite(fd, bytes + n, size - n, (off_t)at + (off_t)n);
        if (put > 0)
            n += (size_t)put;
        else if (put == 0 || errno != EINTR)
            return -1;
    }
    return 0;
}

static void add_record(gnt_memo_file *f, const gnt_digest *instance, int64_t n, const uint8_t *keys,
                       const uint8_t *data, int64_t count) {
    const int64_t size = record_size(n, count);
    uint8_t *record = gnt_alloc((size_t)size);
    if (record) {
        uint8_t *values = record + HEAD + n * GNT_MEMO_KEY;
        memcpy(record + DIGEST, instance->b, DIGEST);
        memcpy(record + 2 * DIGEST, &n, sizeof n);
        memcpy(record + 2 * DIGEST + UNIT, &count, sizeof count);
        memcpy(record + HEAD, keys, (size_t)n * GNT_MEMO_KEY);
        for (int64_t i = 0; count && i < n; i++)
            memcpy(values + i * padded(count), data + i * count, (size_t)count);
        const gnt_digest d = record_digest(f->job, f->end, record, size);
        memcpy(record, d.b, sizeof d.b);
    }
    if (!record || write_all(f->fd, record, (size_t)size, f->end) != 0)
        f->fd = -1;
    else
        f->end += size;
    gnt_free(record);
}

/* ---- the table ---- */

typedef struct memo_value {
    uint8_t key[GNT_MEMO_KEY];
    const uint8_t *data;
    int64_t count;
    int is_own, is_used;
} memo_value;

struct gnt_memo_table {
    gnt_memo_file *file;
    gnt_digest instance;
    /* In the order in which they were put. */
    memo_value *value;
    int64_t n, n_used;
    /* 1 + index of a value, by its key; 0: none. `room`: a power of two, at least twice n. */
    int64_t *slot, room;
};

static int64_t *slot_of(const gnt_memo_table *t, const uint8_t *key) {
    uint64_t h;
    memcpy(&h, key, sizeof h);
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
    int64_t i = (int64_t)(h >> 32) & (t->room - 1);
    while (t->slot[i] && memcmp(t->value[t->slot[i] - 1].key, key, GNT_MEMO_KEY) != 0)
        i = (i + 1) & (t->room - 1);
    return &t->slot[i];
}

static int make_room(gnt_memo_table *t) {
    if (2 * (t->n + 1) <= t->room)
        return 0;
    const int64_t room = t->room ? 2 * t->room : 64;
    int64_t *slot = gnt_array((size_t)room, sizeof *slot);
    if (!slot)
        return -1;
    gnt_free(t->slot);
    t->slot = slot;
    t->room = room;
    for (int64_t i = 0; i < t->n; i++)
        *slot_of(t, t->value[i].key) = i + 1;
    return 0;
}

/* Adds a value unless its key is there. The table owns data from here on if is_own, also after a failure. */
static int add(gnt_memo_table *t, const uint8_t *key, const uint8_t *data, int64_t count, int is_own) {
    int rc = make_room(t);
    if (rc == 0 && *slot_of(t, key) == 0 && (rc = GNT_GROW(t->value, t->n)) == 0) {
        memo_value *v = &t->value[t->n];
        *v = (memo_value){.data = data, .count = count, .is_own = is_own, .is_used = is_own};
        memcpy(v->key, key, GNT_MEMO_KEY);
        *slot_of(t, key) = ++t->n;
        t->n_used += is_own;
        return 0;
    }
    if (is_own)
        gnt_free((void *)(uintptr_t)data);
    return rc;
}

gnt_memo_table *gnt_memo_table_new(gnt_memo_file *file, const gnt_digest *instance) {
    gnt_memo_table *t = gnt_alloc(sizeof *t);
    if (!t)
        return NULL;
    t->file = file;
    t->instance = *instance;
    const int64_t all = file ? (int64_t)file->size : 0;
    int rc = make_room(t);
    for (int64_t at = 0, size; rc == 0 && at < all; at += size) {
        const uint8_t *record = file->bytes + at;
        const int64_t n = n_of(record), count = count_of(record);
        const uint8_t *keys = record + HEAD, *values = keys + n * GNT_MEMO_KEY;
        size = record_size(n, count);
        for (int64_t i = 0; rc == 0 && i < n && memcmp(record + DIGEST, instance->b, DIGEST) == 0; i++)
            rc = add(t, keys + i * GNT_MEMO_KEY, values + i * padded(count), count, 0);
    }
    if (rc == 0)
        return t;
    gnt_memo_table_free(t);
    return NULL;
}

void gnt_memo_table_free(gnt_memo_table *t) {
    for (int64_t i = 0; t && i < t->n; i++)
        if (t->value[i].is_own)
            gnt_free((void *)(uintptr_t)t->value[i].data);
    if (t) {
        gnt_free(t->value);
        gnt_free(t->slot);
    }
    gnt_free(t);
}

const void *gnt_memo_find(gnt_memo_table *t, const uint8_t key[GNT_MEMO_KEY], int64_t *count, int *is_new) {
    const int64_t i = *slot_of(t, key);
    if (i == 0)
        return NULL;
    memo_value *v = &t->value[i - 1];
    *count = v->count;
    *is_new = !v->is_used;
    t->n_used += !v->is_used;
    v->is_used = 1;
    return v->data;
}

/* Copies one value, unless its key is there. */
static int put_one(gnt_memo_table *t, const uint8_t *key, const uint8_t *data, int64_t count) {
    if (*slot_of(t, key))
        return 0;
    uint8_t *copy = gnt_alloc((size_t)(count ? count : 1));
    if (!copy)
        return -1;
    if (count)
        memcpy(copy, data, (size_t)count);
    return add(t, key, copy, count, 1);
}

int gnt_memo_put(gnt_memo_table *t, int64_t n, const uint8_t *keys, const void *data, int64_t count) {
    int rc = record_size(n, count) ? 0 : -1;
    for (int64_t i = 0; rc == 0 && i < n; i++)
        rc = put_one(t, keys + i * GNT_MEMO_KEY, (const uint8_t *)data + (count ? i * count : 0), count);
    if (rc == 0 && t->file && t->file->fd >= 0)
        add_record(t->file, &t->instance, n, keys, data, count);
    return rc;
}

int64_t gnt_memo_size(const gnt_memo_table *t) {
    return t->n;
}

int64_t gnt_memo_used(const gnt_memo_table *t) {
    return t->n_used;
}

int gnt_memo_set_used(gnt_memo_table *t, int64_t n) {
    if (n < 0 || n > t->n)
        return -1;
    for (int64_t i = 0; i < t->n; i++)
        t->value[i].is_used = i < n;
    t->n_used = n;
    return 0;
}
