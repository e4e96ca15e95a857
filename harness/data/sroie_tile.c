/* Tiles of a receipt of SROIE: mask, pixels, and the splice in them. */
#include <string.h>

#include "data/sroie.h"

/* A row needs a key field on one of SHARE of its pixels. */
enum { SHARE = 16 };
/* Limits of what is replaced: a stretch of one line of text, in pixels. */
enum { LEAST_WIDE = 10, MOST_WIDE = 36, LEAST_HIGH = 6, MOST_HIGH = 24, LEAST_LETTERS = 2 };

static sroie_box within(sroie_box b, int left, int top, int side) {
    b.x0 = b.x0 < left ? left : b.x0;
    b.y0 = b.y0 < top ? top : b.y0;
    b.x1 = b.x1 > left + side ? left + side : b.x1;
    b.y1 = b.y1 > top + side ? top + side : b.y1;
    return b;
}

int sroie_mask(const sroie_receipt *r, int side, int column, int row, uint8_t *mask, int *field) {
    int count[SROIE_FIELDS] = {0}, all = 0;
    memset(mask, 0, (size_t)side * (size_t)side);
    for (int i = 0; i < r->n; i++) {
        if (r->box[i].field < 0)
            continue;
        const sroie_box b = within(r->box[i], column * side, row * side, side);
        for (int y = b.y0 - row * side; y < b.y1 - row * side; y++)
            for (int x = b.x0 - column * side; x < b.x1 - column * side; x++) {
                count[b.field] += !mask[y * side + x];
                mask[y * side + x] = 1;
            }
    }
    *field = 0;
    for (int f = 0; f < SROIE_FIELDS; f++) {
        all += count[f];
        *field = count[f] > count[*field] ? f : *field;
    }
    return all * SHARE >= side * side;
}

int sroie_fits(const sroie_receipt *r, const data_bitmap *scan, const char *path, gnt_err *err) {
    for (int i = 0; i < r->n; i++) {
        const double x = r->x + r->box[i].x0 * r->step, y = r->y + r->box[i].y0 * r->step;
        if (x > scan->wide || y > scan->high)
            return gnt_fail(
                err,
                "%s: is %d by %d pixels, but a text begins at %.0f, %.0f; expected a scan that has "
                "all boxes of data/box",
                path, scan->wide, scan->high, x, y);
    }
    return 0;
}

/* ---- pixels ---- */

static int clamped(double x, int most) {
    return (int)draw_clamp(x, 0, most);
}

/* Returns which part of the scan's pixel i lies in [from, to]. */
static double share_of(int i, double from, double to) {
    const double a = i > from ? i : from, b = i + 1 < to ? i + 1 : to;
    return b - a;
}

/* Returns the mean of the scan over one output pixel, 0 to 255; beyond the scan its edge is continued. */
static double sample(const sroie_receipt *r, const data_bitmap *scan, int x, int y) {
    const double left = draw_clamp(r->x + x * r->step, 0, scan->wide - r->step),
                 top = draw_clamp(r->y + y * r->step, 0, scan->high - r->step), right = left + r->step,
                 low = top + r->step;
    double sum = 0, area = 0;
    for (int j = clamped(top, scan->high); j < low && j < scan->high; j++) {
        const double high = share_of(j, top, low);
        for (int i = clamped(left, scan->wide); i < right && i < scan->wide; i++) {
            const double part = high * share_of(i, left, right);
            sum += part * scan->at[(size_t)j * (size_t)scan->wide + (size_t)i];
            area += part;
        }
    }
    return area > 0 ? sum / area : 255;
}

static void draw_pixels(const sroie_receipt *r, const data_bitmap *scan, int side, int column, int row,
                        uint8_t *pixels) {
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            pixels[y * side + x] = draw_byte(sample(r, scan, column * side + x, row * side + y) / 255);
}

/* ---- the splice ---- */

/* True if there is enough of a line of text in this box. */
static int is_text(const sroie_box *b) {
    return b->letters >= LEAST_LETTERS && b->x1 - b->x0 >= LEAST_WIDE && b->y1 - b->y0 >= LEAST_HIGH &&
           b->y1 - b->y0 <= MOST_HIGH;
}

