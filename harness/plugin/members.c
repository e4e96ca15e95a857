#include "plugin/members.h"

#include <string.h>

/* Returns the bytes of a member, whose alignment is 8 or the same; 0 for an unknown type. */
static uint64_t size_of(int32_t type) {
    switch (type) {
    case GNT_TYPE_BOOL:
    case GNT_TYPE_INT:
    case GNT_TYPE_CHOICE:
        return sizeof(int64_t);
    case GNT_TYPE_REAL:
        return sizeof(double);
    case GNT_TYPE_TEXT:
    case GNT_TYPE_MODEL:
        return sizeof(const char *);
    case GNT_TYPE_INT_LIST:
    case GNT_TYPE_REAL_LIST:
        return sizeof(gnt_list);
    default:
        return 0;
    }
}

static uint64_t alignment_of(int32_t type) {
    return type == GNT_TYPE_TEXT || type == GNT_TYPE_MODEL ? _Alignof(const char *) : _Alignof(int64_t);
}

/* ---- check ---- */

static int check_member(const gnt_descriptor *d, int32_t row, const char *where, gnt_err *err) {
    const gnt_parameter *p = &d->parameters[row];
    const uint64_t size = size_of(p->type), all = d->instance_size, at = p->member - 1;
    if (size == 0)
        return gnt_fail(err, "%s: parameter %s: type %d is unknown to this host", where, p->id, p->type);
    if (p->member == 0)
        return gnt_fail(
            err,
            "%s: parameter %s names no member, but the host fills the struct of instance_size %llu; "
            "use a row macro such as GNT_REAL, or create",
            where, p->id, (unsigned long long)all);
    if (at < sizeof(const gnt_host *))
        return gnt_fail(
            err,
            "%s: parameter %s: its member is at offset %llu, inside the struct's first member, which "
            "is `const gnt_host *host`",
            where, p->id, (unsigned long long)at);
    if (at > all || all - at < size)
        return gnt_fail(
            err, "%s: parameter %s: its member of %llu bytes at offset %llu lies beyond instance_size %llu",
            where, p->id, (unsigned long long)size, (unsigned long long)at, (unsigned long long)all);
    if (at % alignment_of(p->type))
        return gnt_fail(err, "%s: parameter %s: its member at offset %llu is not aligned to %llu bytes",
                        where, p->id, (unsigned long long)at, (unsigned long long)alignment_of(p->type));
    for (int32_t j = 0; j < row; j++) {
        const uint64_t other = d->parameters[j].member - 1;
        if (at < other + size_of(d->parameters[j].type) && other < at + size)
            return gnt_fail(err, "%s: parameters %s and %s share a member, at offset %llu", where,
                            d->parameters[j].id, p->id, (unsigned long long)(at > other ? at : other));
    }
    return 0;
}

int gnt_members_check(const gnt_descriptor *d, const char *where, gnt_err *err) {
    if (d->instance_size == 0) {
        if (!d->create || !d->destroy)
            return gnt_fail(err,
                            "%s: %s is NULL and instance_size is 0; expected create and destroy, or "
                            ".instance_size = GNT_INSTANCE(type)",
                            where, d->create ? "destroy" : "create");
        if (d->start || d->stop)
            return gnt_fail(err, "%s: it has both create and %s; start and stop go with instance_size", where,
                            d->start ? "start" : "stop");
        for (int32_t i = 0; i < d->n_parameters; i++)
            if (d->parameters[i].member)
                return gnt_fail(err, "%s: parameter %s names a member, but instance_size is 0", where,
                                d->parameters[i].id);
        return 0;
    }
    if (d->create || d->destroy)
        return gnt_fail(err, "%s: it has both instance_size and %s; expected one of the two", where,
                        d->create ? "create" : "destroy");
    if (d->instance_size < sizeof(const gnt_host *) || d->instance_size > GNT_PLUGIN_INSTANCE)
        return gnt_fail(err,
                        "%s: instance_size is %llu; expected %zu (its first member is the host) to %d; "
                        "allocate larger memory in start",
                        where, (unsigned long long)d->instance_size, sizeof(const gnt_host *),
                        GNT_PLUGIN_INSTANCE);
    for (int32_t i = 0; i < d->n_parameters; i++)
        if (check_member(d, i, where, err))
            return -1;
    return 0;
}

/* ---- set ---- */

static void set_member(char *at, const gnt_value *v) {
    const gnt_list list = {v->n, v->list};
    switch (v->type) {
    case GNT_TYPE_BOOL:
    case GNT_TYPE_INT:
    case GNT_TYPE_CHOICE:
        memcpy(at, &v->i, sizeof v->i);
        break;
    case GNT_TYPE_REAL:
        memcpy(at, &v->r, sizeof v->r);
        break;
    case GNT_TYPE_TEXT:
    case GNT_TYPE_MODEL:
        memcpy(at, &v->text, sizeof v->text);
        break;
    default:
        memcpy(at, &list, sizeof list);
    }
}

void gnt_members_set(void *self, const gnt_descriptor *d, const gnt_host *host, const gnt_params *params) {
    memcpy(self, &host, sizeof host);
    for (int32_t i = 0; i < params->n; i++)
        set_member((char *)self + d->parameters[i].member - 1, &params->value[i]);
}
