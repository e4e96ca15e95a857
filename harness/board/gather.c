/* Runs to contests. A contest is one task at one stage, or at all stages that the host drew, in all runs that
 * request the same there: the task's digest is the same, or that of the whole suite, and updates were
 * observed in the same way. Invariant: a number that counts is of the last run in which its contributor put
 * that defense, settings and version unchanged, under that attack. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "board/board_impl.h"
#include "plugin/abi_words.h"

enum { MOST_SETTINGS = 16 << 20 };

/* ---- settings ---- */

/* Adds the struct as canonical JSON. */
static void add_canonical(gnt_text *out, const gnt_fields *fields, const void *of) {
    json_t *json = gnt_fields_encode(fields, of, GNT_FIELDS_ALL);
    char *text = json ? gnt_json_canonical(json) : NULL;
    out->failed |= !text;
    if (text)
        gnt_text_bytes(out, text, strlen(text));
    gnt_free(text);
    json_decref(json);
}

/* Adds the models that the parameters of a member name, as the suite describes them: the same name may mean
 * another network elsewhere. How well a model was trained is no setting. */
static void add_models(gnt_text *out, const gnt_results *r, const char *params) {
    const gnt_result_models *models = &r->file->models;
    json_t *all = params ? json_loads(params, 0, NULL) : NULL, *value;
    const char *name;
    json_object_foreach(all, name, value) {
        for (size_t i = 0; json_is_string(value) && i < models->n; i++) {
            const gnt_result_model *m = &models->at[i];
            if (strcmp(m->id, json_string_value(value)) != 0)
                continue;
            gnt_result_model setting;
            gnt_fields_clear(&gnt_model_fields, &setting);
            setting.id = m->id;
            setting.model = m->model;
            setting.data = m->data;
            setting.samples = m->samples;
            setting.epochs = m->epochs;
            add_canonical(out, &gnt_model_fields, &setting);
            break;
        }
    }
    json_decref(all);
}

/* Returns the text of an entry, whose `members` these are, without their flags, hooks and families: these
 * are no settings, and runs made before they were recorded lack them. Changes *members. */
static char *settings_of(const gnt_results *r, const gnt_fields *fields, const void *entry,
                         gnt_result_members *members) {
    const gnt_result_members listed = *members;
    gnt_result_member *own = gnt_array(listed.n + 1, sizeof *own);
    gnt_text out;
    gnt_text_init(&out, MOST_SETTINGS);
    out.failed |= !own;
    for (size_t i = 0; own && i < listed.n; i++) {
        own[i] = listed.at[i];
        own[i].flags = own[i].hooks = own[i].families = (gnt_texts){0};
    }
    if (own) {
        members->at = own;
        add_canonical(&out, fields, entry);
    }
    for (size_t i = 0; own && i < listed.n; i++) {
        gnt_text_add(&out, "\n");
        add_models(&out, r, own[i].params);
    }
    char *text = out.failed ? NULL : gnt_strdup(gnt_text_get(&out));
    gnt_text_free(&out);
    gnt_free(own);
    return text;
}

char *board_defense_settings(const board_run *run, const char *label) {
    const gnt_result_defense *of = gnt_defense_of(&run->results, label);
    if (!of)
        return gnt_strdup("");
    gnt_result_defense copy = *of;
    char *settings = settings_of(&run->results, &gnt_defense_fields, &copy, &copy.members);
    gnt_text out;
    gnt_text_init(&out, MOST_SETTINGS);
    out.failed |= !settings;
    if (settings)
        gnt_text_bytes(&out, settings, strlen(settings));
    for (size_t i = 0; i < of->members.n; i++)
        gnt_text_add(&out, "\n%s", board_plugin_digest(run, &of->members.at[i]));
    gnt_free(settings);
    char *text = out.failed ? NULL : gnt_strdup(gnt_text_get(&out));
    gnt_text_free(&out);
    return text;
}

