#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void gnt_hasher_init(gnt_hasher *h) {
    crypto_generichash_init(&h->state, NULL, 0, sizeof(gnt_digest));
}

void gnt_hasher_u64(gnt_hasher *h, uint64_t value) {
    uint8_t le[8];
    for (int i = 0; i < 8; i++)
        le[i] = (uint8_t)(value >> (8 * i));
    crypto_generichash_update(&h->state, le, sizeof le);
}

void gnt_hasher_bytes(gnt_hasher *h, const void *bytes, size_t n) {
    gnt_hasher_u64(h, n);
    crypto_generichash_update(&h->state, bytes, n);
}

void gnt_hasher_text(gnt_hasher *h, const char *text) {
    gnt_hasher_bytes(h, text, strlen(text));
}

gnt_digest gnt_hasher_end(gnt_hasher *h) {
    gnt_digest d;
    crypto_generichash_final(&h->state, d.b, sizeof d.b);
    return d;
}

gnt_digest gnt_digest_bytes(const void *bytes, size_t n) {
    gnt_digest d;
    crypto_generichash(d.b, sizeof d.b, bytes, n, NULL, 0);
    return d;
}

int gnt_digest_file(const char *path, gnt_digest *out, gnt_err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a named pipe must not hold us */
    if (fd < 0)
        return gnt_fail(err, "%s: cannot open: %s", path, strerror(errno));
    struct stat st;
    int rc = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? 0 : gnt_fail(err, "%s: is no regular file", path);
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof out->b);
    uint8_t block[1 << 15];
    ssize_t n = rc == 0;
    while (rc == 0 && n > 0) {
        n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n < 0)
            rc = gnt_fail(err, "%s: cannot read: %s", path, strerror(errno));
        else
            crypto_generichash_update(&state, block, (size_t)n);
    }
    close(fd);
    if (rc == 0)
        crypto_generichash_final(&state, out->b, sizeof out->b);
    return rc;
}

void gnt_digest_hex(const gnt_digest *d, char hex[GNT_HEX_SIZE]) {
    for (size_t i = 0; i < sizeof d->b; i++)
        snprintf(hex + 2 * i, 3, "%02x", d->b[i]);
}
