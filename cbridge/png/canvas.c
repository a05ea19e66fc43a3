#include "animation.h"

#include <string.h>

static uint8_t *place(spool_png_animation *animation, const spool_png_control *control, uint32_t row)
{
    return animation->pixels + (control->y + row) * animation->row_bytes + (size_t)control->x * animation->channels;
}

void spool_png_dispose(spool_png_animation *animation)
{
    const spool_png_control *last = &animation->last;
    const size_t n = animation->channels, bytes = last->width * n;
    for (uint32_t y = 0; y < last->height && last->dispose != SPOOL_PNG_KEEP; y++) {
        uint8_t *row = place(animation, last, y);
        if (last->dispose == SPOOL_PNG_RESTORE)
            memcpy(row, row + animation->bytes, bytes);
        else
            for (size_t i = 0; i < bytes; i += n)
                memcpy(row + i, animation->zero, n);
    }
}

/* a * weight + b * (255 - weight), divided by 255 and rounded. */
static uint8_t mix(uint8_t a, uint8_t b, uint32_t weight)
{
    const uint32_t sum = a * weight + b * (255 - weight) + 128;
    return ((sum >> 8) + sum) >> 8;
}

/*
 * Blends n pixels over others as Pillow does (paste with the image as its own mask): all four channels, alpha included,
 * are mixed by the alpha of the upper pixel. The APNG specification divides by the resulting alpha. Both agree if one
 * of the pixels is opaque or fully transparent, except for colors that are invisible.
 */
static void blend(uint8_t *below, const uint8_t *above, size_t n)
{
    for (size_t i = 0; i < 4 * n; i += 4)
        for (int k = 0; k < 4; k++)
            below[i + k] = mix(above[i + k], below[i + k], above[i + 3]);
}

static uint8_t *lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    spool_png_canvas *canvas = (spool_png_canvas *)sink;
    *stride = (ptrdiff_t)canvas->animation->row_bytes;
    *rows = canvas->above != NULL ? 1 : sink->last - canvas->row;
    return canvas->above != NULL ? canvas->above : place(canvas->animation, canvas->control, canvas->row);
}

static int push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    spool_png_canvas *canvas = (spool_png_canvas *)sink;
    const size_t width = canvas->control->width;
    for (int y = 0; y < n; y++, rows += stride) {
        uint8_t *to = place(canvas->animation, canvas->control, canvas->row++);
        if (canvas->above != NULL)
            blend(to, rows, width);
        else if (to != rows)
            memcpy(to, rows, width * canvas->animation->channels);
    }
    return SPOOL_SINK_MORE;
}

spool_sink *spool_png_canvas_init(spool_png_canvas *canvas, spool_png_animation *animation,
                                  const spool_png_control *control, uint8_t *above)
{
    *canvas = (spool_png_canvas){
        .sink = {.lend = lend, .push = push, .first = 0, .last = control->height},
        .animation = animation,
        .control = control,
        .above = above,
    };
    return &canvas->sink;
}
