#include "report/plot/plots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "nn/io/safetensors.h"
#include "render/escape.h"
#include "report/plot/font_impl.h"
#include "judge/measure_text.h"
#include "render/png.h"
#include "judge/group_roles.h"
#include "judge/section.h"

enum { MOST_IMAGES = 8, MOST_SIDE = 1024, MOST_STRIPS = 8, MOST_FILE = 64 << 20 };
enum { TILE = 112, SMALL_TILE = 56, GAP = 8, LEFT = 288, CAPTION = 20, TOP = 44, BETWEEN = 10 };
enum { NAME_SCALE = 2, NAME_MOST = 23, LINE = 20, LETTER = GNT_FONT_ADVANCE * NAME_SCALE };
enum { DARK = 0x111111, GREY = 0x6b6b6b, FAINT = 0xdddddd };

/* The images of one cell. */
typedef struct strip {
    const gnt_outcome *group, *cell;
    gnt_st file;
    const gnt_st_tensor *private_images, *observed, *recovered; /* NULL when absent */
    const int64_t *region; /* of each image top, left, height, width; height 0: none. NULL when absent */
    double psnr[MOST_IMAGES], region_psnr[MOST_IMAGES]; /* NAN when unknown */
    int captured; /* whether there was a defense, and at which strength, is only what the attacker assumes */
} strip;

/* ---- reading ---- */

/* True if it names a file directly in images/, so that a run folder cannot point elsewhere. */
static int is_inside(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+,=";
    const char *file = name + 7;
    return !strncmp(name, "images/", 7) && file[0] != '.' && file[0] != 0 && file[strspn(file, allowed)] == 0;
}

/* Finds a tensor of images, [k, C, H, W] bytes with sides that fit a sheet; NULL if there is none. */
static const gnt_st_tensor *find_images(const gnt_st *st, const char *name) {
    const gnt_st_tensor *t = gnt_st_find(st, name);
    if (!t || t->type != GNT_ST_U8 || t->rank != 4 || t->dim[0] < 1 || (t->dim[1] != 1 && t->dim[1] != 3))
        return NULL;
    return t->dim[2] < 1 || t->dim[3] < 1 || t->dim[2] > MOST_SIDE || t->dim[3] > MOST_SIDE ? NULL : t;
}

/* Finds the boxes of regions, [k, 4], within the images of `like`; NULL if there are none. */
static const int64_t *find_regions(const gnt_st *st, const gnt_st_tensor *like) {
    const gnt_st_tensor *t = gnt_st_find(st, "region");
    if (!t || !like || t->type != GNT_ST_I64 || t->rank != 2 || t->dim[0] != like->dim[0] || t->dim[1] != 4)
        return NULL;
    for (int64_t i = 0; i < t->dim[0]; i++) {
        const int64_t *at = (const int64_t *)t->data + 4 * i;
        if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[3] < 0 || at[0] > like->dim[2] ||
            at[1] > like->dim[3] || at[2] > like->dim[2] - at[0] || at[3] > like->dim[3] - at[1] ||
            (at[2] > 0 && at[3] == 0))
            return NULL;
    }
    return t->data;
}

static void read_psnr(const strip *s, gnt_measure_id id, double psnr[MOST_IMAGES]) {
    const gnt_targets *targets = &s->cell->targets;
    for (size_t i = 0; i < MOST_IMAGES; i++)
        psnr[i] = i < targets->n ? targets->at[i].score[id] : NAN;
}

