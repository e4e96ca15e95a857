/* child_wire: reads the pipes of a child. Whatever a child writes is treated as hostile: lines are bounded,
 * bytes are made printable, only one JSON object of bounded size is parsed. */
#include "process/child_wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int gnt_wire_read(int fd, const char *name, size_t most, uint8_t **bytes, size_t *size, gnt_err *err) {
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return gnt_fail(err, "%s: is not a regular file", name);
    if (st.st_size < 0 || (uint64_t)st.st_size > most || (uint64_t)st.st_size >= SIZE_MAX)
        return gnt_fail(err, "%s: has %lld bytes, more than the %zu allowed", name, (long long)st.st_size,
                        most);
    size_t n = 0, all = (size_t)st.st_size;
    uint8_t *data = gnt_array(all + 1, 1);
    if (!data)
        return gnt_fail(err, "%s: out of memory for %zu bytes", name, all);
    while (n < all) {
        ssize_t got = pread(fd, data + n, all - n, (off_t)n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            gnt_free(data);
            return gnt_fail(err, "%s: cannot read: %s", name,
                            got < 0 ? strerror(errno) : "it became shorter");
        }
        n += (size_t)got;
    }
    *bytes = data;
    *size = n;
    return 0;
}

uint64_t gnt_wire_peak(const char *status) {
    const char *mark = strstr(status, "\nVmHWM:");
    return mark ? strtoull(mark + 7, NULL, 10) * 1024 : 0;
}

/* Returns the length of the UTF-8 sequence at `s` (shortest form, no surrogates, at most U+10FFFF), 0 if
 * there is none. */
static size_t sequence(const unsigned char *s) {
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (n == 4 && (s[0] < 0xf0 || s[0] > 0xf4))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

char *gnt_wire_clean(const char *text) {
    char *copy = gnt_strdup(text);
    for (unsigned char *at = (unsigned char *)copy; at && *at;) {
        size_t n = *at < 0x20 || *at == 0x7f ? 0 : sequence(at);
        if (!n)
            *at = '?';
        at += n ? n : 1;
    }
    return copy;
}

/* Passes on a line "note TEXT" or "warning TEXT". */
static void pass_on(const gnt_child *child, int is_warning, const char *text) {
    char *clean = child->said ? gnt_wire_clean(text) : NULL;
    if (clean)
        child->said(child->user, is_warning, clean);
    gnt_free(clean);
}

static void take_line(gnt_child *child) {
    unsigned long long done, total;
    child->line[child->line_size] = 0;
    if (sscanf(child->line, "progress %llu %llu", &done, &total) == 2) {
        if (child->progress)
            child->progress(child->user, done, total);
        return;
    }
    if (strncmp(child->line, "note ", 5) == 0 || strncmp(child->line, "warning ", 8) == 0) {
        const int is_warning = child->line[0] == 'w';
        pass_on(child, is_warning, child->line + (is_warning ? 8 : 5));
        return;
    }
    if (strncmp(child->line, "sandbox ", 8) == 0) {
        char *clean = child->sandbox[0] ? NULL : gnt_wire_clean(child->line + 8); /* the first one counts */
        if (clean)
            snprintf(child->sandbox, sizeof child->sandbox, "%s", clean);
        gnt_free(clean);
        return;
    }
    json_t *status = json_loadb(child->line, child->line_size, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(status)) {
        json_decref(status);
        return;
    }
    json_decref(child->result.status); /* the last one counts */
    child->result.status = status;
}

static int make_room(gnt_child *child) {
    if (child->line_size + 1 < child->line_room)
        return 0;
    size_t room = child->line_room ? 2 * child->line_room : 256;
    char *grown = room > GNT_STATUS_MOST ? NULL : gnt_resize(child->line, room, 1);
    if (!grown)
        return -1;
    child->line = grown;
    child->line_room = room;
    return 0;
}

static void take_status(gnt_child *child, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            if (!child->line_lost && child->line_size)
                take_line(child);
            child->line_size = 0;
            child->line_lost = 0;
        } else if (!child->line_lost) {
            if (make_room(child) != 0)
                child->line_lost = 1;
            else
                child->line[child->line_size++] = bytes[i];
        }
    }
}

static void take_stderr(gnt_child *child, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (child->tail_size == 2 * GNT_TAIL_MOST) {
            memcpy(child->tail, child->tail + GNT_TAIL_MOST, GNT_TAIL_MOST);
            child->tail_size = GNT_TAIL_MOST;
        }
        char c = bytes[i];
        child->tail[child->tail_size++] = (c >= 0x20 && c < 0x7f) || c == '\n' ? c : '?';
    }
    child->tail[child->tail_size] = 0;
}

/* Reads from one pipe, a limited number of bytes at a time, so that a child that floods it does not block the
 * others. */
static void drain(gnt_child *child, int *fd, void (*take)(gnt_child *, const char *, size_t)) {
    char bytes[16384];
    for (int round = 0; *fd >= 0 && round < 256; round++) {
        ssize_t got = read(*fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close(*fd);
            *fd = -1;
            return;
        }
        take(child, bytes, (size_t)got);
    }
}

void gnt_child_listen(gnt_child *child) {
    drain(child, &child->status_fd, take_status);
    drain(child, &child->stderr_fd, take_stderr);
}
