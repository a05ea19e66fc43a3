#include <string.h>

#include "gif.h"

enum { BAND = 16 }; /* rows in a push */

/* Returns the number of rows that `count` pixels complete, in file order. */
static int32_t rows_in(const spool_gif_frame *frame, size_t count)
{
    return count / frame->width;
}

/*
 * Returns the file's position of row y of an interlaced frame: every 8th row, then the rows halfway between, and so on.
 */
static int32_t stored_row(const spool_gif_frame *frame, int32_t y)
{
    int32_t h = frame->height;
    if (!frame->interlaced)
        return y;
    int32_t eighths = (h + 7) / 8, fourths = (h + 3) / 4, halves = (h + 1) / 2;
    if (y % 8 == 0)
        return y / 8;
    if (y % 4 == 0)
        return eighths + y / 8;
    if (y % 2 == 0)
        return fourths + y / 4;
    return halves + y / 2;
}

/* Returns the frame's row at canvas row y, or NULL if there is none. *missing is set if the row was not decoded. */
static const uint8_t *row_at(const spool_gif_frame *frame, const uint8_t *indices, int32_t rows, int32_t y,
                             int *missing)
{
    *missing = 0;
    if (y < frame->y || y - frame->y >= frame->height)
        return NULL;
    int32_t stored = stored_row(frame, y - frame->y);
    *missing = stored >= rows;
    return *missing ? NULL : indices + (size_t)stored * frame->width;
}

/* Returns how many of the frame's columns are on the canvas. */
static int32_t columns(const spool_gif_frame *frame, const spool_gif_canvas *canvas)
{
    int32_t room = canvas->width - frame->x;
    return room < 0 ? 0 : frame->width < room ? frame->width : room;
}

static void paint(const spool_gif_frame *frame, const spool_gif_canvas *canvas, const uint8_t *indices, int32_t rows)
{
    int32_t n = columns(frame, canvas);
    for (int32_t y = frame->y; y < canvas->height && y - frame->y < frame->height; y++) {
        int missing;
        const uint8_t *row = row_at(frame, indices, rows, y, &missing);
        uint8_t *to = canvas->pixels + ((size_t)y * canvas->width + frame->x) * 4;
        for (int32_t x = 0; row != NULL && x < n; x++)
            if (row[x] != frame->skipped)
                memcpy(to + 4 * x, frame->colors[row[x]], 4);
    }
}

static void convert(uint8_t *to, const uint8_t *rgba, int32_t n, const spool_gif_form *form)
{
    if (form->channels == 4) {
        for (int32_t i = 0; i < n; i++) {
            memcpy(to + 4 * i, rgba + 4 * i, 4);
            if (form->opaque)
                to[4 * i + 3] = 255;
        }
        return;
    }
    for (int32_t i = 0; i < n; i++)
        memcpy(to + 3 * i, rgba + 4 * i, 3);
}

static void repeat_color(uint8_t *to, const uint8_t *color, int32_t n, int32_t channels)
{
    for (int32_t i = 0; i < n; i++)
        memcpy(to + i * channels, color, channels);
}

/* Converts a row of the canvas directly from the only frame. */
static void convert_only(uint8_t *to, const spool_gif_frame *frame, const spool_gif_canvas *canvas, const uint8_t *row,
                         int32_t channels)
{
    if (row == NULL) {
        repeat_color(to, canvas->fill, canvas->width, channels);
        return;
    }
    int32_t n = columns(frame, canvas), right = frame->x + n;
    repeat_color(to, canvas->fill, frame->x, channels);
    to += frame->x * channels;
    if (channels == 4) {
        for (int32_t x = 0; x < n; x++)
            memcpy(to + 4 * x, frame->colors[row[x]], 4);
    } else {
        for (int32_t x = 0; x < n; x++)
            memcpy(to + 3 * x, frame->colors[row[x]], 3);
    }
    repeat_color(to + n * channels, canvas->fill, canvas->width - right, channels);
}

/* Pushes the rows that the sink needs, down to the first that was not decoded. */
static int deliver(const spool_gif_frame *frame, const spool_gif_canvas *canvas, const spool_gif_form *form,
                   spool_sink *sink, const uint8_t *indices, int32_t rows, const int32_t *flag)
{
    for (int32_t y = sink->first; y < sink->last;) {
        ptrdiff_t stride;
        int room, n = 0;
        uint8_t *lent = sink->lend(sink, &stride, &room);
        if (lent == NULL || room < 1)
            return SPOOL_GIF_SINK;
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        for (; n < room && n < BAND && y < sink->last; n++, y++) {
            int missing;
            const uint8_t *row = row_at(frame, indices, rows, y, &missing);
            if (missing)
                break;
            if (canvas->pixels != NULL)
                convert(lent + n * stride, canvas->pixels + (size_t)y * canvas->width * 4, canvas->width, form);
            else
                convert_only(lent + n * stride, frame, canvas, row, form->channels);
        }
        if (n == 0)
            break;
        int result = sink->push(sink, lent, stride, n);
        if (result < 0)
            return SPOOL_GIF_SINK;
        if (result == SPOOL_SINK_ENOUGH)
            break;
    }
    return SPOOL_GIF_OK;
}

/* Returns how many pixels of the frame must be decoded. */
static size_t needed(const spool_gif_frame *frame, const spool_gif_canvas *canvas, const spool_sink *sink)
{
    int32_t last = canvas->pixels != NULL || frame->interlaced ? canvas->height : sink->last;
    int32_t rows = last < frame->y ? 0 : last - frame->y;
    if (rows > frame->height || frame->interlaced)
        rows = frame->height;
    return (size_t)rows * frame->width;
}

int spool_gif_decode(const uint8_t *data, size_t size, const spool_gif_frame *frame, const spool_gif_canvas *canvas,
                     const spool_gif_form *form, spool_sink *sink, uint8_t *indices, size_t capacity,
                     const int32_t *flag, size_t *count)
{
    size_t want = needed(frame, canvas, sink), n = want < capacity ? want : capacity;
    int status = spool_gif_unpack(data, size, frame->bits, indices, n, flag, count);
    if (status == SPOOL_CANCELLED)
        return status;
    if (status == SPOOL_GIF_OK && n < want)
        status = SPOOL_GIF_TRUNCATED;
    int32_t rows = rows_in(frame, *count);
    if (canvas->pixels != NULL)
        paint(frame, canvas, indices, rows);
    int delivered = sink == NULL ? SPOOL_GIF_OK : deliver(frame, canvas, form, sink, indices, rows, flag);
    return delivered != SPOOL_GIF_OK ? delivered : status;
}

void spool_gif_fill(const spool_gif_canvas *canvas, int32_t x, int32_t y, int32_t width, int32_t height,
                    const uint8_t *color)
{
    for (int32_t row = y; row < y + height; row++)
        repeat_color(canvas->pixels + ((size_t)row * canvas->width + x) * 4, color, width, 4);
}

void spool_gif_copy(const spool_gif_canvas *canvas, int32_t x, int32_t y, int32_t width, int32_t height,
                    uint8_t *memory, int back)
{
    size_t row_bytes = (size_t)width * 4;
    for (int32_t row = y; row < y + height; row++, memory += row_bytes) {
        uint8_t *at = canvas->pixels + ((size_t)row * canvas->width + x) * 4;
        memcpy(back ? at : memory, back ? memory : at, row_bytes);
    }
}
