#include "region/known_region.h"

#include <math.h>

#include "cost/update_match.h"
#include "hook.h"

static const float grey = 0.5f;

/* Returns the mean of one entry over public images of this shape; grey without any. */
static float mean_entry(const gnt_samples *s, int64_t entry, int64_t features) {
    double sum = 0;
    if (!s || s->n < 1 || s->features != features)
        return grey;
    for (int64_t i = 0; i < s->n; i++)
        sum += (double)s->x[i * features + entry];
    return (float)(sum / (double)s->n);
}

gnt_status known_region_open(known_region *r, const gnt_host *host, const gnt_observation *seen) {
    const gnt_model_info *info = host->model->info;
    const gnt_samples *outside = seen->outside;
    const int64_t features = hook_features(info);
    if (info->rank != 3)
        return unsupported(host, "it needs images: a region of other samples has no place");
    const int64_t plane = info->dim[1] * info->dim[2];
    if (outside && (outside->n != seen->n || outside->features != features || !outside->x))
        return unsupported(host, "what is known outside the region has another shape than the model's input");
    const size_t size = (size_t)(seen->n * features);
    uint8_t *known = gnt_host_scratch(host, size, 1);
    float *mean = gnt_host_scratch(host, features, sizeof *mean);
    *r = (known_region){.known = known, .image = gnt_host_scratch(host, size, sizeof *r->image)};
    TRY(hook_memory(host, known && mean && r->image));
    for (int64_t i = 0; i < features; i++)
        mean[i] = mean_entry(seen->public_data, i, features);
    for (int64_t i = 0; i < seen->n * features; i++) {
        const int64_t pixel = i / features * plane + i % features % plane;
        known[i] = outside && outside->mask && !outside->mask[pixel];
        r->image[i] = known[i] ? outside->x[i] : mean[i % features];
        r->sought += !known[i];
    }
    return GNT_OK;
}

int region_box_of(const uint8_t *mask, int64_t height, int64_t width, region_box *box) {
    *box = mask ? (region_box){height, width, 0, 0} : (region_box){0, 0, height, width};
    for (int64_t y = 0; mask && y < height; y++)
        for (int64_t x = 0; x < width; x++)
            if (mask[y * width + x]) {
                box->top = y < box->top ? y : box->top;
                box->left = x < box->left ? x : box->left;
                box->bottom = y + 1;
                box->right = x + 1 > box->right ? x + 1 : box->right;
            }
    return box->bottom > box->top && box->right > box->left;
}

/* Where a place of one side of a box lies on that of another, between `low` and the next pixel. */
typedef struct between {
    int64_t low, high;
    float share; /* of the higher one */
} between;

static between place(int64_t at, int64_t to_from, int64_t to_end, int64_t from, int64_t end) {
    const double scale = (double)(end - from) / (double)(to_end - to_from);
    double v = (double)from + ((double)(at - to_from) + 0.5) * scale - 0.5;
    v = fmin(fmax(v, (double)from), (double)(end - 1));
    const int64_t low = (int64_t)floor(v);
    return (between){low, low + 1 < end ? low + 1 : low, (float)(v - (double)low)};
}

static float mixed(float a, float b, float share) {
    return share > 0 ? a + share * (b - a) : a;
}

void region_paste(float *to, const uint8_t *to_mask, const float *from, const uint8_t *from_mask,
                  int64_t channels, int64_t height, int64_t width) {
    region_box t, f;
    if (!region_box_of(to_mask, height, width, &t) || !region_box_of(from_mask, height, width, &f))
        return;
    for (int64_t c = 0; c < channels; c++, to += height * width, from += height * width)
        for (int64_t y = t.top; y < t.bottom; y++)
            for (int64_t x = t.left; x < t.right; x++) {
                const between v = place(y, t.top, t.bottom, f.top, f.bottom),
                              u = place(x, t.left, t.right, f.left, f.right);
                const float *above = from + v.low * width, *below = from + v.high * width;
                if (!to_mask || to_mask[y * width + x])
                    to[y * width + x] = mixed(mixed(above[u.low], above[u.high], u.share),
                                              mixed(below[u.low], below[u.high], u.share), v.share);
            }
}
