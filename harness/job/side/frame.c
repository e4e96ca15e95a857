#include "job/side/frame.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    /* Milliseconds between polls of should_stop. */
    POLL_MS = 200,
    /* Bytes that a socket takes without blocking once poll says that it can be written: less than half of the
     * kernel's buffer. */
    PIECE = 1 << 16
};
static const char zeros[8];

void gnt_frame_begin(gnt_frame *f, uint64_t op) {
    f->op = op;
    f->n = f->at = 0;
    f->bad = 0;
}

void gnt_frame_free(gnt_frame *f) {
    gnt_free(f->bytes);
    *f = (gnt_frame){0};
}

static int make_room(gnt_frame *f, size_t more) {
    if (more <= f->room - f->n)
        return 0;
    size_t room = f->n + more;
    room += room / 2;
    uint8_t *larger = room < f->n ? NULL : gnt_resize(f->bytes, room, 1);
    if (!larger) {
        f->bad = 1;
        return -1;
    }
    f->bytes = larger;
    f->room = room;
    return 0;
}

void gnt_frame_put(gnt_frame *f, const void *bytes, size_t n) {
    const size_t pad = (8 - n % 8) % 8;
    if (n > SIZE_MAX / 4 || make_room(f, n + pad) != 0) {
        f->bad = 1;
        return;
    }
    if (n)
        memcpy(f->bytes + f->n, bytes, n);
    if (pad)
        memcpy(f->bytes + f->n + n, zeros, pad);
    f->n += n + pad;
}

void gnt_frame_put_int(gnt_frame *f, int64_t value) {
    gnt_frame_put(f, &value, sizeof value);
}

void gnt_frame_put_real(gnt_frame *f, double value) {
    gnt_frame_put(f, &value, sizeof value);
}

void gnt_frame_put_array(gnt_frame *f, const void *data, int64_t n, size_t size) {
    gnt_frame_put_int(f, data ? n : -1);
    if (data && n > 0)
        gnt_frame_put(f, data, (size_t)n * size);
}

void gnt_frame_put_text(gnt_frame *f, const char *text) {
    const char *t = text ? text : "";
    gnt_frame_put_array(f, t, (int64_t)strlen(t) + 1, 1);
}

const void *gnt_frame_get(gnt_frame *f, size_t n) {
    const size_t pad = (8 - n % 8) % 8;
    if (f->bad || n > f->n - f->at || n + pad > f->n - f->at) {
        f->bad = 1;
        return NULL;
    }
    const void *found = f->bytes + f->at;
    f->at += n + pad;
    return found;
}

int64_t gnt_frame_get_int(gnt_frame *f) {
    int64_t value = 0;
    const void *at = gnt_frame_get(f, sizeof value);
    if (at)
        memcpy(&value, at, sizeof value);
    return value;
}

double gnt_frame_get_real(gnt_frame *f) {
    double value = 0;
    const void *at = gnt_frame_get(f, sizeof value);
    if (at)
        memcpy(&value, at, sizeof value);
    return value;
}

const void *gnt_frame_get_array(gnt_frame *f, int64_t n, size_t size) {
    const int64_t sent = gnt_frame_get_int(f);
    if (f->bad || sent == -1)
        return NULL;
    if (sent != n || n < 0 || (size && (uint64_t)n > SIZE_MAX / 4 / size)) {
        f->bad = 1;
        return NULL;
    }
    return n ? gnt_frame_get(f, (size_t)n * size) : zeros;
}

const char *gnt_frame_get_text(gnt_frame *f) {
    const int64_t sent = gnt_frame_get_int(f);
    const char *text = sent >= 1 && (uint64_t)sent <= f->n ? gnt_frame_get(f, (size_t)sent) : NULL;
    if (!text || text[sent - 1] != 0) {
        f->bad = 1;
        return "";
    }
    return text;
}

/* ---- the socket ---- */

/* Waits until the socket can be read or written; −1 after a stop. */
static int wait_for(const gnt_frame_connection *connection, short what, gnt_err *err) {
    for (;;) {
        struct pollfd p = {.fd = connection->fd, .events = what};
        const int n = poll(&p, 1, POLL_MS);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return gnt_fail(err, "a socket between two parts of a job is broken: %s", strerror(errno));
        if (connection->should_stop && connection->should_stop(connection->context))
            return gnt_fail(err, "stopped");
    }
}

static int is_gone(gnt_err *err) {
    return gnt_fail(err, "the other part of the job has ended");
}

static int send_all(const gnt_frame_connection *connection, const void *bytes, size_t n, gnt_err *err) {
    const uint8_t *at = bytes;
    while (n > 0) {
        if (wait_for(connection, POLLOUT, err) != 0)
            return -1;
        const ssize_t sent = write(connection->fd, at, n < PIECE ? n : PIECE);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return is_gone(err);
        at += sent;
        n -= (size_t)sent;
    }
    return 0;
}

static int receive_all(const gnt_frame_connection *connection, void *bytes, size_t n, gnt_err *err) {
    uint8_t *at = bytes;
    while (n > 0) {
        if (wait_for(connection, POLLIN, err) != 0)
            return -1;
        const ssize_t got = read(connection->fd, at, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return is_gone(err);
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

int gnt_frame_send(const gnt_frame_connection *connection, const gnt_frame *f, gnt_err *err) {
    const uint64_t head[2] = {f->op, f->n};
    if (f->bad)
        return gnt_fail(err, "out of memory for a message between two parts of a job");
    return send_all(connection, head, sizeof head, err) != 0 || send_all(connection, f->bytes, f->n, err) != 0
               ? -1
               : 0;
}

int gnt_frame_receive(const gnt_frame_connection *connection, gnt_frame *f, gnt_err *err) {
    uint64_t head[2];
    if (receive_all(connection, head, sizeof head, err) != 0)
        return -1;
    gnt_frame_begin(f, head[0]);
    if (head[1] > connection->most || head[1] % 8 != 0)
        return gnt_fail(err, "a part of the job sends a message of %llu bytes, expected at most %zu",
                        (unsigned long long)head[1], connection->most);
    if (make_room(f, (size_t)head[1]) != 0)
        return gnt_fail(err, "out of memory for a message of %llu bytes", (unsigned long long)head[1]);
    f->n = (size_t)head[1];
    return receive_all(connection, f->bytes, f->n, err);
}
