/* sandbox_landlock: the Landlock layer. The kernel's constants are defined here because older headers lack
 * them, and the calls are made by number because libc does not wrap them. Source: the kernel's
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

/* Returns the rights to files by ABI: 13 in the first, then refer, truncate, (none), ioctl on devices. */
static uint64_t file_rights(int abi) {
    int n = abi >= 5 ? 16 : abi >= 3 ? 15 : abi == 2 ? 14 : 13;
    return (UINT64_C(1) << n) - 1;
}

typedef struct ruleset {
    uint64_t files;
    /* From ABI 4: bind and connect TCP. */
    uint64_t network;
    /* From ABI 6: abstract sockets, signals. */
    uint64_t scoped;
} ruleset;

typedef struct __attribute__((packed)) beneath {
    uint64_t allowed;
    int32_t folder;
} beneath;

static int allow(int rules, const char *path, gnt_err *err) {
    beneath rule = {.allowed = ACCESS_READ_FILE, .folder = open(path, O_PATH | O_CLOEXEC)};
    if (rule.folder < 0)
        return gnt_fail(err, "%s: cannot be made readable in a sandbox: %s", path, strerror(errno));
    long rc = syscall(ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0u);
    int why = errno;
    close(rule.folder);
    return rc == 0 ? 0 : gnt_fail(err, "%s: Landlock refuses a rule: %s", path, strerror(why));
}

gnt_layer_outcome gnt_sandbox_enter_landlock(const gnt_readable *readable, int most, int *abi, gnt_err *err) {
    long known = syscall(CREATE, NULL, (size_t)0, VERSION_FLAG);
    if (known < 1)
        return GNT_LAYER_MISSING;
    *abi = most > 0 && known > most ? most : (int)known;
    ruleset attributes = {.files = file_rights(*abi)};
    size_t size = sizeof attributes.files;
    if (*abi >= 4) {
        attributes.network = 3;
        size += sizeof attributes.network;
    }
    if (*abi >= 6) {
        attributes.scoped = 3;
        size += sizeof attributes.scoped;
    }
    int rules = (int)syscall(CREATE, &attributes, size, 0u);
    if (rules < 0)
        return gnt_fail(err, "Landlock (ABI %d) refuses a ruleset: %s", *abi, strerror(errno));
    int rc = 0;
    for (size_t i = 0; i < readable->n && rc == 0; i++)
        rc = allow(rules, readable->paths[i], err);
    if (rc == 0 && syscall(RESTRICT_SELF, rules, 0u) != 0)
        rc = gnt_fail(err, "Landlock (ABI %d) cannot be entered: %s", *abi, strerror(errno));
    close(rules);
    return rc == 0 ? GNT_LAYER_ENTERED : GNT_LAYER_FAILED;
}
