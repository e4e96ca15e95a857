/* Roles are dealt from shuffled parts, each row at most once: what makes them disjoint. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "data/source.h"

const char *const gnt_role_names[GNT_ROLES] = {"clients", "targets", "test",
                                               "public",  "shadow",  "defender_shadow"};

/* TARGETS first, so that they stay the same whatever the others take. */
static const int order[GNT_ROLES] = {GNT_ROLE_TARGETS, GNT_ROLE_SHADOW,  GNT_ROLE_DEFENDER_SHADOW,
                                     GNT_ROLE_PUBLIC,  GNT_ROLE_CLIENTS, GNT_ROLE_TEST};

/* The rows of one part that are still free, shuffled; where groups must stay apart, group by group. */
typedef struct deck {
    uint32_t *row;
    int64_t n, next;
} deck;

static int64_t start_of(const gnt_data *d, int part) {
    return part == GNT_PART_TRAIN ? 0 : part == GNT_PART_TEST ? d->part[0] : d->part[0] + d->part[1];
}

static int source_of(const gnt_data *d, int role) {
    if (role == GNT_ROLE_TEST)
        return GNT_PART_TEST;
    return role == GNT_ROLE_PUBLIC && d->part[GNT_PART_PUBLIC] > 0 ? GNT_PART_PUBLIC : GNT_PART_TRAIN;
}

static int64_t usable(const gnt_data *d, const gnt_split_spec *spec, int part) {
    int64_t first = spec->first[part];
    return first > 0 && first < d->part[part] ? first : d->part[part];
}

static int check_spec(const gnt_data *d, const gnt_split_spec *spec, gnt_err *err) {
    int greedy[3] = {-1, -1, -1};
    for (int r = 0; r < GNT_ROLES; r++) {
        if (spec->n[r] < -1)
            return gnt_fail(err, "%s: %lld rows for %s; give a number from 0, or -1 for all that remain",
                            d->name, (long long)spec->n[r], gnt_role_names[r]);
        if (spec->n[r] != -1 || (r == GNT_ROLE_TARGETS && spec->target_rows))
            continue;
        int part = source_of(d, r);
        if (greedy[part] >= 0)
            return gnt_fail(
                err, "%s: %s and %s both want all that remain of the %s part; give one of them a number",
                d->name, gnt_role_names[greedy[part]], gnt_role_names[r], data_part_names[part]);
        greedy[part] = r;
    }
    for (int p = 0; p < 3; p++)
        if (spec->first[p] < 0 || spec->first[p] > d->part[p])
            return gnt_fail(err, "%s: the first %lld rows of the %s part, which has %lld", d->name,
                            (long long)spec->first[p], data_part_names[p], (long long)d->part[p]);
    if (spec->apart && !d->group_name)
        return gnt_fail(err, "%s: roles were to be apart by group, but its rows have none", d->name);
    if (spec->n_balance > 0 && (spec->balance < 0 || spec->balance >= d->n_attrs))
        return gnt_fail(err, "%s: rows were to be balanced by attribute %d, but it has %d", d->name,
                        spec->balance, d->n_attrs);
    if (!spec->target_rows)
        return 0;
    if (spec->target_part < 0 || spec->target_part > 2)
        return gnt_fail(err, "%s: part %d for the targets; expected 0 to 2", d->name, spec->target_part);
    int64_t wish = spec->n[GNT_ROLE_TARGETS];
    if (wish > 0 && wish != spec->n_target_rows)
        return gnt_fail(err, "%s: %lld targets wanted, but %lld rows named for them", d->name,
                        (long long)wish, (long long)spec->n_target_rows);
    return 0;
}

/* Gives the named targets to their role and marks them as taken. */
static int take_named(gnt_split *out, const gnt_data *d, const gnt_split_spec *spec, uint8_t *taken,
                      gnt_err *err) {
    int64_t in_part = d->part[spec->target_part], start = start_of(d, spec->target_part);
    int64_t *rows = gnt_array((size_t)spec->n_target_rows, sizeof *rows);
    if (!rows)
        return gnt_fail(err, "%s: out of memory", d->name);
    out->rows[GNT_ROLE_TARGETS] = rows;
    for (int64_t i = 0; i < spec->n_target_rows; i++) {
        int64_t row = spec->target_rows[i];
        if (row < 0 || row >= in_part)
            return gnt_fail(err, "%s: target row %lld of the %s part, which has rows 0 to %lld", d->name,
                            (long long)row, data_part_names[spec->target_part], (long long)in_part - 1);
        if (taken[start + row])
            return gnt_fail(err, "%s: target row %lld of the %s part is named twice", d->name, (long long)row,
                            data_part_names[spec->target_part]);
        taken[start + row] = 1;
        rows[i] = start + row;
    }
    out->n[GNT_ROLE_TARGETS] = spec->n_target_rows;
    return 0;
}

