/*
 * For any bytes, the engine declines, or gives the result of libjpeg-turbo, which must not warn. What is decoded, and
 * how, is drawn from the last bytes, which may follow the end marker of a file.
 */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>

#include "area.h"
#include "floor.h"
#include "jpeg.h"
#include "rows.h"

enum { MOST_SAMPLES = 1 << 14, LONGEST_SIDE = 1 << 10, ALIGNMENT = 64, MOST_SCANS = 500 };

/* Tables are reset after this number of files, so that they are shared, then full, then shared again. */
enum { TABLES_LIFE = 512 };

static void *aligned(size_t bytes)
{
    void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (memory == NULL)
        abort();
    return memset(memory, 0, bytes);
}

spool_baseline_decoder *fuzz_decoder(int level)
{
    static spool_baseline_decoder *decoder;
    static spool_baseline_tables *tables;
    static uint8_t *window;
    static int16_t *blocks;
    static unsigned files;
    if (decoder == NULL) {
        decoder = aligned(spool_baseline_decoder_bytes());
        tables = aligned(spool_baseline_tables_bytes());
        window = aligned(spool_baseline_window_bytes());
        blocks = aligned(spool_baseline_blocks_bytes());
    }
    if (++files % TABLES_LIFE == 0)
        memset(tables, 0, spool_baseline_tables_bytes());
    spool_baseline_init(decoder, tables, window, blocks, level);
    return decoder;
}

/* Gives the decoder exactly the memory that its progressive image needs. */
static void extend(spool_baseline_decoder *decoder)
{
    static void *state[MAX_SCANS];
    static uint8_t *window[MAX_SCANS];
    static int16_t *coefficients;
    static uint64_t *nonzero;
    const spool_baseline_extent needs = spool_baseline_needs(decoder);
    for (int i = 0; i < needs.scans; i++) {
        if (state[i] == NULL) {
            state[i] = aligned(spool_baseline_scan_bytes());
            window[i] = aligned(spool_baseline_window_bytes());
        }
        spool_baseline_give_scan(decoder, state[i], window[i]);
    }
    free(coefficients);
    free(nonzero);
    coefficients = aligned(needs.blocks * BLOCK * sizeof *coefficients);
    nonzero = malloc(needs.blocks * sizeof *nonzero);
    spool_baseline_give_row(decoder, coefficients, nonzero, needs.blocks);
}

int fuzz_grow(spool_baseline_decoder *decoder, spool_baseline_strip *strip, int answer)
{
    if (answer == SPOOL_BASELINE_SCAN_MEMORY) {
        extend(decoder);
        return 1;
    }
    if (answer != SPOOL_BASELINE_MEMORY)
        return 0;
    free(strip->strip);
    strip->bytes = strip->needed;
    strip->strip = aligned_alloc(ALIGNMENT, strip->needed);
    return 1;
}

int fuzz_layout(const uint8_t *data, size_t size, spool_baseline_layout *layout)
{
    return spool_baseline_read_layout(data, size, layout) == SPOOL_BASELINE_DONE && layout->width <= LONGEST_SIDE &&
           layout->height <= LONGEST_SIDE && layout->width * layout->height <= MOST_SAMPLES;
}

size_t fuzz_planes_bytes(const spool_baseline_layout *layout)
{
    size_t bytes = 0;
    for (int i = 0; i < layout->components; i++)
        bytes += (size_t)layout->plane[i].stride * layout->plane[i].rows;
    return bytes;
}

void fuzz_differs(const char *what, int where)
{
    fprintf(stderr, "the engine and libjpeg-turbo differ: %s, %d\n", what, where);
    abort();
}

int32_t fuzz_draw(uint64_t *knobs, int32_t n)
{
    *knobs = *knobs * 6364136223846793005 + 1442695040888963407; /* D. Knuth's MMIX */
    return (int32_t)((*knobs >> 32) % (uint64_t)n);
}

void fuzz_draw_range(uint64_t *knobs, int32_t n, int32_t *from, int32_t *to)
{
    const int32_t size = 1 + fuzz_draw(knobs, n);
    *from = fuzz_draw(knobs, n - size + 1);
    *to = *from + size;
}

/* libjpeg-turbo's planes have the blocks that overlap the image, without gaps. */
static void compare_planes(const spool_baseline_layout *layout, const uint8_t *ours, const uint8_t *theirs)
{
    for (int i = 0; i < layout->components; i++) {
        const spool_baseline_plane *p = &layout->plane[i];
        const int width = (p->width + SIDE - 1) / SIDE * SIDE, height = (p->height + SIDE - 1) / SIDE * SIDE;
        for (int y = 0; y < height; y++)
            if (memcmp(ours + (ptrdiff_t)y * p->stride, theirs + (ptrdiff_t)y * width, width) != 0)
                fuzz_differs("a plane", i);
        ours += (ptrdiff_t)p->stride * p->rows;
        theirs += (ptrdiff_t)width * height;
    }
}

