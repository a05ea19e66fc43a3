#include "image.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A chunk's name in a message. */
#define NAME_FORMAT "%c%c%c%c"
#define NAME(name) (name) >> 24 & 0xFF, (name) >> 16 & 0xFF, (name) >> 8 & 0xFF, (name)&0xFF

int spool_png_fail(spool_png_report *report, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text, sizeof report->text, format, arguments);
    va_end(arguments);
    return status;
}

void spool_png_warn(spool_png_report *report, const char *format, ...)
{
    va_list arguments;
    if (report->warnings++ > 0)
        return;
    va_start(arguments, format);
    vsnprintf(report->warning, sizeof report->warning, format, arguments);
    va_end(arguments);
}

int spool_png_pixel_bits(int color, int depth)
{
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    return channels[color] * depth;
}

size_t spool_png_row_bytes(const spool_png_image *image)
{
    return ((size_t)image->width * spool_png_pixel_bits(image->color, image->depth) + 7) / 8;
}

/* The depths of each color type, as a bit set. */
static int is_depth(int color, int depth)
{
    static const uint8_t depths[] = {1 | 2 | 4 | 8 | 16, 0, 8 | 16, 1 | 2 | 4 | 8, 8 | 16, 0, 8 | 16};
    return color <= SPOOL_PNG_RGBA && depth <= 16 && (depth & (depth - 1)) == 0 && (depths[color] & depth) != 0;
}

static int read_ihdr(spool_png_image *image, const spool_png_chunk *chunk, spool_png_report *report)
{
    const uint8_t *p = chunk->data;
    if (chunk->length != SPOOL_PNG_IHDR_BYTES)
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "an IHDR chunk of %u bytes", chunk->length);
    const uint32_t width = spool_png_u32(p), height = spool_png_u32(p + 4);
    if (width == 0 || width > INT32_MAX || height == 0 || height > INT32_MAX)
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "an image of %ux%u", width, height);
    if (!is_depth(p[9], p[8]))
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "colour type %u with %u bits", p[9], p[8]);
    if (p[10] != 0 || p[11] != 0 || p[12] > 1)
        return spool_png_fail(report, SPOOL_PNG_UNSUPPORTED,
                              "compression method %u, filter method %u, interlace method %u", p[10], p[11], p[12]);
    image->width = width;
    image->height = height;
    image->depth = p[8];
    image->color = p[9];
    image->interlaced = p[12];
    return SPOOL_PNG_OK;
}

static int read_plte(spool_png_image *image, const spool_png_chunk *chunk, spool_png_report *report)
{
    if (image->color != SPOOL_PNG_PALETTE)
        return SPOOL_PNG_OK; /* suggested colors for limited displays */
    if (image->palette != NULL || chunk->length == 0 || chunk->length > 3 * 256 || chunk->length % 3 != 0)
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "a second palette, or one of %u bytes", chunk->length);
    const int32_t most = 1 << image->depth;
    image->palette = chunk->data;
    image->colors = (int32_t)chunk->length / 3 < most ? (int32_t)chunk->length / 3 : most;
    return SPOOL_PNG_OK;
}

/* Whether a tRNS chunk is valid for the image. */
static int is_transparency(const spool_png_image *image, const spool_png_chunk *chunk)
{
    if (image->transparency != NULL)
        return 0;
    switch (image->color) {
    case SPOOL_PNG_GRAY:
        return chunk->length == 2;
    case SPOOL_PNG_RGB:
        return chunk->length == 6;
    case SPOOL_PNG_PALETTE:
        return 0 < chunk->length && (int64_t)chunk->length <= image->colors;
    default:
        return 0;
    }
}

/* Reads chunks that are only reported. Invalid ones are ignored. */
static void read_ancillary(spool_png_image *image, const spool_png_chunk *chunk, spool_png_report *report)
{
    int ok = 1;
    switch (chunk->name) {
    case SPOOL_PNG_tRNS:
        ok = is_transparency(image, chunk);
        if (ok) {
            image->transparency = chunk->data;
            image->opacities = chunk->length;
        }
        break;
    case SPOOL_PNG_iCCP:
        ok = image->profile.length == 0;
        if (ok)
            image->profile = *chunk;
        break;
    case SPOOL_PNG_eXIf:
        ok = image->exif.length == 0;
        if (ok)
            image->exif = *chunk;
        break;
    case SPOOL_PNG_acTL:
        ok = chunk->length >= 8 && image->frames == 0 && spool_png_u32(chunk->data) - 1 < INT32_MAX - 1;
        if (ok)
            image->frames = spool_png_u32(chunk->data);
        break;
    case SPOOL_PNG_fcTL:
        image->control = *chunk;
        break;
    }
    if (!ok)
        spool_png_warn(report, "a chunk " NAME_FORMAT " that does not fit is left aside", NAME(chunk->name));
}