static int load(strip *s, const char *run, gnt_err *err) {
    struct stat st;
    char *path = NULL;
    int failed = -1;
    gnt_st_init(&s->file);
    if (!is_inside(s->cell->images))
        return gnt_fail(err, "results.json: images \"%.60s\": expected a file in images/", s->cell->images);
    path = gnt_format("%s/%s", run, s->cell->images);
    if (!path)
        return gnt_fail(err, "%s: out of memory", s->cell->images);
    if (lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > MOST_FILE) {
        gnt_fail(err, "%s: expected a plain file of at most 64 MiB", path);
        goto cleanup;
    }
    if (gnt_st_load(&s->file, path, err))
        goto cleanup;
    s->private_images = find_images(&s->file, "private");
    s->observed = find_images(&s->file, "observed");
    s->recovered = find_images(&s->file, "recovered");
    if (!s->private_images && !s->recovered) {
        gnt_fail(err, "%s: expected u8 tensors \"private\" and \"recovered\" of shape [k, 1 or 3, H, W]",
                 path);
        gnt_st_free(&s->file);
        goto cleanup;
    }
    s->region = find_regions(&s->file, s->recovered);
    if (s->private_images && s->recovered &&
        memcmp(s->private_images->dim, s->recovered->dim, sizeof s->recovered->dim))
        s->region = NULL;
    read_psnr(s, GNT_MEASURE_PSNR, s->psnr);
    read_psnr(s, GNT_MEASURE_REGION_PSNR, s->region_psnr);
    failed = 0;
cleanup:
    gnt_free(path);
    return failed;
}

/* Returns the cell of the group with the lowest seed that is ok and kept images; NULL if there is none. */
static const gnt_outcome *pick_cell(const gnt_results *r, const gnt_outcome *g) {
    const gnt_outcome *best = NULL;
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        int same_strength = c->strength == g->strength || isnan(c->strength) || isnan(g->strength);
        if (c->status != GNT_CELL_OK || !c->images[0] || c->mode != g->mode || c->stage != g->stage ||
            !same_strength || strcmp(c->task, g->task) || strcmp(c->defense, g->defense) ||
            strcmp(c->attack, g->attack))
            continue;
        if (!best || c->seed < best->seed)
            best = c;
    }
    return best;
}

/* ---- which rows ---- */

/* Lists the groups of an attack that have images: those in the matrix, then points of sweeps. Returns
 * their number; *n_single of them are of the first kind. */
static size_t find_groups(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                          gnt_point *points, const gnt_outcome **groups, size_t *n_single) {
    size_t n = 0, n_points = gnt_sweep_points(r, task, stage, points, r->n_group);
    for (size_t d = 0; d < r->n_defense; d++) {
        const gnt_outcome *g = gnt_representative(r, task, stage, r->defense[d], attack);
        if (g && pick_cell(r, g))
            groups[n++] = g;
    }
    *n_single = n;
    for (size_t i = 0; i < n_points; i++) {
        const gnt_outcome *g = gnt_sweep_group(r, task, stage, &points[i], attack);
        if (g && pick_cell(r, g))
            groups[n++] = g;
    }
    return n;
}

/* True if the group i is shown: the single ones while there is room, of the sweeps' k evenly spread ones. */
static int is_shown(size_t i, size_t n, size_t n_single) {
    if (n <= MOST_STRIPS || i < n_single)
        return i < MOST_STRIPS || n <= MOST_STRIPS;
    size_t room = n_single < MOST_STRIPS ? MOST_STRIPS - n_single : 0, sweeps = n - n_single,
           at = i - n_single;
    /* point at is the one where the running share of room passes a whole number, the last among them */
    return (at + 1) * room / sweeps > at * room / sweeps;
}

/* ---- drawing ---- */

typedef struct page {
    gnt_canvas canvas;
    int64_t y;
    int n; /* images a row */
} page;

static int64_t enlarge_sides(int64_t height, int64_t width, int64_t tile) {
    int64_t side = height > width ? height : width, scale = side ? tile / side : 1;
    return scale < 1 ? 1 : scale;
}

static int64_t enlarge(const gnt_st_tensor *t, int64_t tile) {
    return enlarge_sides(t->dim[2], t->dim[3], tile);
}

