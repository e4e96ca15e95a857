#include "run/lease/lease.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sodium/randombytes.h>
#include <sodium/utils.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

enum { TOKEN_SIZE = 17, HEX = GNT_HEX_SIZE - 1, MOST_TEXT = 1024 };

typedef struct own_lease {
    char hex[GNT_HEX_SIZE];
    /* By the monotonic clock. */
    double touched;
} own_lease;

struct gnt_leases {
    char *folder, *clock, *text;
    char token[TOKEN_SIZE];
    double term;
    /* Keys of others' leases -> when this process first saw them, or last saw that the holder lives, by the
     * monotonic clock. */
    json_t *others;
    own_lease *own;
    size_t n;
};

static double seconds_of(const struct timespec *t) {
    return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}

static char *path_of(const gnt_leases *l, const char *hex, const char *ending) {
    return *ending ? gnt_format("%s/%s.%s.%s", l->folder, hex, l->token, ending)
                   : gnt_format("%s/%s", l->folder, hex);
}

/* Returns the file system's time: that of a file which it has just touched. NaN on failure. */
static double file_system_now(const gnt_leases *l) {
    struct stat st;
    double now = NAN;
    int fd = open(l->clock, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0 && futimens(fd, NULL) == 0 && fstat(fd, &st) == 0)
        now = seconds_of(&st.st_mtim);
    if (fd >= 0)
        close(fd);
    return now;
}

/* True if it was not touched for a term. So too if its time is in the future: its holder would have touched
 * it. */
static int is_stale(const gnt_leases *l, const struct stat *st, double now) {
    return fabs(now - seconds_of(&st->st_mtim)) > l->term; /* not where now is NaN */
}

int gnt_leases_open(gnt_leases **out, const char *folder, const json_t *holder, double term, gnt_err *err) {
    uint8_t random[TOKEN_SIZE / 2];
    gnt_leases *l = gnt_alloc(sizeof *l);
    json_t *text = json_deep_copy(holder);
    if (!l || !text)
        goto no_memory;
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(l->token, sizeof l->token, random, sizeof random);
    json_object_set_new(text, "token", json_string(l->token));
    l->term = term;
    l->folder = gnt_strdup(folder);
    l->clock = gnt_format("%s/clock.%s", folder, l->token);
    l->text = json_dumps(text, JSON_COMPACT);
    l->others = json_object();
    if (!l->folder || !l->clock || !l->text || !l->others)
        goto no_memory;
    if (strlen(l->text) >= MOST_TEXT) {
        json_decref(text);
        gnt_leases_close(l);
        return gnt_fail(err, "the name of this machine or job is too long for a lease");
    }
    json_decref(text);
    if (gnt_make_dirs(folder, err) != 0) {
        gnt_leases_close(l);
        return -1;
    }
    *out = l;
    return 0;
no_memory:
    json_decref(text);
    gnt_leases_close(l);
    return gnt_fail(err, "out of memory for leases");
}

/* ---- leases of others ---- */

static int is_key(const char *name) {
    return strlen(name) == HEX && strspn(name, "0123456789abcdef") == HEX;
}

static const own_lease *find_own(const gnt_leases *l, const char *hex) {
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->own[i].hex, hex) == 0)
            return &l->own[i];
    return NULL;
}

int gnt_leases_look(gnt_leases *l, gnt_err *err) {
    const double now = gnt_clock();
    json_t *seen = json_object();
    DIR *d = opendir(l->folder);
    int rc = seen ? 0 : gnt_fail(err, "out of memory for leases");
    if (!d)
        rc = gnt_fail(err, "%s: cannot list it: %s", l->folder, strerror(errno));
    for (const struct dirent *e; rc == 0 && (e = readdir(d));) {
        if (!is_key(e->d_name) || find_own(l, e->d_name))
            continue;
        json_t *since = json_object_get(l->others, e->d_name);
        if (json_object_set_new(seen, e->d_name, since ? json_incref(since) : json_real(now)) != 0)
            rc = gnt_fail(err, "out of memory for leases");
    }
    if (d)
        closedir(d);
    if (rc == 0) {
        json_decref(l->others);
        l->others = json_incref(seen);
    }
    json_decref(seen);
    return rc;
}

/* True if the lease is free: released, or removed because its holder died. */
static int take_stale(const gnt_leases *l, const char *path, const char *mine) {
    struct stat was, taken;
    /* opening a file always reaches the server of a network file system; stat() may not */
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    const int renamed =
        fstat(fd, &was) == 0 && is_stale(l, &was, file_system_now(l)) && rename(path, mine) == 0;
    close(fd);
    if (!renamed)
        return 0;
    int taken_it = lstat(mine, &taken) == 0 && taken.st_dev == was.st_dev && taken.st_ino == was.st_ino &&
                   is_stale(l, &taken, file_system_now(l));
    if (!taken_it && link(mine, path) != 0) /* another process was faster: its lease goes back to its place */
        taken_it = 0;
    unlink(mine);
    return taken_it;
}