static char *attack_settings(const gnt_results *r, const char *label) {
    const gnt_result_attack *of = gnt_attack_of(r, label);
    if (!of)
        return gnt_strdup("");
    gnt_result_attack copy = *of;
    return settings_of(r, &gnt_attack_fields, &copy, &copy.members);
}

/* Returns the bits of those texts that are among the words. */
static uint32_t bits_of(const gnt_words *words, const gnt_texts *texts) {
    uint32_t bits = 0, bit;
    for (size_t i = 0; i < texts->n; i++)
        if (gnt_word_bit(words, texts->at[i], &bit) == 0)
            bits |= bit;
    return bits;
}

static uint32_t flags_of(const gnt_results *r, const char *label) {
    const gnt_result_defense *of = gnt_defense_of(r, label);
    uint32_t flags = 0;
    for (size_t i = 0; of && i < of->members.n; i++)
        flags |= bits_of(&gnt_flag_words, &of->members.at[i].flags);
    return flags;
}

/* Returns what an attack was granted in a task, over all its cells. */
static uint32_t grants_of(const gnt_results *r, const char *task, int64_t stage, const char *attack) {
    uint32_t grants = 0;
    for (size_t i = 0; i < r->n_cell; i++)
        if (gnt_is_at(&r->cell[i], task, stage) && !strcmp(r->cell[i].attack, attack))
            grants |= bits_of(&gnt_knowledge_words, &r->cell[i].grants);
    return grants;
}

/* ---- which runs meet ---- */

static const char *digest_of(const gnt_results *r, const char *task) {
    const gnt_result_task *of = gnt_task_of(r, task);
    return of ? of->digest : "";
}

/* True if two runs request the same of a task. A digest that could not be recomputed may be any other's. */
static int requests_the_same(const board_run *first, const board_run *second, const char *task) {
    const gnt_results *a = &first->results, *b = &second->results;
    const char *one = digest_of(a, task), *other = digest_of(b, task);
    if (*one && *other && board_is_proven(first, task) && board_is_proven(second, task))
        return !strcmp(one, other);
    if (*one && *other && strcmp(one, other) != 0)
        return 0;
    one = a->file->suite_digest;
    return *one && board_suite_is_proven(first) && board_suite_is_proven(second) &&
           !strcmp(one, b->file->suite_digest);
}

static int observe_alike(const gnt_results *a, const gnt_results *b, const char *task) {
    const gnt_task_facts *one = gnt_facts_of(a, task), *other = gnt_facts_of(b, task);
    return one->in_round == other->in_round && one->drawn == other->drawn;
}

static board_contest *add_contest(board *b, const char *task, int64_t stage) {
    if (GNT_GROW(b->contest, b->n_contest) != 0)
        return NULL;
    board_contest *c = &b->contest[b->n_contest];
    *c = (board_contest){.task = task, .stage = stage, .like = b->n_contest};
    c->run = gnt_array(b->n_run, sizeof *c->run);
    if (!c->run)
        return NULL;
    b->n_contest++;
    return c;
}

static int join_contest(board *b, size_t run, const char *task, int64_t stage) {
    size_t like = b->n_contest;
    for (size_t i = 0; i < b->n_contest; i++) {
        board_contest *c = &b->contest[i];
        const gnt_results *first = &b->run[c->run[0]].results, *r = &b->run[run].results;
        const int same_place = c->stage == stage || c->stage == GNT_EVERY_STAGE || stage == GNT_EVERY_STAGE;
        if (!same_place || strcmp(c->task, task) != 0)
            continue;
        if (c->stage == stage && requests_the_same(&b->run[c->run[0]], &b->run[run], task) &&
            observe_alike(first, r, task)) {
            c->run[c->n_run++] = run;
            return 0;
        }
        like = like < i ? like : i;
    }
    board_contest *c = add_contest(b, task, stage);
    if (!c)
        return -1;
    c->like = like;
    c->in_round = gnt_facts_of(&b->run[run].results, task)->in_round;
    c->is_arena = gnt_is_arena(&b->run[run].results, task);
    c->run[c->n_run++] = run;
    return 0;
}