/* Draws image i of t. box: top, left, height and width of the part that is drawn. */
static void draw_image(gnt_canvas *c, const gnt_st_tensor *t, int64_t i, const int64_t box[4], int64_t x,
                       int64_t y, int64_t scale) {
    int64_t channels = t->dim[1], height = t->dim[2], width = t->dim[3], plane = height * width;
    const uint8_t *px = (const uint8_t *)t->data + i * channels * plane;
    for (int64_t v = 0; v < box[2]; v++)
        for (int64_t u = 0; u < box[3]; u++) {
            const uint8_t *at = px + (box[0] + v) * width + box[1] + u;
            uint32_t red = at[0], green = channels == 3 ? at[plane] : red,
                     blue = channels == 3 ? at[2 * plane] : red;
            gnt_draw_box(c, x + u * scale, y + v * scale, scale, scale, red << 16 | green << 8 | blue);
        }
}

/* One row of images and the lines of text on its left: names, then grey ones. */
typedef struct row {
    const gnt_st_tensor *images; /* NULL: no such row */
    const char *name;            /* "" for none */
    const char *grey[3];
    const double *psnr; /* NULL for none */
    int64_t tile;
    const int64_t *region; /* a close-up of these; NULL: whole images */
} row;

static int64_t pitch_of(const gnt_st_tensor *t) {
    int64_t wide = t->dim[3] * enlarge(t, TILE);
    return (wide > TILE ? wide : TILE) + GAP;
}

/* Chooses the part of image i that is drawn, its region if there is one, and its scale. */
static void box_of(const row *w, int64_t i, int64_t box[4], int64_t *scale) {
    const int64_t whole[4] = {0, 0, w->images->dim[2], w->images->dim[3]};
    memcpy(box, w->region ? w->region + 4 * i : whole, sizeof whole);
    *scale = enlarge_sides(box[2], box[3], w->tile);
}

static int64_t height_of(const row *w) {
    int64_t images = 0, box[4], scale;
    for (int64_t i = 0; i < w->images->dim[0] && i < MOST_IMAGES; i++) {
        box_of(w, i, box, &scale);
        images = box[2] * scale > images ? box[2] * scale : images;
    }
    images += w->psnr ? CAPTION : 0;
    int64_t lines = w->name[0] ? LINE : 0;
    for (int i = 0; i < 3; i++)
        lines += w->grey[i] && w->grey[i][0] ? LINE : 0;
    return (images > lines ? images : lines) + GAP;
}

static void draw_row(page *p, const row *w) {
    const gnt_st_tensor *t = w->images;
    int64_t scale, box[4], y = p->y + 2;
    if (w->name[0]) {
        gnt_draw_text(&p->canvas, GAP, y, NAME_SCALE, DARK, w->name, NAME_MOST);
        y += LINE;
    }
    for (int i = 0; i < 3; i++)
        if (w->grey[i] && w->grey[i][0]) {
            gnt_draw_text(&p->canvas, GAP, y, NAME_SCALE, GREY, w->grey[i], NAME_MOST);
            y += LINE;
        }
    for (int64_t i = 0; i < p->n && i < t->dim[0]; i++) {
        int64_t x = LEFT + i * pitch_of(t);
        box_of(w, i, box, &scale);
        draw_image(&p->canvas, t, i, box, x, p->y, scale);
        if (!w->psnr || !isfinite(w->psnr[i]))
            continue;
        char text[40];
        snprintf(text, sizeof text, "%.1f dB", w->psnr[i]);
        gnt_draw_text(&p->canvas, x, p->y + box[2] * scale + 4, NAME_SCALE, DARK, text, 8);
    }
}

/* Draws a row if there is a canvas, else only measures it. */
static void place_row(page *p, const row *w) {
    if (!w->images)
        return;
    if (p->canvas.rgb) {
        draw_row(p, w);
    } else {
        int n = w->images->dim[0] < MOST_IMAGES ? (int)w->images->dim[0] : MOST_IMAGES;
        int64_t width = LEFT + n * pitch_of(w->images);
        p->n = n > p->n ? n : p->n;
        p->canvas.width = width > p->canvas.width ? width : p->canvas.width;
    }
    p->y += height_of(w);
}

