#include <stdlib.h>

#include <webp/decode.h>

#include "pieces.h"
#include "webp.h"

typedef struct {
    WebPDecoderConfig config;
    WebPIDecoder *decoder;
    spool_sink *sink;
    spool_planes *planes;
    uint8_t *memory; /* the rows of the crop, RGB or planes */
    spool_webp_report *report;
    int32_t first, last; /* the wanted rows */
    int32_t top, rows;   /* the crop that contains them */
    int32_t left;        /* the first column of the crop; rows in memory begin with column 0 */
    int32_t pushed;      /* rows of the crop that were pushed or skipped */
} reader;

static size_t chroma(size_t n)
{
    return (n + 1) / 2;
}

/* Allocates memory for the crop, as output of the library. */
static int give_memory(reader *r, const spool_webp_options *o)
{
    const size_t width = (size_t)o->width, rows = (size_t)r->rows;
    const size_t luma = width * rows, part = chroma(width) * chroma(rows), stride = width * (size_t)o->channels;
    WebPDecBuffer *output = &r->config.output;

    r->memory = malloc(r->planes != NULL ? luma + 2 * part : stride * rows);
    if (r->memory == NULL)
        return 0;
    output->is_external_memory = 1;
    if (r->planes != NULL) {
        const size_t left = (size_t)r->left;
        output->colorspace = MODE_YUV;
        output->u.YUVA = (WebPYUVABuffer){
            .y = r->memory + left,
            .u = r->memory + luma + left / 2,
            .v = r->memory + luma + part + left / 2,
            .y_stride = (int)width,
            .u_stride = (int)chroma(width),
            .v_stride = (int)chroma(width),
            .y_size = luma - left,
            .u_size = part - left / 2,
            .v_size = part - left / 2,
        };
    } else {
        output->colorspace = o->channels == 4 ? MODE_RGBA : MODE_RGB;
        output->u.RGBA = (WebPRGBABuffer){.rgba = r->memory, .stride = (int)stride, .size = stride * rows};
    }
    return 1;
}

/* Pushes the rows of the planes up to `end` of the crop. */
static int push_planes(reader *r, int32_t end)
{
    const WebPYUVABuffer *yuva = &r->config.output.u.YUVA;
    const int32_t from = r->pushed;

    if (end < r->rows)
        end &= ~1; /* a row of chroma belongs to two of luma */
    if (end == from)
        return SPOOL_SINK_MORE;
    const spool_band band = {
        .y = yuva->y - r->left + (size_t)from * (size_t)yuva->y_stride,
        .u = yuva->u - r->left / 2 + (size_t)(from / 2) * (size_t)yuva->u_stride,
        .v = yuva->v - r->left / 2 + (size_t)(from / 2) * (size_t)yuva->v_stride,
        .y_stride = yuva->y_stride,
        .uv_stride = yuva->u_stride,
        .rows = end - from,
    };
    r->pushed = end;
    r->report->rows += end - from;
    return r->planes->push(r->planes, &band);
}

static int push_rows(reader *r, int32_t end)
{
    const WebPRGBABuffer *rgba = &r->config.output.u.RGBA;
    const int32_t last = r->last - r->top, from = r->pushed > r->first - r->top ? r->pushed : r->first - r->top;

    if (end > last)
        end = last;
    if (end <= from)
        return SPOOL_SINK_MORE;
    r->pushed = end;
    r->report->rows += end - from;
    return r->sink->push(r->sink, rgba->rgba + (size_t)from * (size_t)rgba->stride, rgba->stride, end - from);
}

/* Pushes the rows that were decoded since the last call. */
static int deliver(reader *r)
{
    int left, top, width, height;

    if (WebPIDecodedArea(r->decoder, &left, &top, &width, &height) == NULL || height <= 0)
        return SPOOL_SINK_MORE;
    const int answer = r->planes != NULL ? push_planes(r, height) : push_rows(r, height);
    r->report->read = r->top + height;
    return answer;
}

