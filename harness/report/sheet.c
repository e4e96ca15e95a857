#include "report/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "nn/safetensors.h"
#include "report/font.h"
#include "report/png.h"
#include "report/view.h"

enum {
    MOST_IMAGES = 8,
    MOST_SIDE = 1024,
    MOST_LINES = 64,
    TILE = 104,
    GAP = 8,
    LEFT = 236,
    CAPTION = 18,
    TOP = 40
};
enum { NAME_SCALE = 2, MOST_FILE = 64 << 20 };

/* The images of one cell. */
typedef struct strip {
    const gnt_outcome *group, *cell;
    gnt_st file;
    const gnt_st_tensor *private_images, *observed, *recovered; /* NULL when absent */
    double psnr[MOST_IMAGES];                                   /* NAN when unknown */
} strip;

/* ---- reading ---- */

/* A name of a file right in images/, so that a run folder cannot point elsewhere. */
static int is_inside(const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+,=";
    const char *file = name + 7;
    return !strncmp(name, "images/", 7) && file[0] != '.' && file[0] != 0 && file[strspn(file, allowed)] == 0;
}

/* [k, C, H, W] bytes with sides that fit a sheet. */
static const gnt_st_tensor *find_images(const gnt_st *st, const char *name) {
    const gnt_st_tensor *t = gnt_st_find(st, name);
    if (!t || t->type != GNT_ST_U8 || t->rank != 4 || t->dim[0] < 1 || (t->dim[1] != 1 && t->dim[1] != 3))
        return NULL;
    return t->dim[2] < 1 || t->dim[3] < 1 || t->dim[2] > MOST_SIDE || t->dim[3] > MOST_SIDE ? NULL : t;
}

static void read_psnr(strip *s) {
    for (size_t i = 0; i < MOST_IMAGES; i++) {
        const json_t *v = json_object_get(json_array_get(s->cell->targets, i), "psnr");
        s->psnr[i] = json_is_number(v) ? json_number_value(v) : NAN;
    }
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
    read_psnr(s);
    failed = 0;
cleanup:
    gnt_free(path);
    return failed;
}

/* The first ok cell of the group (its lowest seed) that kept images. */
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

/* ---- drawing ---- */

typedef struct page {
    gnt_canvas canvas;
    int64_t y;
    int n; /* images a row */
} page;

static int64_t enlarge(const gnt_st_tensor *t) {
    int64_t side = t->dim[2] > t->dim[3] ? t->dim[2] : t->dim[3], scale = TILE / side;
    return scale < 1 ? 1 : scale;
}

static int64_t row_height(const gnt_st_tensor *t) {
    return t->dim[2] * enlarge(t) + CAPTION + GAP;
}

static void draw_image(gnt_canvas *c, const gnt_st_tensor *t, int64_t i, int64_t x, int64_t y) {
    int64_t channels = t->dim[1], height = t->dim[2], width = t->dim[3], plane = height * width,
            scale = enlarge(t);
    const uint8_t *px = (const uint8_t *)t->data + i * channels * plane;
    for (int64_t v = 0; v < height; v++)
        for (int64_t u = 0; u < width; u++) {
            const uint8_t *at = px + v * width + u;
            uint32_t red = at[0], green = channels == 3 ? at[plane] : red,
                     blue = channels == 3 ? at[2 * plane] : red;
            gnt_draw_box(c, x + u * scale, y + v * scale, scale, scale, red << 16 | green << 8 | blue);
        }
}

static void draw_row(page *p, const gnt_st_tensor *t, const char *name, const char *kind,
                     const double *psnr) {
    int64_t scale = enlarge(t), wide = t->dim[3] * scale, pitch = wide > TILE ? wide : TILE;
    int64_t middle = p->y + t->dim[2] * scale / 2;
    gnt_draw_text(&p->canvas, GAP, middle - 18, NAME_SCALE, 0x111111, name, 18);
    gnt_draw_text(&p->canvas, GAP, middle + 4, NAME_SCALE, 0x777777, kind, 18);
    for (int64_t i = 0; i < p->n && i < t->dim[0]; i++) {
        int64_t x = LEFT + i * (pitch + GAP);
        draw_image(&p->canvas, t, i, x, p->y);
        if (!psnr || !isfinite(psnr[i]))
            continue;
        char text[40];
        snprintf(text, sizeof text, "%.1f dB", psnr[i]);
        gnt_draw_text(&p->canvas, x, p->y + t->dim[2] * scale + 3, NAME_SCALE, 0x111111, text, 8);
    }
    p->y += row_height(t);
}