static int same_images(const gnt_st_tensor *a, const gnt_st_tensor *b) {
    return a && b && a->bytes == b->bytes && !memcmp(a->dim, b->dim, sizeof a->dim) &&
           !memcmp(a->data, b->data, a->bytes);
}

/* Describes a group as in "matched 0.1074" and "model: accuracy 68.0 %": the utility is the model's, not
 * that of the images. */
static void describe(const gnt_outcome *g, gnt_text *kind, gnt_text *utility) {
    gnt_text_add(kind, "%s", gnt_group_kind_name(gnt_group_kind_of(g)));
    if (isfinite(g->strength))
        gnt_text_add(kind, " %.5g", g->strength);
    if (!isfinite(g->utility.value))
        return;
    gnt_text_add(utility, "model: %.8s ", g->utility.measure[0] ? g->utility.measure : "utility");
    gnt_utility_write(g->utility.measure, g->utility.value, utility);
}

/* Places the rows of a strip; `first`: its private images are new on the page. */
static void rows_of(page *p, const strip *s, int first) {
    gnt_text kind, utility;
    gnt_text_init(&kind, 4096);
    gnt_text_init(&utility, 4096);
    if (!s->captured)
        describe(s->group, &kind, &utility);
    const char *how = gnt_text_get(&kind), *leaves = gnt_text_get(&utility), *name = s->cell->defense;
    place_row(p, &(row){first ? s->private_images : NULL, "private", {NULL}, NULL, TILE, NULL});
    if (s->region)
        place_row(p, &(row){first ? s->private_images : NULL, "", {"its region"}, NULL, TILE, s->region});
    if (p->canvas.rgb)
        gnt_draw_box(&p->canvas, GAP, p->y + BETWEEN / 2 - GAP / 2, p->canvas.width - 2 * GAP, 1, FAINT);
    p->y += BETWEEN;
    place_row(p, &(row){s->observed, name, {how, "observed"}, NULL, SMALL_TILE, NULL});
    if (s->observed)
        place_row(p, &(row){s->recovered, "", {"recovered", leaves}, s->psnr, TILE, NULL});
    else
        place_row(p, &(row){s->recovered, name, {how, "recovered", leaves}, s->psnr, TILE, NULL});
    if (s->region)
        place_row(p, &(row){s->recovered, "", {"its region"}, s->region_psnr, TILE, s->region});
    gnt_text_free(&kind);
    gnt_text_free(&utility);
}

/* Places a text, broken between words at the right edge. */
static void place_text(page *p, const char *text) {
    size_t most = (size_t)((p->canvas.width - 2 * GAP) / LETTER);
    while (*text) {
        size_t n = strlen(text);
        if (n > most)
            for (n = most; n > 1 && text[n] != ' '; n--)
                ;
        if (p->canvas.rgb) {
            char *line = gnt_format("%.*s", (int)n, text);
            gnt_draw_text(&p->canvas, GAP, p->y, NAME_SCALE, GREY, line ? line : "", most);
            gnt_free(line);
        }
        p->y += LINE;
        for (text += n; *text == ' '; text++)
            ;
    }
}

static void all_rows(page *p, const strip *strips, size_t n, const char *left_out) {
    p->y = TOP;
    for (size_t i = 0; i < n; i++)
        rows_of(p, &strips[i], i == 0 || !same_images(strips[i].private_images, strips[0].private_images));
    p->y += GAP;
    int has_utility = 0;
    for (size_t i = 0; i < n; i++)
        has_utility |= isfinite(strips[i].group->utility.value);
    if (has_utility)
        place_text(p, "model: the model's own number, under this defense");
    place_text(p, left_out);
}

