/* Converts planes to RGB rows of the image's own size. */
#include <string.h>

#include "planes_engine.h"

static size_t row_bytes(size_t samples)
{
    return spool_round_up(samples, SPOOL_ALIGN);
}

static int32_t chroma_width(const spool_planes_plan *p)
{
    return (p->width + p->h - 1) / p->h;
}

/*
 * If chroma is halved, extends the wanted range [*first, *last) of n rows or columns by chroma's neighbors. An even row
 * or column interpolates its chroma sample with the previous sample, and an odd row or column with the next.
 */
static void widen(int32_t *first, int32_t *last, int32_t n)
{
    *first = *first > 0 ? (*first - 1) & ~1 : 0;
    *last = (*last + 2) & ~1;
    if (*last > n)
        *last = n;
}

/* Converts the wanted columns of one row to RGB, from luma, the chroma row that it belongs to, and the adjacent one. */
static void convert_row(spool_upsampler *s, const uint8_t *luma, const uint8_t *const near[2],
                        const uint8_t *const far[2], uint8_t *rgb)
{
    const int32_t left = s->left, width = s->right - left, chroma = left / s->plan.h;
    const uint8_t *wide[2] = {near[0] + chroma, near[1] + chroma};

    for (int i = 0; i < 2 && s->plan.h == 2; i++) {
        s->kernels->upsample(near[i] + chroma, far[i] + chroma, (size_t)(width + 1) / 2, s->wide[i]);
        wide[i] = s->wide[i];
    }
    s->convert(luma + left, wide[0], wide[1], (size_t)width, &s->plan.color, rgb + (size_t)left * 3);
}

/* If chroma is halved, a row also interpolates with the adjacent row of chroma: the one above for even rows. */
typedef struct {
    const uint8_t *luma, *near[2], *far[2];
} source_row;

/* Row i of the band, or the row before it for i = -1. */
static source_row row_of(const spool_upsampler *s, const spool_band *band, int32_t i)
{
    const uint8_t *const plane[2] = {band->u, band->v};
    source_row row;

    row.luma = i < 0 ? s->luma : band->y + i * band->y_stride;
    for (int k = 0; k < 2; k++) {
        row.near[k] = i < 0 ? s->chroma[k] : plane[k] + i / s->plan.v * band->uv_stride;
        if (s->plan.v == 1)
            row.far[k] = row.near[k];
        else if (i < 0)
            row.far[k] = plane[k];
        else if (i % 2)
            row.far[k] = i + 1 < band->rows ? row.near[k] + band->uv_stride : row.near[k];
        else
            row.far[k] = i > 0 ? row.near[k] - band->uv_stride : s->row > 0 ? s->chroma[k] : row.near[k];
    }
    return row;
}

/* Saves the rows of this band that the next one needs. */
static void keep(spool_upsampler *s, const spool_band *band)
{
    const int32_t last = band->rows - 1;
    memcpy(s->luma, band->y + last * band->y_stride, (size_t)s->plan.width);
    memcpy(s->chroma[0], band->u + last / 2 * band->uv_stride, (size_t)chroma_width(&s->plan));
    memcpy(s->chroma[1], band->v + last / 2 * band->uv_stride, (size_t)chroma_width(&s->plan));
}

static int push(spool_planes *planes, const spool_band *band)
{
    spool_upsampler *s = (spool_upsampler *)planes;
    const int vertical = s->plan.v == 2;
    const int32_t begin = s->row, end = begin + band->rows;
    int answer = SPOOL_SINK_MORE;

    if (band->rows < 0 || end > planes->last || (band->rows % s->plan.v && end < s->plan.height))
        return SPOOL_SINK_ERROR;
    if (band->rows == 0)
        return SPOOL_SINK_MORE;
    /* The rows that can be completed: with halved chroma the band's last row waits, unless it is the image's last. */
    int32_t from = begin - (vertical && begin > planes->first), to = end - (vertical && end < s->plan.height);
    if (from < s->next->first)
        from = s->next->first;
    if (to > s->next->last)
        to = s->next->last;
    while (from < to && answer == SPOOL_SINK_MORE) {
        ptrdiff_t stride;
        int n;
        uint8_t *lent = s->next->lend(s->next, &stride, &n);
        if (lent == NULL)
            break;
        if (n > to - from)
            n = to - from;
        for (int i = 0; i < n; i++) {
            const source_row row = row_of(s, band, from + i - begin);
            convert_row(s, row.luma, row.near, row.far, lent + i * stride);
        }
        answer = s->next->push(s->next, lent, stride, n);
        from += n;
    }
    if (vertical)
        keep(s, band);
    s->row = end;
    return answer;
}

size_t spool_upsampler_bytes(const spool_planes_plan *plan)
{
    const size_t luma = row_bytes((size_t)plan->width), chroma = row_bytes((size_t)chroma_width(plan));
    return row_bytes(sizeof(spool_upsampler)) + luma + 6 * chroma + SPOOL_ALIGN - 1; /* the memory may begin anywhere */
}

spool_upsampler *spool_upsampler_init(void *memory, const spool_planes_plan *plan, int level, spool_sink *next)
{
    const size_t luma = row_bytes((size_t)plan->width), chroma = row_bytes((size_t)chroma_width(plan));
    const spool_planes_kernels *kernels = spool_planes_kernels_at(level);
    spool_upsampler *s = (spool_upsampler *)row_bytes((uintptr_t)memory);
    int32_t first = next->first, last = next->last;

    *s = (spool_upsampler){.kernels = kernels, .convert = kernels->convert[plan->rule], .plan = *plan, .next = next};
    s->luma = (uint8_t *)s + row_bytes(sizeof *s);
    s->chroma[0] = s->luma + luma;
    s->chroma[1] = s->chroma[0] + chroma;
    s->wide[0] = s->chroma[1] + chroma;
    s->wide[1] = s->wide[0] + 2 * chroma;
    s->left = next->left;
    s->right = next->right > 0 ? next->right : plan->width;
    if (plan->h == 2)
        widen(&s->left, &s->right, plan->width);
    if (plan->v == 2)
        widen(&first, &last, plan->height);
    s->planes = (spool_planes){push, first, last, s->left, s->right, plan->width, plan->height, plan->h, plan->v, 3, 1};
    s->row = first;
    return s;
}