size_t board_stages(const board_contest *c, const gnt_results *r, int64_t stages[GNT_MOST_STAGES]) {
    if (c->stage == GNT_EVERY_STAGE)
        return gnt_stages(r, c->task, stages);
    stages[0] = c->stage;
    return 1;
}

/* ---- the numbers of a contest ---- */

static int find_attack(const board *b, board_contest *c, size_t run, const char *label, size_t *out) {
    char *settings = attack_settings(&b->run[run].results, label);
    if (!settings)
        return -1;
    const uint32_t grants = grants_of(&b->run[run].results, c->task, c->stage, label);
    for (*out = 0; *out < c->n_attack; ++*out) {
        const board_attack *a = &c->attack[*out];
        if (a->grants == grants && !strcmp(a->label, label) && !strcmp(a->settings, settings)) {
            gnt_free(settings);
            return 0;
        }
    }
    if (GNT_GROW(c->attack, c->n_attack) != 0) {
        gnt_free(settings);
        return -1;
    }
    c->attack[c->n_attack++] =
        (board_attack){.label = label,
                       .settings = settings,
                       .first = run,
                       .grants = grants,
                       .on_influence = gnt_result_influence_of(b->run[run].results.file, label) != NULL};
    return 0;
}

static int find_row(const board *b, board_contest *c, size_t run, const char *label, size_t *out) {
    char *settings = board_defense_settings(&b->run[run], label);
    if (!settings)
        return -1;
    for (*out = 0; *out < c->n_row; ++*out)
        if (!strcmp(c->row[*out].label, label) && !strcmp(c->row[*out].settings, settings)) {
            gnt_free(settings);
            c->row[*out].flags |= flags_of(&b->run[run].results, label);
            c->row[*out].aggregates |= gnt_result_aggregates(b->run[run].results.file, label);
            c->row[*out].in_run[run] = 1;
            c->row[*out].guest &= !board_is_same_contributor(b, c->run[0], run);
            return 0;
        }
    uint8_t *in_run = gnt_array(b->n_run, 1);
    if (GNT_GROW(c->row, c->n_row) != 0 || !in_run) {
        gnt_free(settings);
        gnt_free(in_run);
        return -1;
    }
    in_run[run] = 1;
    c->row[c->n_row++] = (board_row){.label = label,
                                     .settings = settings,
                                     .first = run,
                                     .flags = flags_of(&b->run[run].results, label),
                                     .aggregates = gnt_result_aggregates(b->run[run].results.file, label),
                                     .in_run = in_run,
                                     .guest = !board_is_same_contributor(b, c->run[0], run)};
    return 0;
}

/* True if a run has a cell of a defense under an attack at each of its stages, none of them unfinished. */
static int ran_again(const board_contest *c, const gnt_results *r, const char *defense, const char *attack) {
    int64_t stages[GNT_MOST_STAGES];
    const size_t n = board_stages(c, r, stages);
    for (size_t i = 0; i < n; i++) {
        const gnt_outcome *g = gnt_representative(r, c->task, stages[i], defense, attack);
        if (!g || g->status == GNT_CELL_UNFINISHED)
            return 0;
    }
    return n > 0;
}

/* True if a later run of the same contributor has put the defense with other settings or another version, or
 * has measured this number again. */