static void draw_head(page *p, const gnt_results *r, const gnt_outcome *g) {
    enum { MOST = 24 };
    char words[64];
    gnt_stage_words(r, g->task, g->stage, words, sizeof words);
    char *where = gnt_format("%s, %s", g->task, words);
    size_t width = gnt_text_width(g->attack);
    gnt_draw_text(&p->canvas, GAP, 14, NAME_SCALE, DARK, g->attack, MOST);
    gnt_draw_text(&p->canvas, GAP + LETTER * ((int64_t)(width < MOST ? width : MOST) + 2), 14, NAME_SCALE,
                  GREY, where ? where : "", 40);
    gnt_free(where);
}

static int draw(const gnt_results *r, const strip *strips, size_t n, const char *left_out, const char *path,
                gnt_err *err) {
    page p = {.canvas = {.width = 700}};
    all_rows(&p, strips, n, ""); /* the width first: words break at it */
    all_rows(&p, strips, n, left_out);
    p.canvas.height = p.y + GAP;
    p.canvas.rgb = gnt_array((size_t)p.canvas.width * 3, (size_t)p.canvas.height);
    if (!p.canvas.rgb)
        return gnt_fail(err, "%s: out of memory", path);
    gnt_draw_box(&p.canvas, 0, 0, p.canvas.width, p.canvas.height, 0xffffff);
    draw_head(&p, r, strips[0].group);
    all_rows(&p, strips, n, left_out);
    int failed = gnt_png_write(path, p.canvas.rgb, p.canvas.width, p.canvas.height, err);
    gnt_free(p.canvas.rgb);
    return failed;
}

/* ---- the whole ---- */

typedef struct making {
    const gnt_outcome **group;
    gnt_point *point;
    strip strip[MOST_STRIPS];
    size_t n;
    gnt_text left_out; /* printable ASCII, so that it can be broken anywhere */
} making;

static void name_left_out(making *k, const gnt_outcome *g) {
    gnt_text_add(&k->left_out, k->left_out.size ? ", " : "not shown: ");
    gnt_escape_ascii(&k->left_out, g->defense, 40);
    if (isfinite(g->strength))
        gnt_text_add(&k->left_out, " %.5g", g->strength);
}

static int load_strips(making *k, const gnt_results *r, const char *run, size_t n, size_t n_single,
                       gnt_err *err) {
    int failed = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_shown(i, n, n_single)) {
            name_left_out(k, k->group[i]);
            continue;
        }
        k->strip[k->n] = (strip){.group = k->group[i], .cell = pick_cell(r, k->group[i])};
        k->strip[k->n].captured = gnt_result_is_of_captures(r->file);
        if (load(&k->strip[k->n], run, err))
            failed = -1;
        else
            k->n++;
    }
    return failed;
}

int gnt_sheet_make(const gnt_results *r, const char *run, const char *task, int64_t stage, const char *attack,
                   const char *folder, const char *name, int *drawn, gnt_err *err) {
    making k = {.group = gnt_array(r->n_defense + r->n_group + 1, sizeof *k.group),
                .point = gnt_array(r->n_group + 1, sizeof *k.point)};
    char *path = gnt_format("%s/%s.png", folder, name);
    size_t n_single, n = 0;
    int failed = 0;
    *drawn = 0;
    gnt_text_init(&k.left_out, 1 << 14);
    if (!k.group || !k.point || !path)
        failed = gnt_fail(err, "%s: out of memory", name);
    else
        n = find_groups(r, task, stage, attack, k.point, k.group, &n_single);
    if (n > 0)
        failed = load_strips(&k, r, run, n, n_single, err);
    if (k.n > 0) {
        gnt_err wrong;
        *drawn = draw(r, k.strip, k.n, gnt_text_get(&k.left_out), path, &wrong) == 0;
        if (!*drawn)
            failed = gnt_fail(err, "%s", wrong.text);
    }
    for (size_t i = 0; i < k.n; i++)
        gnt_st_free(&k.strip[i].file);
    gnt_text_free(&k.left_out);
    gnt_free(k.group);
    gnt_free(k.point);
    gnt_free(path);
    return failed;
}
