/* Bands of planes at a smaller scale. The rows of each push are copied to a separate allocation. */
#include "target.h"

#include <stdlib.h>

#include "bands.h"

typedef struct {
    spool_planes planes; /* first: push converts its address to a band_sink */
    int32_t sub_x, sub_y, gray;
    int32_t rows;        /* rows of luma pushed */
    uint8_t *samples[3]; /* of the area, in rows without gaps */
} band_sink;

static int32_t up(int32_t n, int32_t by)
{
    return (n + by - 1) / by;
}

static int32_t columns(const band_sink *sink, int plane, int32_t *left)
{
    const int sub = plane == 0 ? 1 : sink->sub_x;
    *left = sink->planes.left / sub;
    return up(sink->planes.right, sub) - *left;
}

static size_t plane_bytes(const band_sink *sink, int plane)
{
    int32_t left;
    const int sub = plane == 0 ? 1 : sink->sub_y;
    return (size_t)columns(sink, plane, &left) * up(sink->planes.last - sink->planes.first, sub);
}

static int push(spool_planes *planes, const spool_band *band)
{
    band_sink *sink = (band_sink *)planes;
    const uint8_t *from[3] = {band->y, band->u, band->v};
    if (band->rows < 1 || band->rows > planes->last - planes->first - sink->rows || sink->rows % sink->sub_y != 0)
        fuzz_differs("rows of a band", band->rows);
    for (int i = 0; i < (sink->gray ? 1 : 3); i++) {
        int32_t left;
        const int sub = i == 0 ? 1 : sink->sub_y;
        const int32_t n = columns(sink, i, &left);
        uint8_t *to = sink->samples[i] + (size_t)sink->rows / sub * n;
        for (int y = 0; y < up(band->rows, sub); y++, to += n)
            memcpy(to, from[i] + y * (i == 0 ? band->y_stride : band->uv_stride) + left, n);
    }
    sink->rows += band->rows;
    return SPOOL_SINK_MORE;
}

/* Decodes a file with a level. If it is done, all rows must have been pushed. */
static int decode(const uint8_t *data, size_t size, const spool_baseline_scales *scales, int level, band_sink *sink)
{
    spool_baseline_decoder *decoder = fuzz_decoder(level);
    spool_baseline_strip strip = {.room = SIZE_MAX};
    int answer;
    sink->planes.push = push;
    for (int i = 0; i < 3; i++)
        sink->samples[i] = malloc(plane_bytes(sink, i));
    do
        answer = spool_baseline_bands(decoder, data, size, scales, &strip, &sink->planes, NULL);
    while (fuzz_grow(decoder, &strip, answer));
    free(strip.strip);
    if (answer < 0 || (answer == SPOOL_BASELINE_DONE && sink->rows != sink->planes.last - sink->planes.first))
        fuzz_differs("misuse, or rows are missing", answer);
    return answer;
}

static void close_sink(band_sink *sink)
{
    for (int i = 0; i < 3; i++)
        free(sink->samples[i]);
}

/* Draws scales that a planes sink accepts; gray if there are none. */
static spool_baseline_scales draw_scales(uint64_t *knobs, const spool_baseline_layout *layout)
{
    spool_baseline_scales s = {
        .width = layout->width,
        .height = layout->height,
        .luma = SIDE >> fuzz_draw(knobs, 4),
        .gray = layout->components == 1 || fuzz_draw(knobs, 4) == 0,
    };
    s.chroma = s.luma << fuzz_draw(knobs, 2);
    s.sub_x = layout->sub_x * s.luma / s.chroma;
    s.sub_y = layout->sub_y * s.luma / s.chroma;
    if (s.gray || s.chroma > SIDE || s.sub_x < 1 || s.sub_y < 1) {
        s.gray = s.sub_x = s.sub_y = 1;
        s.chroma = s.luma;
    }
    return s;
}

/* At full size, the samples are those of the planes. */
static void compare_luma(const uint8_t *data, size_t size, const spool_baseline_layout *layout, const band_sink *sink)
{
    const size_t bytes = fuzz_planes_bytes(layout);
    uint8_t *planes = malloc(bytes);
    if (spool_baseline_planes(fuzz_decoder(0), data, size, planes, bytes, NULL) == SPOOL_BASELINE_DONE) {
        int32_t left, n = columns(sink, 0, &left);
        for (int y = 0; y < sink->planes.last - sink->planes.first; y++)
            if (memcmp(sink->samples[0] + (ptrdiff_t)y * n,
                       planes + (ptrdiff_t)(y + sink->planes.first) * layout->plane[0].stride + left, n) != 0)
                fuzz_differs("a band of luma", y);
    }
    free(planes);
}

void fuzz_check_bands(const uint8_t *data, size_t size, const spool_baseline_layout *layout, int level, uint64_t knobs)
{
    const spool_baseline_scales scales = draw_scales(&knobs, layout);
    const int32_t height = up(layout->height * scales.luma, SIDE);
    band_sink ours = {.sub_x = scales.sub_x, .sub_y = scales.sub_y, .gray = scales.gray};
    fuzz_draw_range(&knobs, up(layout->width * scales.luma, SIDE), &ours.planes.left, &ours.planes.right);
    fuzz_draw_range(&knobs, height, &ours.planes.first, &ours.planes.last);
    ours.planes.first -= ours.planes.first % scales.sub_y;
    ours.planes.last = up(ours.planes.last, scales.sub_y) * scales.sub_y;
    ours.planes.last = ours.planes.last < height ? ours.planes.last : height;

    band_sink scalar = ours;
    const int answer = decode(data, size, &scales, level, &ours);
    /* Kernels detect by different signs that the end of a scan's data was passed, so reasons may differ. */
    if ((decode(data, size, &scales, 0, &scalar) == SPOOL_BASELINE_DONE) != (answer == SPOOL_BASELINE_DONE))
        fuzz_differs("what is decoded", answer);
    if (answer == SPOOL_BASELINE_DONE) {
        for (int i = 0; i < (ours.gray ? 1 : 3); i++)
            if (memcmp(ours.samples[i], scalar.samples[i], plane_bytes(&ours, i)) != 0)
                fuzz_differs("a plane of bands", i);
        if (scales.luma == SIDE)
            compare_luma(data, size, layout, &ours);
        const int last = ours.planes.last * SIDE / scales.luma;
        fuzz_check_clean(data, size, layout, ours.planes.first * SIDE / scales.luma,
                         last < layout->height ? last : layout->height);
    }
    close_sink(&ours);
    close_sink(&scalar);
}