static int is_superseded(const board *b, const board_contest *c, size_t at, const char *defense,
                         const char *attack, int *failed) {
    const board_run *mine = &b->run[c->run[at]];
    for (size_t k = at + 1; k < c->n_run; k++) {
        const board_run *later = &b->run[c->run[k]];
        if (!board_is_same_contributor(b, c->run[k], c->run[at]) ||
            !gnt_representative(&later->results, c->task, c->stage, defense, NULL))
            continue;
        char *was = board_defense_settings(mine, defense), *is = board_defense_settings(later, defense);
        char *old = attack_settings(&mine->results, attack), *new = attack_settings(&later->results, attack);
        *failed |= !was || !is || !old || !new;
        const int over = !*failed && (strcmp(was, is) != 0 ||
                                      (ran_again(c, &later->results, defense, attack) && !strcmp(old, new)));
        gnt_free(was);
        gnt_free(is);
        gnt_free(old);
        gnt_free(new);
        if (over || *failed)
            return 1;
    }
    return 0;
}

static int add_number(board_contest *c, const board_number *n) {
    if (GNT_GROW(c->number, c->n_number) != 0)
        return -1;
    c->number[c->n_number++] = *n;
    return 0;
}

/* Adds the numbers of a defense under an attack, one for each stage. */
static int add_numbers(board_contest *c, const gnt_results *r, board_number n, const char *defense,
                       const char *attack) {
    int64_t stages[GNT_MOST_STAGES];
    n.of_stages = board_stages(c, r, stages);
    for (size_t i = 0; i < n.of_stages; i++) {
        n.group = gnt_representative(r, c->task, stages[i], defense, attack);
        if (n.group && add_number(c, &n))
            return -1;
    }
    return 0;
}

static int gather_run(const board *b, board_contest *c, size_t at) {
    const size_t run = c->run[at], unknown = SIZE_MAX;
    const gnt_results *r = &b->run[run].results;
    const gnt_task_facts *own = gnt_facts_of(r, c->task);
    size_t *attack = gnt_array(r->n_attack + 1, sizeof *attack);
    int failed = !attack;
    for (size_t a = 0; attack && a < r->n_attack; a++)
        attack[a] = unknown;
    for (size_t d = 0; d < r->n_defense; d++) {
        const char *defense = r->defense[d];
        if (!board_is_chosen(b, r, defense))
            continue;
        board_number n = {.run = run,
                          .results = r,
                          .against_public =
                              gnt_beats_public(r, own->n_only ? own : c->facts, c->task, defense)};
        for (size_t a = 0; !failed && a < r->n_attack; a++) {
            if (!gnt_representative(r, c->task, c->stage, defense, r->attack[a]) ||
                is_superseded(b, c, at, defense, r->attack[a], &failed) || failed)
                continue;
            if (attack[a] == unknown)
                failed = find_attack(b, c, run, r->attack[a], &attack[a]);
            n.attack = attack[a];
            failed =
                failed || find_row(b, c, run, defense, &n.row) || add_numbers(c, r, n, defense, r->attack[a]);
        }
    }
    gnt_free(attack);
    return failed ? -1 : 0;
}

/* Finds the marked rows. A mark stays with a defense, its settings and version, whatever a later run of it
 * shows. */
static int find_marks(const board *b, board_contest *c) {
    for (size_t k = 0; k < c->n_run; k++) {
        const gnt_results *r = &b->run[c->run[k]].results;
        for (size_t i = 0; i < c->n_row; i++) {
            board_row *row = &c->row[i];
            const gnt_outcome *marked =
                row->marked ? NULL : gnt_marked_cell(r, c->task, c->stage, row->label);
            char *settings = marked ? board_defense_settings(&b->run[c->run[k]], row->label) : NULL;
            if (marked && !settings)
                return -1;
            if (marked && !strcmp(settings, row->settings))
                row->marked = marked;
            gnt_free(settings);
        }
    }
    return 0;
}

/* ---- threat models ---- */

int board_same_reach(const board_contest *c, uint32_t one, uint32_t other) {
    for (size_t a = 0; a < c->n_attack; a++)
        if (!(c->attack[a].grants & ~one) != !(c->attack[a].grants & ~other))
            return 0;
    return 1;
}

