/* Stores finished rows at their place in the output, and the padding around the image. */
#include <string.h>

#include "engine.h"

/* The row or column of the image for row i of the passes. */
static int32_t place(const spool_engine *e, int32_t i)
{
    return e->plan.upward ? e->plan.vertical.out - 1 - i : i;
}

/* The address of a canvas pixel in an interleaved output. */
static uint8_t *output_at(const spool_engine *e, int32_t x, int32_t y)
{
    return e->dst + ((size_t)y * e->plan.canvas_width + x) * e->plan.out_channels * e->elem;
}

uint8_t *spool_store_room(const spool_engine *e, int32_t i)
{
    if (e->plan.transpose)
        return e->line + i % SPOOL_TILE * e->line_stride;
    if (e->vertical_first) /* the horizontal pass writes whole groups, and beyond the ends of rows */
        return e->line + i % SPOOL_GROUP * e->line_stride;
    return e->plain ? output_at(e, e->plan.x, e->plan.y + place(e, i)) : e->line;
}

/* Gathers pixel x of n rows, `step` apart. */
static void gather(const uint8_t *pixel, ptrdiff_t step, size_t bytes, uint8_t *out, int n)
{
    switch (bytes) { /* copies of constant length */
    case 1:
        for (int i = 0; i < n; i++)
            out[i] = pixel[i * step];
        break;
    case 3:
        for (int i = 0; i < n; i++)
            memcpy(out + i * 3, pixel + i * step, 3);
        break;
    case 4:
        for (int i = 0; i < n; i++)
            memcpy(out + i * 4, pixel + i * step, 4);
        break;
    default:
        for (int i = 0; i < n; i++)
            memcpy(out + i * bytes, pixel + i * step, bytes);
    }
}

/* Stores n rows of the tile, the last of which is row i, as columns of the image. */
static void store_tile(spool_engine *e, int32_t i, int n)
{
    const spool_plan *p = &e->plan;
    const size_t bytes = (size_t)e->channels * e->sample;
    const ptrdiff_t stride = (ptrdiff_t)e->line_stride;
    const uint8_t *first = p->upward ? e->line + (n - 1) * stride : e->line;
    const int32_t x = p->x + (p->upward ? place(e, i) : i - (n - 1));

    for (int32_t y = 0; y < p->horizontal.out; y++, first += bytes) {
        uint8_t *out = e->plain ? output_at(e, x, p->y + y) : e->across;
        gather(first, p->upward ? -stride : stride, bytes, out, n);
        if (!e->plain)
            spool_store_pixels(e, out, x, p->y + y, n);
    }
}

void spool_store_row(spool_engine *e, const uint8_t *pixels, int32_t i)
{
    const spool_plan *p = &e->plan;

    if (p->premultiply) /* these rows are the engine's own memory */
        spool_unpremultiply((uint8_t *)pixels, (size_t)p->horizontal.out);
    if (e->plain || p->transpose) {
        uint8_t *out = p->transpose ? spool_store_room(e, i) : output_at(e, p->x, p->y + place(e, i));
        if (out != pixels)
            memcpy(out, pixels, (size_t)p->horizontal.out * e->channels * e->sample);
    } else {
        spool_store_pixels(e, pixels, p->x, p->y + place(e, i), p->horizontal.out);
    }
    if (p->transpose && (i % SPOOL_TILE == SPOOL_TILE - 1 || i == p->vertical.out - 1))
        store_tile(e, i, i % SPOOL_TILE + 1);
}

void spool_store_padding(const spool_engine *e)
{
    const spool_plan *p = &e->plan;
    const int32_t width = p->transpose ? p->vertical.out : p->horizontal.out;
    const int32_t height = p->transpose ? p->horizontal.out : p->vertical.out;
    const int32_t right = p->x + width, bottom = p->y + height;

    if (width == p->canvas_width && height == p->canvas_height)
        return;
    for (int32_t y = 0; y < p->canvas_height; y++)
        if (y < p->y || y >= bottom) {
            spool_store_color(e, 0, y, p->canvas_width);
        } else {
            spool_store_color(e, 0, y, p->x);
            spool_store_color(e, right, y, p->canvas_width - right);
        }
}
