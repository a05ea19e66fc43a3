#include "convert.h"

/*
 * libavif 1.4, which Pillow uses, drops the low bits of 10- and 12-bit planes before libyuv converts them to 8-bit RGB.
 * It does so if libyuv has no conversion for their format. libavif 0.11 converts them in floating point instead, which
 * differs by up to 4 levels. For 8-bit images the two agree.
 */

/* Reports whether libyuv has the matrix coefficients. */
static int is_known(const avifImage *image)
{
    switch (image->matrixCoefficients) {
    case AVIF_MATRIX_COEFFICIENTS_BT709:
    case AVIF_MATRIX_COEFFICIENTS_UNSPECIFIED:
    case AVIF_MATRIX_COEFFICIENTS_BT470BG:
    case AVIF_MATRIX_COEFFICIENTS_BT601:
    case AVIF_MATRIX_COEFFICIENTS_BT2020_NCL:
        return 1;
    case AVIF_MATRIX_COEFFICIENTS_IDENTITY:
        return image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
    case AVIF_MATRIX_COEFFICIENTS_CHROMA_DERIVED_NCL:
        switch (image->colorPrimaries) {
        case AVIF_COLOR_PRIMARIES_BT709:
        case AVIF_COLOR_PRIMARIES_UNSPECIFIED:
        case AVIF_COLOR_PRIMARIES_BT470BG:
        case AVIF_COLOR_PRIMARIES_BT601:
        case AVIF_COLOR_PRIMARIES_BT2020:
            return 1;
        }
    }
    return 0;
}

/* Reports whether conversion to 8-bit RGB needs more than a call of libavif 0.11. */
static int is_special(const avifImage *image, int has_alpha)
{
    if (image->depth == 8 || !is_known(image))
        return 0;
    if (image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400)
        return has_alpha; /* libavif converts gray without alpha itself */
    return !(has_alpha && image->depth == 12 && image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420);
}

int spool_avif_narrows(const avifImage *image, int has_alpha)
{
    if (!is_special(image, has_alpha))
        return 0;
    return !(has_alpha && image->depth == 10 && image->yuvFormat != AVIF_PIXEL_FORMAT_YUV400);
}

static void narrow_planes(avifImage *to, const avifImage *from)
{
    avifPixelFormatInfo info;
    avifGetPixelFormatInfo(from->yuvFormat, &info);
    int shift = from->depth - 8;
    to->height = from->height;
    to->yuvRange = from->yuvRange;
    to->colorPrimaries = from->colorPrimaries;
    to->matrixCoefficients = from->matrixCoefficients;
    for (int plane = 0; plane < (info.monochrome ? 1 : 3); plane++) {
        uint32_t right = plane > 0 ? info.chromaShiftX : 0, down = plane > 0 ? info.chromaShiftY : 0;
        uint32_t width = (from->width + right) >> right, height = (from->height + down) >> down;
        for (uint32_t y = 0; y < height; y++) {
            const uint16_t *in = (const uint16_t *)(from->yuvPlanes[plane] + (size_t)y * from->yuvRowBytes[plane]);
            uint8_t *out = to->yuvPlanes[plane] + (size_t)y * to->yuvRowBytes[plane];
            for (uint32_t x = 0; x < width; x++) {
                int sample = in[x] >> shift;
                out[x] = sample > 255 ? 255 : sample;
            }
        }
    }
}

/* Writes 8-bit alpha. It is rounded in gray images, otherwise its low bits are dropped. */
static void put_alpha(avifRGBImage *rgb, const avifImage *image, const uint8_t *alpha, size_t row_bytes)
{
    int shift = image->depth - 8, rounds = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
    float most = (1 << image->depth) - 1;
    for (uint32_t y = 0; y < rgb->height; y++) {
        const uint16_t *in = (const uint16_t *)(alpha + y * row_bytes);
        uint8_t *out = rgb->pixels + (size_t)y * rgb->rowBytes + 3;
        for (uint32_t x = 0; x < rgb->width; x++) {
            int sample = rounds ? (int)(0.5f + in[x] / most * 255.0f) : in[x] >> shift;
            out[4 * x] = sample > 255 ? 255 : sample;
        }
    }
}

avifResult spool_avif_convert(avifImage *view, avifImage *narrow, avifRGBImage *rgb)
{
    const uint8_t *alpha = view->alphaPlane;
    size_t alpha_row_bytes = view->alphaRowBytes;
    /* The identity matrix does not change a single plane, but libavif 0.11 requires three planes for it. */
    if (view->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 && view->matrixCoefficients == AVIF_MATRIX_COEFFICIENTS_IDENTITY)
        view->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_UNSPECIFIED;
    if (rgb->depth > 8 || !is_special(view, alpha != NULL))
        return avifImageYUVToRGB(view, rgb);

    view->alphaPlane = NULL;
    view->alphaRowBytes = 0;
    if (narrow != NULL)
        narrow_planes(narrow, view);
    avifResult result = avifImageYUVToRGB(narrow != NULL ? narrow : view, rgb);
    if (result != AVIF_RESULT_OK || alpha == NULL)
        return result;
    put_alpha(rgb, view, alpha, alpha_row_bytes);
    return view->alphaPremultiplied ? avifRGBImageUnpremultiplyAlpha(rgb) : AVIF_RESULT_OK;
}