/* ---- roles apart by group ---- */

/* Takes the groups of the named targets out of all other roles. */
static int take_groups(const gnt_data *d, const gnt_split *named, uint8_t *taken, gnt_err *err) {
    const size_t n = (size_t)named->n[GNT_ROLE_TARGETS];
    uint64_t *group = gnt_array(n, sizeof *group);
    if (!group)
        return gnt_fail(err, "%s: out of memory for the groups of %zu targets", d->name, n);
    for (size_t i = 0; i < n; i++)
        group[i] = (uint32_t)d->group[named->rows[GNT_ROLE_TARGETS][i]];
    gnt_sort_words(group, n);
    for (int64_t row = 0; row < d->rows; row++)
        taken[row] |= gnt_has_word(group, n, (uint32_t)d->group[row]);
    gnt_free(group);
    return 0;
}

/* Brings the rows of a group together, in the order in which they are, and the groups into a drawn order. */
static int gather_groups(deck *k, const gnt_data *d, gnt_stream *s) {
    const size_t n = (size_t)k->n;
    uint64_t *key = gnt_array(n, sizeof *key); /* group or its rank, then the place in the deck */
    uint32_t *rank = gnt_array(n, sizeof *rank), *row = gnt_array(n, sizeof *row);
    const int rc = key && rank && row ? 0 : -1;
    size_t groups = 0;
    if (rc == 0) {
        for (size_t i = 0; i < n; i++) {
            rank[i] = (uint32_t)i;
            row[i] = k->row[i];
            key[i] = (uint64_t)(uint32_t)d->group[row[i]] << 32 | i;
        }
        gnt_sort_words(key, n);
        for (size_t i = 0; i < n; i++)
            groups += i == 0 || key[i] >> 32 != key[i - 1] >> 32;
        gnt_random_shuffle(s, rank, groups);
        size_t of = 0;
        for (size_t i = 0; i < n; i++) {
            const uint64_t next = i + 1 < n ? key[i + 1] >> 32 : key[i] >> 32;
            const int last = next != key[i] >> 32;
            key[i] = (uint64_t)rank[of] << 32 | (key[i] & UINT32_MAX);
            of += (size_t)last;
        }
        gnt_sort_words(key, n);
        for (size_t i = 0; i < n; i++)
            k->row[i] = row[key[i] & UINT32_MAX];
    }
    gnt_free(key);
    gnt_free(rank);
    gnt_free(row);
    return rc;
}

/* Skips the rest of the group of a role's last row: no role gets it. */
static void leave_group(deck *k, const gnt_data *d) {
    while (k->next > 0 && k->next < k->n && d->group[k->row[k->next]] == d->group[k->row[k->next - 1]])
        k->next++;
}

/* ---- values alike often ---- */

static int is_wanted(const gnt_split_spec *spec, int32_t value) {
    for (int64_t i = 0; i < spec->n_balance; i++)
        if (spec->balance_value[i] == value)
            return 1;
    return 0;
}

/* Keeps of each wanted value as many rows as the rarest has, those that come first in the deck. */
static int balance(deck *k, const gnt_data *d, const gnt_split_spec *spec) {
    const int32_t values = d->attr[spec->balance].values;
    int64_t *count = gnt_array(2 * (size_t)values, sizeof *count), *kept = count ? count + values : NULL;
    int64_t n = 0, least = INT64_MAX;
    if (!count)
        return -1;
    for (int64_t i = 0; i < k->n; i++)
        count[d->attrs[(int64_t)k->row[i] * d->n_attrs + spec->balance]]++;
    for (int32_t v = 0; v < values; v++)
        least = is_wanted(spec, v) && count[v] < least ? count[v] : least;
    for (int64_t i = 0; i < k->n; i++) {
        const int32_t v = d->attrs[(int64_t)k->row[i] * d->n_attrs + spec->balance];
        if (is_wanted(spec, v) && kept[v] < least) {
            kept[v]++;
            k->row[n++] = k->row[i];
        }
    }
    k->n = n;
    gnt_free(count);
    return 0;
}

/* ---- dealing ---- */