/* ---- claims ---- */

/* Makes a lease. Returns 1, or 0 if there is one. */
static int make(const gnt_leases *l, const char *path, const char *part, gnt_err *err) {
    struct stat st;
    int made = 0, rc = 0, fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return gnt_fail(err, "%s: cannot create: %s", part, strerror(errno));
    rc = gnt_fd_write(fd, part, l->text, strlen(l->text), err);
    if (rc == 0) {
        const int why = link(part, path) == 0 ? 0 : errno;
        /* a server that gets a request twice may refuse what it has already done */
        made = why == 0 || (why == EEXIST && fstat(fd, &st) == 0 && st.st_nlink == 2);
        if (why != 0 && why != EEXIST)
            rc = gnt_fail(err, "%s: cannot be made: %s; a shared run needs hard links", path, strerror(why));
    }
    close(fd);
    unlink(part);
    return rc == 0 ? made : -1;
}

static int remember(gnt_leases *l, const char *hex) {
    if (GNT_GROW(l->own, l->n) != 0)
        return -1;
    l->own[l->n] = (own_lease){.touched = gnt_clock()};
    memcpy(l->own[l->n++].hex, hex, GNT_HEX_SIZE);
    return 0;
}

int gnt_leases_claim(gnt_leases *l, const gnt_digest *key, gnt_err *err) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(key, hex);
    if (find_own(l, hex))
        return 1;
    const json_t *since = json_object_get(l->others, hex);
    if (since && gnt_clock() - json_number_value(since) < l->term)
        return 0;
    char *path = path_of(l, hex, ""), *part = path_of(l, hex, "part"), *mine = path_of(l, hex, "stale");
    int got = path && part && mine ? 0 : gnt_fail(err, "out of memory for a lease");
    if (got == 0 && (!since || take_stale(l, path, mine)))
        got = make(l, path, part, err);
    if (got == 1 && remember(l, hex) != 0) {
        unlink(path);
        got = gnt_fail(err, "out of memory for a lease");
    }
    if (got == 0 && json_object_set_new(l->others, hex, json_real(gnt_clock())) != 0)
        got = gnt_fail(err, "out of memory for a lease");
    if (got == 1)
        json_object_del(l->others, hex);
    gnt_free(path);
    gnt_free(part);
    gnt_free(mine);
    return got;
}

/* Opens this process's own lease; −1 if another's, or none, is in its place. Compares its content: a new file
 * may have the inode of a removed one. */
static int open_own(const gnt_leases *l, const char *path) {
    char text[MOST_TEXT];
    const size_t size = strlen(l->text);
    int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0 && (read(fd, text, sizeof text) != (ssize_t)size || memcmp(text, l->text, size) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void release(gnt_leases *l, size_t i) {
    char *path = path_of(l, l->own[i].hex, "");
    int fd = open_own(l, path);
    if (fd >= 0) {
        unlink(path);
        close(fd);
    }
    gnt_free(path);
    l->own[i] = l->own[--l->n];
}

void gnt_leases_release(gnt_leases *l, const gnt_digest *key) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(key, hex);
    const own_lease *o = find_own(l, hex);
    if (o)
        release(l, (size_t)(o - l->own));
}

void gnt_leases_renew(gnt_leases *l) {
    const double now = gnt_clock();
    for (size_t i = 0; i < l->n; i++) {
        own_lease *o = &l->own[i];
        if (now - o->touched < l->term / 4)
            continue;
        char *path = path_of(l, o->hex, "");
        int fd = open_own(l, path);
        if (fd >= 0) {
            futimens(fd, NULL);
            close(fd);
        }
        gnt_free(path);
        o->touched = now;
    }
}

int gnt_leases_sweep(gnt_leases *l) {
    const double now = file_system_now(l);
    int removed = 0;
    DIR *d = opendir(l->folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(st.st_mode) ||
            !is_stale(l, &st, now))
            continue;
        char *path = gnt_format("%s/%s", l->folder, e->d_name), *mine = path_of(l, "swept", "stale");
        if (path && mine)
            removed += is_key(e->d_name) ? take_stale(l, path, mine) : unlink(path) == 0;
        gnt_free(path);
        gnt_free(mine);
    }
    if (d)
        closedir(d);
    return removed;
}

void gnt_leases_close(gnt_leases *l) {
    if (!l)
        return;
    while (l->n)
        release(l, l->n - 1);
    if (l->clock)
        unlink(l->clock);
    gnt_free(l->folder);
    gnt_free(l->clock);
    free(l->text);
    gnt_free(l->own);
    json_decref(l->others);
    gnt_free(l);
}