static int comes_before(uint32_t a, uint32_t b) {
    const int x = __builtin_popcount(a), y = __builtin_popcount(b);
    return x != y ? x < y : a < b;
}

/* Adds what the attacks of a contest were granted, each set once, the smallest first. */
static int add_threats(board *b, const board_contest *c) {
    uint32_t *grown = gnt_resize(b->threat, b->n_threat + c->n_attack + 1, sizeof *grown);
    if (!grown)
        return -1;
    b->threat = grown;
    for (size_t a = 0; a < c->n_attack; a++) {
        const uint32_t t = c->attack[a].grants;
        size_t at = b->n_threat;
        int known = 0;
        for (size_t k = 0; k < b->n_threat; k++)
            known |= b->threat[k] == t;
        if (known)
            continue;
        for (; at > 0 && comes_before(t, b->threat[at - 1]); at--)
            b->threat[at] = b->threat[at - 1];
        b->threat[at] = t;
        b->n_threat++;
    }
    return 0;
}

/* Lists the threat models of a contest, which differ in which of its attacks they can run: the first can run
 * all, and those that can run none are left out. */
static int find_threats(const board *b, board_contest *c) {
    c->threat = gnt_array(b->n_threat + 1, sizeof *c->threat);
    if (!c->threat)
        return -1;
    for (size_t a = 0; a < c->n_attack; a++)
        c->threat[0] |= c->attack[a].grants;
    c->n_threat = 1;
    for (size_t i = 0; i < b->n_threat; i++) {
        int known = 1;
        for (size_t a = 0; a < c->n_attack; a++)
            known &= (c->attack[a].grants & ~b->threat[i]) != 0;
        for (size_t k = 0; k < c->n_threat; k++)
            known |= board_same_reach(c, c->threat[k], b->threat[i]);
        if (!known)
            c->threat[c->n_threat++] = b->threat[i];
    }
    return 0;
}

static int gather_contest(board *b, board_contest *c) {
    c->facts = gnt_facts_of(&b->run[c->run[0]].results, c->task);
    for (size_t at = 1; at < c->n_run && c->facts->n_only == 0; at++)
        c->facts = gnt_facts_of(&b->run[c->run[at]].results, c->task);
    for (size_t at = 0; at < c->n_run; at++) {
        if (gather_run(b, c, at))
            return -1;
        if (!c->lead)
            c->lead = gnt_section_lead(&b->run[c->run[at]].results, c->task, c->stage);
    }
    board_mark_mandatory(b, c);
    return find_marks(b, c);
}

int board_gather(board *b, gnt_err *err) {
    int64_t stages[GNT_MOST_STAGES];
    int failed = 0;
    for (size_t run = 0; run < b->n_run; run++) {
        const gnt_results *r = &b->run[run].results;
        for (size_t t = 0; t < r->n_task; t++) {
            const size_t n = gnt_judged_stages(r, r->task[t], stages);
            for (size_t s = 0; !failed && s < n; s++)
                failed = join_contest(b, run, r->task[t], stages[s]);
        }
    }
    for (size_t i = 0; !failed && i < b->n_contest; i++) {
        if (b->contest[i].like >= b->n_contest)
            b->contest[i].like = i;
        failed = gather_contest(b, &b->contest[i]) || add_threats(b, &b->contest[i]);
    }
    for (size_t i = 0; !failed && i < b->n_contest; i++)
        failed = find_threats(b, &b->contest[i]);
    return failed ? gnt_fail(err, "leaderboard: out of memory") : 0;
}

void board_contest_free(board_contest *c) {
    for (size_t i = 0; i < c->n_attack; i++)
        gnt_free(c->attack[i].settings);
    for (size_t i = 0; i < c->n_row; i++) {
        gnt_free(c->row[i].settings);
        gnt_free(c->row[i].in_run);
    }
    gnt_free(c->run);
    gnt_free(c->attack);
    gnt_free(c->row);
    gnt_free(c->number);
    gnt_free(c->threat);
}