static int same_images(const gnt_st_tensor *a, const gnt_st_tensor *b) {
    return a && b && a->bytes == b->bytes && !memcmp(a->dim, b->dim, sizeof a->dim) &&
           !memcmp(a->data, b->data, a->bytes);
}

/* The rows of a strip; `first` tells whether its private images are new on the page. With a canvas they are
 * drawn, without they are only measured. */
static void rows_of(page *p, const strip *s, int first) {
    const struct {
        const gnt_st_tensor *images;
        const char *name, *kind;
        const double *psnr;
    } rows[] = {{first ? s->private_images : NULL, "private", "", NULL},
                {s->observed, s->cell->defense, "observed", NULL},
                {s->recovered, s->cell->defense, "recovered", s->psnr}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const gnt_st_tensor *t = rows[i].images;
        if (!t)
            continue;
        if (p->canvas.rgb) {
            draw_row(p, t, rows[i].name, rows[i].kind, rows[i].psnr);
            continue;
        }
        int n = t->dim[0] < MOST_IMAGES ? (int)t->dim[0] : MOST_IMAGES;
        int64_t wide = t->dim[3] * enlarge(t), width = LEFT + n * ((wide > TILE ? wide : TILE) + GAP);
        p->n = n > p->n ? n : p->n;
        p->canvas.width = width > p->canvas.width ? width : p->canvas.width;
        p->y += row_height(t);
    }
}

static void all_rows(page *p, const strip *strips, size_t n) {
    p->y = TOP;
    for (size_t i = 0; i < n; i++)
        rows_of(p, &strips[i], i == 0 || !same_images(strips[i].private_images, strips[0].private_images));
}

static int draw(const strip *strips, size_t n, const char *path, gnt_err *err) {
    const gnt_outcome *g = strips[0].group;
    page p = {.canvas = {.width = 700}};
    all_rows(&p, strips, n);
    p.canvas.height = p.y;
    p.canvas.rgb = gnt_array((size_t)p.canvas.width * 3, (size_t)p.canvas.height);
    if (!p.canvas.rgb)
        return gnt_fail(err, "%s: out of memory", path);
    gnt_draw_box(&p.canvas, 0, 0, p.canvas.width, p.canvas.height, 0xffffff);
    char stage[40];
    snprintf(stage, sizeof stage, "round %" PRId64, g->stage);
    gnt_draw_text(&p.canvas, GAP, 12, NAME_SCALE, 0x111111, g->attack, 17);
    gnt_draw_text(&p.canvas, LEFT, 12, NAME_SCALE, 0x777777, g->task, 24);
    gnt_draw_text(&p.canvas, LEFT + 25 * GNT_FONT_ADVANCE * NAME_SCALE, 12, NAME_SCALE, 0x777777, stage, 10);
    all_rows(&p, strips, n);
    int failed = gnt_png_write(path, p.canvas.rgb, p.canvas.width, p.canvas.height, err);
    gnt_free(p.canvas.rgb);
    return failed;
}

int gnt_sheet_make(const gnt_results *r, const char *run, const char *task, int64_t stage, const char *attack,
                   const char *folder, const char *name, int *drawn, gnt_err *err) {
    strip *strips = gnt_array(MOST_LINES, sizeof *strips);
    char *path = gnt_format("%s/%s.png", folder, name);
    size_t n = 0;
    int failed = 0;
    *drawn = 0;
    if (!strips || !path)
        failed = gnt_fail(err, "%s: out of memory", name);
    for (size_t d = 0; d < r->n_defense && n < MOST_LINES && strips && path; d++) {
        const gnt_outcome *g = gnt_representative(r, task, stage, r->defense[d], attack);
        const gnt_outcome *cell = g ? pick_cell(r, g) : NULL;
        if (!cell)
            continue;
        strips[n] = (strip){.group = g, .cell = cell};
        if (load(&strips[n], run, err))
            failed = -1;
        else
            n++;
    }
    if (n > 0 && path) {
        gnt_err wrong;
        *drawn = draw(strips, n, path, &wrong) == 0;
        if (!*drawn)
            failed = gnt_fail(err, "%s", wrong.text);
    }
    for (size_t i = 0; i < n; i++)
        gnt_st_free(&strips[i].file);
    gnt_free(strips);
    gnt_free(path);
    return failed;
}
