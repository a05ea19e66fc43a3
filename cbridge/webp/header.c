#include <string.h>

#include <webp/decode.h>
#include <webp/mux_types.h>

#include "webp.h"

/* The container's layout (RFC 9649, section 2). */
enum {
    RIFF_HEADER = 12,   /* "RIFF", the size of all that follows it, "WEBP" */
    CHUNK_HEADER = 8,   /* a name and a size */
    EXTENDED_SIZE = 10, /* of VP8X: flags, and the canvas */
    LOOPS = 4,          /* offset of the loop count in ANIM, after a color */
};

static uint32_t little_endian(const uint8_t *p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static int is_named(const uint8_t *chunk, const char *name)
{
    return memcmp(chunk, name, 4) == 0;
}

/* Records the contents of a chunk. Its payload has the declared size, and `whole` tells whether the data contain it. */
static void note(spool_webp_header *header, uint32_t flags, const uint8_t *chunk, spool_webp_chunk payload, int whole)
{
    header->chunks++;
    if (is_named(chunk, "ANMF")) {
        header->frames++;
    } else if (is_named(chunk, "ANIM") && whole && payload.size >= LOOPS + 2) {
        header->loops = chunk[CHUNK_HEADER + LOOPS] | chunk[CHUNK_HEADER + LOOPS + 1] << 8;
    } else if (is_named(chunk, "ICCP") && whole && (flags & ICCP_FLAG) && header->icc.size == 0) {
        header->icc = payload;
    } else if (is_named(chunk, "EXIF") && whole && (flags & EXIF_FLAG) && header->exif.size == 0) {
        header->exif = payload;
    }
}

/*
 * Walks over the chunks of an extended file, as far as the data reach. libwebp's demuxer does the same, but allocates
 * memory for every chunk.
 */
static void walk(const uint8_t *data, size_t size, spool_webp_header *header)
{
    const uint32_t flags = little_endian(data + RIFF_HEADER + CHUNK_HEADER);
    const uint64_t riff = (uint64_t)little_endian(data + 4) + CHUNK_HEADER;
    size_t at = RIFF_HEADER + CHUNK_HEADER + EXTENDED_SIZE;

    if (size > riff)
        size = (size_t)riff; /* data after it do not belong to the file */
    while (at + CHUNK_HEADER <= size) {
        const uint8_t *chunk = data + at;
        const size_t left = size - at - CHUNK_HEADER, length = little_endian(chunk + 4);
        note(header, flags, chunk, (spool_webp_chunk){at + CHUNK_HEADER, length}, length <= left);
        if (length >= left)
            return;
        at += CHUNK_HEADER + length + length % 2;
    }
}

int spool_webp_read_header(const uint8_t *data, size_t size, spool_webp_header *header, spool_webp_report *report)
{
    WebPBitstreamFeatures features;

    report->code = WebPGetFeatures(data, size, &features);
    if (report->code != VP8_STATUS_OK)
        return SPOOL_WEBP_FAILED;
    *header = (spool_webp_header){
        .width = features.width,
        .height = features.height,
        .alpha = features.has_alpha,
        .animated = features.has_animation,
        .lossless = features.format == 2,
        .truncated = is_named(data, "RIFF") && little_endian(data + 4) > size - CHUNK_HEADER,
    };
    if (size >= RIFF_HEADER + CHUNK_HEADER + EXTENDED_SIZE && is_named(data + RIFF_HEADER, "VP8X"))
        walk(data, size, header);
    if (!header->animated)
        header->frames = 1;
    return SPOOL_WEBP_OK;
}