/* Whether libpng knows an ancillary chunk, and so refuses it in front of the header. It skips unknown ones. */
static int needs_header(uint32_t name)
{
    static const char names[][5] = {"bKGD", "cHRM", "eXIf", "gAMA", "hIST", "iCCP", "iTXt", "oFFs", "pCAL",
                                    "pHYs", "sBIT", "sCAL", "sPLT", "sRGB", "tEXt", "tIME", "tRNS", "zTXt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (spool_png_u32((const uint8_t *)names[i]) == name)
            return 1;
    return 0;
}

static int read_chunk(spool_png_image *image, const spool_png_chunk *chunk, spool_png_report *report)
{
    const int first = image->width == 0;
    if (first && needs_header(chunk->name))
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "chunk " NAME_FORMAT " is out of place", NAME(chunk->name));
    if (!spool_png_intact(chunk)) {
        if (spool_png_is_critical(chunk->name))
            return spool_png_fail(report, SPOOL_PNG_CORRUPT, "wrong CRC of chunk " NAME_FORMAT, NAME(chunk->name));
        spool_png_warn(report, "wrong CRC of chunk " NAME_FORMAT, NAME(chunk->name));
        return SPOOL_PNG_OK;
    }
    if (first != (chunk->name == SPOOL_PNG_IHDR) && spool_png_is_critical(chunk->name)) {
        if (chunk->name == SPOOL_PNG_NAME('C', 'g', 'B', 'I'))
            return spool_png_fail(report, SPOOL_PNG_UNSUPPORTED, "Apple's variant of PNG (CgBI)");
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "chunk " NAME_FORMAT " is out of place", NAME(chunk->name));
    }
    switch (chunk->name) {
    case SPOOL_PNG_IHDR:
        return read_ihdr(image, chunk, report);
    case SPOOL_PNG_PLTE:
        return read_plte(image, chunk, report);
    case SPOOL_PNG_IEND:
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "no pixels");
    }
    if (spool_png_is_critical(chunk->name))
        return spool_png_fail(report, SPOOL_PNG_UNSUPPORTED, "unknown critical chunk " NAME_FORMAT, NAME(chunk->name));
    if (!first)
        read_ancillary(image, chunk, report);
    return SPOOL_PNG_OK;
}

int spool_png_read_image(spool_png_image *image, const uint8_t *data, size_t size, spool_png_report *report)
{
    const size_t head = size < SPOOL_PNG_SIGNATURE ? size : SPOOL_PNG_SIGNATURE;
    *image = (spool_png_image){0};
    if (memcmp(data, spool_png_signature, head) != 0)
        return spool_png_fail(report, SPOOL_PNG_NOT_PNG, "no PNG signature");
    spool_png_file file = {data, size, head};
    for (;;) {
        spool_png_chunk chunk;
        const int found = spool_png_next_chunk(&file, &chunk);
        if (found == SPOOL_PNG_CHUNK_NONE)
            return spool_png_fail(report, SPOOL_PNG_CORRUPT, "no chunk where one should be");
        if (chunk.name == SPOOL_PNG_IDAT && image->width > 0) {
            image->pixels = chunk.at;
            break;
        }
        if (found == SPOOL_PNG_CHUNK_CUT)
            return spool_png_fail(report, SPOOL_PNG_TRUNCATED, "the data end within the header");
        const int status = read_chunk(image, &chunk, report);
        if (status != SPOOL_PNG_OK)
            return status;
    }
    if (image->color == SPOOL_PNG_PALETTE && image->palette == NULL)
        return spool_png_fail(report, SPOOL_PNG_CORRUPT, "no palette");
    return SPOOL_PNG_OK;
}

/* Chunks of pixels, whose contents are checked later or have been checked. */
static int is_pixels(uint32_t name)
{
    return name == SPOOL_PNG_IDAT || name == SPOOL_PNG_fcTL || name == SPOOL_PNG_fdAT;
}

void spool_png_check_rest(const uint8_t *data, size_t size, size_t at, spool_png_report *report)
{
    spool_png_file file = {data, size, at};
    for (spool_png_chunk chunk;;) {
        if (spool_png_next_chunk(&file, &chunk) != SPOOL_PNG_CHUNK_WHOLE) {
            spool_png_warn(report, "the data end before the IEND chunk");
            return;
        }
        if (!is_pixels(chunk.name) && !spool_png_intact(&chunk))
            spool_png_warn(report, "wrong CRC of chunk " NAME_FORMAT, NAME(chunk.name));
        if (chunk.name == SPOOL_PNG_IEND)
            return;
    }
}

static void place(const spool_png_chunk *chunk, const uint8_t *data, size_t *at, size_t *length)
{
    if (chunk->length > 0) {
        *at = chunk->data - data;
        *length = chunk->length;
    }
}

int spool_png_read_header(const uint8_t *data, size_t size, spool_png_header *header, spool_png_report *report)
{
    spool_png_image image;
    const int status = spool_png_read_image(&image, data, size, report);
    *header = (spool_png_header){
        .width = image.width,
        .height = image.height,
        .color = image.color,
        .depth = image.depth,
        .interlaced = image.interlaced,
        .transparent = image.transparency != NULL,
        .frames = image.frames,
        .default_image = image.control.length == 0,
    };
    place(&image.exif, data, &header->exif, &header->exif_length);
    place(&image.profile, data, &header->profile, &header->profile_length);
    return status;
}