/* Returns the k-th box that counts; −1 if there is none. If k < 0, returns how many there are. */
static int pick_target(const sroie_receipt *r, int side, int left, int top, int key, int k) {
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        const sroie_box b = within(r->box[i], left, top, side);
        if (!is_text(&r->box[i]) || !is_text(&b) || (key && b.field < 0))
            continue;
        if (n++ == k)
            return i;
    }
    return k < 0 ? n : -1;
}

static int pick_source(const sroie_receipt *r, int target, int wide, int k) {
    const sroie_box *t = &r->box[target];
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        const sroie_box *b = &r->box[i];
        const int taller = (b->y1 - b->y0) - (t->y1 - t->y0);
        if (i == target || !is_text(b) || b->x1 - b->x0 < wide ||
            4 * (taller < 0 ? -taller : taller) > t->y1 - t->y0)
            continue;
        if (n++ == k)
            return i;
    }
    return k < 0 ? n : -1;
}

static int below(gnt_stream *s, int n) {
    return (int)gnt_random_below(s, (uint64_t)n);
}

/* How the stretch differs from what is around it: its paper is darker, and one thing of four besides. */
typedef struct look {
    double darker, paler, smear, grain; /* of 255, of ink, of a 3×3 binomial, of 255 */
    int up;
} look;

static look draw_look(gnt_stream *s) {
    const int cue = below(s, 4), up = below(s, 2) ? 1 : -1;
    const double darker = draw_between(s, 10, 30), paler = draw_between(s, 0.65, 0.85),
                 smear = draw_between(s, 0.5, 1), grain = draw_between(s, 3, 9);
    return (look){.darker = darker,
                  .paler = cue == 0 ? paler : 1,
                  .smear = cue == 1 ? smear : 0,
                  .grain = cue == 2 ? grain : 0,
                  .up = cue == 3 ? up : 0};
}

static double smeared(const sroie_receipt *r, const data_bitmap *scan, int x, int y, double amount) {
    static const double weight[3] = {0.25, 0.5, 0.25};
    const double plain = sample(r, scan, x, y);
    double sum = 0;
    if (amount <= 0)
        return plain;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += weight[i] * weight[j] * sample(r, scan, x + i - 1, y + j - 1);
    return draw_mix(plain, sum, amount);
}

/* Puts text from elsewhere in the receipt over a stretch of a line. 0 where nothing fits. */
static int splice(const sroie_receipt *r, const data_bitmap *scan, int side, int left, int top,
                  sroie_tile *tile, gnt_stream *s) {
    int key = draw_chance(s, 0.5);
    key = key && pick_target(r, side, left, top, 1, -1) > 0;
    const int targets = pick_target(r, side, left, top, key, -1);
    if (targets == 0)
        return 0;
    const int target = pick_target(r, side, left, top, key, below(s, targets));
    const sroie_box t = within(r->box[target], left, top, side);
    const int most = t.x1 - t.x0 < MOST_WIDE ? t.x1 - t.x0 : MOST_WIDE;
    const int wide = LEAST_WIDE + below(s, most - LEAST_WIDE + 1),
              x0 = t.x0 + below(s, t.x1 - t.x0 - wide + 1);
    const int sources = pick_source(r, target, wide, -1);
    if (sources == 0)
        return 0;
    const sroie_box *from = &r->box[pick_source(r, target, wide, below(s, sources))];
    const int from_x = from->x0 + below(s, from->x1 - from->x0 - wide + 1),
              from_y = from->y0 + (t.y0 - r->box[target].y0);
    const look l = draw_look(s);
    for (int y = t.y0; y < t.y1; y++)
        for (int x = x0; x < x0 + wide; x++) {
            const int i = (y - top) * side + x - left;
            const double v = smeared(r, scan, from_x + x - x0, from_y + y - t.y0 + l.up, l.smear);
            const double shown = 255 - (255 - v) * l.paler - l.darker + l.grain * draw_bell(s);
            tile->pixels[i] = draw_byte(shown / 255);
            tile->map[i] = 1;
        }
    return 1;
}

void sroie_draw(const sroie_receipt *r, const data_bitmap *scan, int side, int column, int row,
                sroie_tile *tile, gnt_stream *s) {
    memset(tile->map, 0, (size_t)side * (size_t)side);
    draw_pixels(r, scan, side, column, row, tile->pixels);
    tile->tampered = 0;
    for (int n = draw_chance(s, 0.7) ? side / 64 * (side / 64) : 0; n > 0; n--)
        tile->tampered |= splice(r, scan, side, column * side, row * side, tile, s);
}
