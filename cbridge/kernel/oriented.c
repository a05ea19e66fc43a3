/* A stored picture, turned as its EXIF orientation says, strip by strip. */
#include <string.h>

#include "engine.h"

/* Where the pixel at x, y of the turned picture is stored: at first + x * dx + y * dy. */
typedef struct {
    const uint8_t *first;
    ptrdiff_t dx, dy;
} turned;

static turned turn(const uint8_t *pixels, int32_t width, int32_t height, int channels, int orientation)
{
    const ptrdiff_t right = channels, down = (ptrdiff_t)width * channels;
    const uint8_t *end = pixels + (width - 1) * right,
                  *bottom = pixels + (height - 1) * down; /* of the first row, of the first column */
    const uint8_t *corner = end + (bottom - pixels);

    switch (orientation) {
    case 2:
        return (turned){end, -right, down}; /* mirrored */
    case 3:
        return (turned){corner, -right, -down}; /* turned by 180 degrees */
    case 4:
        return (turned){bottom, right, -down}; /* upside down */
    case 5:
        return (turned){pixels, down, right}; /* transposed */
    case 6:
        return (turned){bottom, -down, right}; /* to be turned by 90 degrees, clockwise */
    case 7:
        return (turned){corner, -down, -right}; /* transposed along the other diagonal */
    case 8:
        return (turned){end, down, -right}; /* to be turned by 270 degrees, clockwise */
    default:
        return (turned){pixels, right, down};
    }
}

static inline __attribute__((always_inline)) void gather(turned t, const int channels, int32_t from, int32_t to,
                                                         int32_t y, int rows, uint8_t *out, ptrdiff_t stride)
{
    /* Columns outside, rows inside: where the picture is transposed, a strip's rows are neighbours in memory. */
    for (int32_t x = from; x < to; x++) {
        const uint8_t *pixel = t.first + x * t.dx + y * t.dy;
        for (int r = 0; r < rows; r++)
            memcpy(out + r * stride + (ptrdiff_t)x * channels, pixel + r * t.dy, channels);
    }
}

int spool_engine_push_oriented(spool_engine *e, const uint8_t *pixels, int32_t width, int32_t height, int orientation)
{
    const spool_plan *p = &e->plan;
    const turned t = turn(pixels, width, height, p->channels, orientation);
    int32_t y = e->sink.first;
    ptrdiff_t stride;
    int rows, result = SPOOL_SINK_ENOUGH;
    uint8_t *lent;

    if (orientation == 1)
        return e->sink.push(&e->sink, pixels + y * t.dy, t.dy, e->sink.last - y);
    while ((lent = e->sink.lend(&e->sink, &stride, &rows))) {
        switch (p->channels) {
        case 1:
            gather(t, 1, p->left, p->right, y, rows, lent, stride);
            break;
        case 3:
            gather(t, 3, p->left, p->right, y, rows, lent, stride);
            break;
        case 4:
            gather(t, 4, p->left, p->right, y, rows, lent, stride);
            break;
        }
        result = e->sink.push(&e->sink, lent, stride, rows);
        y += rows;
    }
    return result;
}