static void check_planes(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int level)
{
    const size_t bytes = fuzz_planes_bytes(layout);
    uint8_t *ours = malloc(bytes), *theirs = malloc(bytes);
    spool_baseline_decoder *decoder = fuzz_decoder(level);
    int answer;
    do
        answer = spool_baseline_planes(decoder, data, size, ours, bytes, NULL);
    while (fuzz_grow(decoder, NULL, answer));
    if (answer == SPOOL_BASELINE_DONE) {
        if (spool_floor_jpeg_planes(data, size, theirs, bytes) != 0)
            fuzz_differs("it has something to complain of", 0);
        compare_planes(layout, ours, theirs);
    }
    free(ours);
    free(theirs);
}

static int decode_area(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int level,
                       area_sink *area)
{
    const spool_baseline_options options = {
        .color = area->channels == 1 ? SPOOL_BASELINE_GRAY : SPOOL_BASELINE_RGB,
        .width = layout->width,
        .height = layout->height,
    };
    spool_baseline_decoder *decoder = fuzz_decoder(level);
    spool_baseline_strip strip = {.room = SIZE_MAX};
    int answer;
    do
        answer = spool_baseline_rows(decoder, data, size, &options, &strip, &area->sink, NULL);
    while (fuzz_grow(decoder, &strip, answer));
    free(strip.strip);
    if (answer < 0 || (answer == SPOOL_BASELINE_DONE && area->rows != area->sink.last - area->sink.first))
        fuzz_differs("misuse, or rows are missing", answer);
    return answer;
}

static void decode_turbo(const uint8_t *data, size_t size, const spool_baseline_layout *layout, area_sink *area)
{
    const spool_jpeg_options options = {
        .color = area->channels == 1 ? SPOOL_JPEG_GRAY : SPOOL_JPEG_RGB,
        .width = layout->width,
        .height = layout->height,
        .max_scans = MOST_SCANS,
    };
    spool_jpeg_report report = {0};
    const int answer = spool_jpeg_decode(data, size, &options, &area->sink, NULL, 0, 0, NULL, &report);
    if (answer != SPOOL_JPEG_OK || report.warnings > 0 || area->rows != area->sink.last - area->sink.first)
        fuzz_differs("it has something to complain of", answer);
}

void fuzz_check_clean(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int first, int last)
{
    area_sink area = {
        .sink = {.first = first, .last = last, .right = layout->width},
        .width = layout->width,
        .channels = 3,
        .loan = 16,
    };
    open_area(&area);
    decode_turbo(data, size, layout, &area);
    close_area(&area);
}

static void check_area(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int level, area_sink ours)
{
    area_sink theirs = ours;
    open_area(&ours);
    if (decode_area(data, size, layout, level, &ours) == SPOOL_BASELINE_DONE) {
        open_area(&theirs);
        decode_turbo(data, size, layout, &theirs);
        if (memcmp(ours.samples, theirs.samples, area_bytes(&ours)) != 0)
            fuzz_differs("rows", 0);
        close_area(&theirs);
    }
    close_area(&ours);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spool_baseline_layout layout;
    uint64_t knobs = 0;
    if (!fuzz_layout(data, size, &layout))
        return 0;
    memcpy(&knobs, data + size - sizeof knobs, sizeof knobs);
    const int level = fuzz_draw(&knobs, spool_baseline_levels()), whole = fuzz_draw(&knobs, 2),
              gray = fuzz_draw(&knobs, 4) == 0;
    switch (fuzz_draw(&knobs, 4)) {
    case 0:
        check_planes(data, size, &layout, level);
        return 0;
    case 1:
        fuzz_check_bands(data, size, &layout, level, knobs);
        return 0;
    }
    area_sink area = {
        .sink = {.last = layout.height, .right = layout.width},
        .width = layout.width,
        .channels = gray ? 1 : 3,
        .loan = 1 + fuzz_draw(&knobs, 20),
        .stops = fuzz_draw(&knobs, 2),
    };
    if (!whole) {
        fuzz_draw_range(&knobs, layout.width, &area.sink.left, &area.sink.right);
        fuzz_draw_range(&knobs, layout.height, &area.sink.first, &area.sink.last);
    }
    check_area(data, size, &layout, level, area);
    return 0;
}
