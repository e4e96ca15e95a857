/* sandbox_landlock: the Landlock wall. The kernel's numbers stand here because headers older than the kernel
 * lack them, and the calls are made by number because libc wraps none. Source: the kernel's
 * Documentation/userspace-api/landlock.rst. */
#include "process/sandbox_layers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE = 444, ADD_RULE = 445, RESTRICT_SELF = 446, VERSION_FLAG = 1, RULE_PATH_BENEATH = 1 };

#define ACCESS_READ_FILE (UINT64_C(1) << 2)

/* Rights over files that each ABI knows: 13 at first, then refer, truncate, (none), ioctl on devices. */
static uint64_t file_rights(int abi) {
    int n = abi >= 5 ? 16 : abi >= 3 ? 15 : abi == 2 ? 14 : 13;
    return (UINT64_C(1) << n) - 1;
}

typedef struct ruleset {
    uint64_t files;
    uint64_t network; /* from ABI 4: bind and connect TCP */
    uint64_t scoped;  /* from ABI 6: abstract sockets, signals */
} ruleset;

typedef struct __attribute__((packed)) beneath {
    uint64_t allowed;
    int32_t folder;
} beneath;

static int allow(int rules, const char *path, gnt_err *err) {
    beneath rule = {.allowed = ACCESS_READ_FILE, .folder = open(path, O_PATH | O_CLOEXEC)};
    if (rule.folder < 0)
        return gnt_fail(err, "%s: cannot be kept readable for a sandbox: %s", path, strerror(errno));
    long rc = syscall(ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0u);
    int why = errno;
    close(rule.folder);
    return rc == 0 ? 0 : gnt_fail(err, "%s: Landlock refuses a rule: %s", path, strerror(why));
}

int gnt_wall_landlock(const gnt_readable *readable, int most, int *abi, gnt_err *err) {
    long known = syscall(CREATE, NULL, (size_t)0, VERSION_FLAG);
    if (known < 1)
        return 1;
    *abi = most > 0 && known > most ? most : (int)known;
    ruleset wish = {.files = file_rights(*abi)};
    size_t size = sizeof wish.files;
    if (*abi >= 4) {
        wish.network = 3;
        size += sizeof wish.network;
    }
    if (*abi >= 6) {
        wish.scoped = 3;
        size += sizeof wish.scoped;
    }
    int rules = (int)syscall(CREATE, &wish, size, 0u);
    if (rules < 0)
        return gnt_fail(err, "Landlock (ABI %d) refuses a ruleset: %s", *abi, strerror(errno));
    int rc = 0;
    for (size_t i = 0; i < readable->n && rc == 0; i++)
        rc = allow(rules, readable->paths[i], err);
    if (rc == 0 && syscall(RESTRICT_SELF, rules, 0u) != 0)
        rc = gnt_fail(err, "Landlock (ABI %d) cannot be entered: %s", *abi, strerror(errno));
    close(rules);
    return rc;
}
