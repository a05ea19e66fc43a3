#include <stdio.h>

#include "avif.h"
#include "convert.h"

/* More than a caller can request. The caller limits frames itself, and here they only need a table. */
enum { MAX_FRAMES = 1 << 16 };

static int fail(const avifDecoder *decoder, avifResult result, spool_avif_report *report)
{
    const char *text = decoder->diag.error[0] != 0 ? decoder->diag.error : avifResultToString(result);
    report->code = result;
    snprintf(report->text, SPOOL_AVIF_TEXT, "%s", text);
    return SPOOL_AVIF_FAILED;
}

/* Returns the axis of a mirrored image, as in its imir box. libavif 1.0 renamed the field. */
static int mirror_axis(const avifImage *image)
{
#if AVIF_VERSION >= 1000000
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

static void read_header(const avifDecoder *decoder, spool_avif_header *header)
{
    const avifImage *image = decoder->image;
    *header = (spool_avif_header){
        .width = image->width,
        .height = image->height,
        .bits = image->depth,
        .format = image->yuvFormat,
        .alpha = decoder->alphaPresent,
        .frames = decoder->imageCount,
        .rotation = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle : 0,
        .mirror = image->transformFlags & AVIF_TRANSFORM_IMIR ? mirror_axis(image) : -1,
        .duration = decoder->imageCount > 1 ? decoder->duration : 0,
        .icc = image->icc.data,
        .icc_size = image->icc.size,
        .exif = image->exif.data,
        .exif_size = image->exif.size,
    };
}

int spool_avif_open(const uint8_t *data, size_t size, avifDecoder **opened, spool_avif_header *header,
                    spool_avif_report *report)
{
    avifDecoder *decoder = *opened = avifDecoderCreate();
    if (decoder == NULL) {
        report->code = AVIF_RESULT_OUT_OF_MEMORY;
        return SPOOL_AVIF_FAILED;
    }
    decoder->maxThreads = 1;
    decoder->ignoreXMP = AVIF_TRUE;
    decoder->imageDimensionLimit = 0; /* only the area is limited */
    decoder->imageCountLimit = MAX_FRAMES;
    /* As lenient as Pillow: libheif wrote files without pixi, and the clean aperture is ignored. */
    decoder->strictFlags &= ~(AVIF_STRICT_CLAP_VALID | AVIF_STRICT_PIXI_REQUIRED);

    avifResult result = avifDecoderSetIOMemory(decoder, data, size);
    if (result == AVIF_RESULT_OK)
        result = avifDecoderParse(decoder);
    if (result != AVIF_RESULT_OK)
        return fail(decoder, result, report);
    read_header(decoder, header);
    return SPOOL_AVIF_OK;
}

/*
 * Converts and pushes the needed rows in bands. A band is converted with additional rows on each side, which are not
 * pushed. They make the band's rows equal to those of the whole image: at the edges of its input libavif repeats chroma
 * instead of interpolating it. A band begins at an even row, as chroma rows do.
 */
static avifResult push_bands(avifImage *view, avifImage *narrow, const avifImage *image,
                             const spool_avif_options *options, spool_sink *sink, uint8_t *band, const int32_t *flag,
                             int *status)
{
    int32_t channels = options->alpha ? 4 : 3, height = image->height;
    size_t stride = (size_t)image->width * channels * (options->wide ? 2 : 1);
    for (int32_t y = sink->first, n; y < sink->last; y += n) {
        int32_t even = y & ~1;
        int32_t next = sink->last - even > SPOOL_AVIF_BAND ? even + SPOOL_AVIF_BAND : sink->last;
        int32_t top = even < SPOOL_AVIF_MARGIN ? 0 : even - SPOOL_AVIF_MARGIN;
        int32_t bottom = height - next > SPOOL_AVIF_MARGIN ? next + SPOOL_AVIF_MARGIN : height;
        n = next - y;
        if (spool_cancelled(flag)) {
            *status = SPOOL_CANCELLED;
            return AVIF_RESULT_OK;
        }
        avifCropRect rows = {.y = top, .width = image->width, .height = bottom - top};
        avifResult result = avifImageSetViewRect(view, image, &rows);
        if (result != AVIF_RESULT_OK)
            return result;
        avifRGBImage rgb;
        avifRGBImageSetDefaults(&rgb, view);
        rgb.depth = options->wide ? 16 : 8;
        rgb.format = options->alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
        rgb.pixels = band;
        rgb.rowBytes = stride;
        result = spool_avif_convert(view, narrow, &rgb);
        if (result != AVIF_RESULT_OK)
            return result;
        int pushed = sink->push(sink, band + (y - top) * stride, stride, n);
        if (pushed < 0)
            *status = SPOOL_AVIF_SINK;
        if (pushed != SPOOL_SINK_MORE)
            break;
    }
    return AVIF_RESULT_OK;
}

/* Converts and pushes the needed rows of a decoded image. */
static avifResult push(const avifImage *image, const spool_avif_options *options, spool_sink *sink, uint8_t *band,
                       const int32_t *flag, int *status)
{
    avifImage *narrow = NULL, *view = avifImageCreateEmpty();
    avifResult result = view == NULL ? AVIF_RESULT_OUT_OF_MEMORY : AVIF_RESULT_OK;
    if (result == AVIF_RESULT_OK && !options->wide && spool_avif_narrows(image, image->alphaPlane != NULL)) {
        uint32_t rows = SPOOL_AVIF_BAND + 2 * SPOOL_AVIF_MARGIN;
        narrow = avifImageCreate(image->width, rows, 8, image->yuvFormat);
        result = narrow == NULL ? AVIF_RESULT_OUT_OF_MEMORY : avifImageAllocatePlanes(narrow, AVIF_PLANES_YUV);
    }
    if (result == AVIF_RESULT_OK)
        result = push_bands(view, narrow, image, options, sink, band, flag, status);
    if (narrow != NULL)
        avifImageDestroy(narrow);
    if (view != NULL)
        avifImageDestroy(view);
    return result;
}

int spool_avif_decode(avifDecoder *decoder, int32_t frame, const spool_avif_options *options, spool_sink *sink,
                      uint8_t *band, const int32_t *flag, spool_avif_report *report)
{
    decoder->imageSizeLimit = options->max_pixels;
    if (spool_cancelled(flag))
        return SPOOL_CANCELLED;
    avifResult result = avifDecoderNthImage(decoder, frame);
    if (spool_cancelled(flag))
        return SPOOL_CANCELLED; /* the data may have been overwritten during the call */
    if (result != AVIF_RESULT_OK)
        return fail(decoder, result, report);
    const avifImage *image = decoder->image;
    if ((int32_t)image->width != options->width || (int32_t)image->height != options->height ||
        (image->alphaPlane != NULL) != options->alpha || sink->last > options->height)
        return SPOOL_AVIF_SHAPE;
    int status = SPOOL_AVIF_OK;
    result = push(image, options, sink, band, flag, &status);
    return result == AVIF_RESULT_OK ? status : fail(decoder, result, report);
}