/* Shuffles the whole part and then leaves out the taken rows: naming targets does not move the other rows. */
static int fill_deck(deck *k, const gnt_data *d, const gnt_split_spec *spec, int part, const uint8_t *taken,
                     const gnt_key *key, gnt_err *err) {
    int64_t n = usable(d, spec, part), start = start_of(d, part);
    char *name = gnt_format("split %s", data_part_names[part]);
    k->row = gnt_array((size_t)n, sizeof *k->row);
    if (!name || !k->row) {
        gnt_free(name);
        return gnt_fail(err, "%s: out of memory for %lld rows", d->name, (long long)n);
    }
    gnt_stream s = gnt_stream_open(key, name);
    gnt_free(name);
    for (int64_t i = 0; i < n; i++)
        k->row[i] = (uint32_t)(start + i);
    gnt_random_shuffle(&s, k->row, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        if (!taken[k->row[i]])
            k->row[k->n++] = k->row[i];
    if (spec->n_balance > 0 && d->attrs && balance(k, d, spec) != 0)
        return gnt_fail(err, "%s: out of memory for the values of an attribute", d->name);
    if (spec->n_balance > 0) /* without this the common values would end long before the rarest */
        gnt_random_shuffle(&s, k->row, (size_t)k->n);
    if (spec->apart && d->group && gather_groups(k, d, &s) != 0)
        return gnt_fail(err, "%s: out of memory for the groups of %lld rows", d->name, (long long)n);
    return 0;
}

static int deal(gnt_split *out, const gnt_data *d, deck *k, int role, int part, int64_t wish, int apart,
                gnt_err *err) {
    int64_t left = k->n - k->next;
    if (wish > left && apart && k->next > 0)
        return gnt_fail(err,
                        "%s: %lld rows wanted for %s, but %lld are left of the %s part (%lld rows) in groups "
                        "(%s) of which no other role has a row",
                        d->name, (long long)wish, gnt_role_names[role], (long long)left,
                        data_part_names[part], (long long)d->part[part], d->group_name);
    if (wish > left)
        return gnt_fail(err, "%s: %lld rows wanted for %s, but %lld are left of the %s part (%lld rows)",
                        d->name, (long long)wish, gnt_role_names[role], (long long)left,
                        data_part_names[part], (long long)d->part[part]);
    int64_t *rows = gnt_array((size_t)wish, sizeof *rows);
    if (!rows)
        return gnt_fail(err, "%s: out of memory for %lld rows", d->name, (long long)wish);
    for (int64_t i = 0; i < wish; i++)
        rows[i] = k->row[k->next + i];
    k->next += wish;
    out->rows[role] = rows;
    out->n[role] = wish;
    return 0;
}

static int deal_all(gnt_split *out, const gnt_data *d, const gnt_split_spec *spec, deck decks[3],
                    gnt_err *err) {
    for (int greedy = 0; greedy < 2; greedy++)
        for (int i = 0; i < GNT_ROLES; i++) {
            int role = order[i], part = source_of(d, role);
            if ((role == GNT_ROLE_TARGETS && spec->target_rows) || (spec->n[role] == -1) != greedy)
                continue;
            int64_t wish = greedy ? decks[part].n - decks[part].next : spec->n[role];
            if (deal(out, d, &decks[part], role, part, wish, spec->apart, err))
                return -1;
            if (spec->apart && d->group && wish > 0)
                leave_group(&decks[part], d);
        }
    return 0;
}

int gnt_split_make(gnt_split *out, const gnt_data *d, const gnt_split_spec *spec, const gnt_key *key,
                   gnt_err *err) {
    deck decks[3];
    memset(decks, 0, sizeof decks);
    memset(out, 0, sizeof *out);
    int rc = -1;
    uint8_t *taken = gnt_array((size_t)d->rows, 1);
    if (!taken) {
        gnt_fail(err, "%s: out of memory for %lld rows", d->name, (long long)d->rows);
        goto cleanup;
    }
    if (check_spec(d, spec, err) || (spec->target_rows && take_named(out, d, spec, taken, err)))
        goto cleanup;
    if (spec->apart && d->group && spec->target_rows && take_groups(d, out, taken, err))
        goto cleanup;
    for (int p = 0; p < 3; p++)
        if (fill_deck(&decks[p], d, spec, p, taken, key, err))
            goto cleanup;
    rc = deal_all(out, d, spec, decks, err);
cleanup:
    for (int p = 0; p < 3; p++)
        gnt_free(decks[p].row);
    gnt_free(taken);
    if (rc != 0)
        gnt_split_free(out);
    return rc;
}

void gnt_split_free(gnt_split *s) {
    for (int r = 0; r < GNT_ROLES; r++)
        gnt_free(s->rows[r]);
    memset(s, 0, sizeof *s);
}