/* Feeds the decoder until the sink has enough. Returns the status. */
static int feed(reader *r, const spool_webp_options *o, const uint8_t *data, size_t size, const int32_t *flag)
{
    const int to_bottom = r->last == o->height;
    const size_t piece = spool_webp_piece(size, o->lossless);
    VP8StatusCode code = VP8_STATUS_SUSPENDED;
    int answer = SPOOL_SINK_MORE;

    for (size_t given = 0; code == VP8_STATUS_SUSPENDED && given < size;) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        given += size - given < piece ? size - given : piece;
        code = WebPIUpdate(r->decoder, data, given);
        answer = deliver(r);
        if (answer < 0)
            return SPOOL_WEBP_SINK;
        if (answer == SPOOL_SINK_ENOUGH && !to_bottom)
            return SPOOL_WEBP_OK; /* rows below are not decoded */
    }
    r->report->code = code;
    if (code == VP8_STATUS_SUSPENDED || code == VP8_STATUS_NOT_ENOUGH_DATA || (code == VP8_STATUS_OK && o->truncated))
        return SPOOL_WEBP_ENDED;
    return code == VP8_STATUS_OK ? SPOOL_WEBP_OK : SPOOL_WEBP_FAILED;
}

/*
 * Computes the crop. libwebp interpolates the chroma of a lossy image within the crop only: rows at the edge of the
 * crop differ from those of the image, except at the edge of the image. Planes are not interpolated here, so their crop
 * has the wanted columns only: libwebp does not filter the blocks to the right of it.
 */
static void crop(reader *r, const spool_webp_options *o)
{
    int32_t top = r->first, bottom = r->last, right = o->width;

    if (r->planes != NULL && r->planes->right > 0) {
        r->left = r->planes->left & ~1; /* a column of chroma belongs to two of luma */
        right = r->planes->right;
    }
    if (r->planes == NULL && !o->lossless) {
        top = top > 0 ? (top - 1) & ~1 : 0;
        bottom = (bottom + 2) & ~1;
        if (bottom > o->height)
            bottom = o->height;
    }
    r->top = top;
    r->rows = bottom - top;
    r->config.options.use_cropping = r->rows < o->height || right - r->left < o->width;
    r->config.options.crop_left = r->left;
    r->config.options.crop_top = top;
    r->config.options.crop_width = right - r->left;
    r->config.options.crop_height = r->rows;
}

static int decode(reader *r, const spool_webp_options *o, const uint8_t *data, size_t size, const int32_t *flag)
{
    r->first = r->planes != NULL ? r->planes->first : r->sink->first;
    r->last = r->planes != NULL ? r->planes->last : r->sink->last;
    if (WebPGetFeatures(data, size, &r->config.input) != VP8_STATUS_OK || r->config.input.width != o->width ||
        r->config.input.height != o->height || (r->planes != NULL && o->lossless) || r->first < 0 ||
        r->first >= r->last || r->last > o->height || (r->planes != NULL && r->planes->width != o->width))
        return SPOOL_WEBP_SHAPE;
    crop(r, o);
    if (!give_memory(r, o))
        return SPOOL_WEBP_MEMORY;
    r->decoder = WebPIDecode(NULL, 0, &r->config);
    return r->decoder == NULL ? SPOOL_WEBP_MEMORY : feed(r, o, data, size, flag);
}

int spool_webp_decode(const uint8_t *data, size_t size, const spool_webp_options *options, spool_sink *sink,
                      spool_planes *planes, const int32_t *flag, spool_webp_report *report)
{
    reader r = {.sink = sink, .planes = planes, .report = report};
    int status = SPOOL_WEBP_MEMORY;

    if (WebPInitDecoderConfig(&r.config))
        status = decode(&r, options, data, size, flag);
    WebPIDelete(r.decoder);
    free(r.memory);
    return status;
}
