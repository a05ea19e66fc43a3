#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

#include "webp.h"

enum {
    RIFF_HEADER = 12, /* "RIFF", the size of what follows these eight bytes, "WEBP" */
    CHUNK_HEADER = 8, /* a name and a size */
};

static uint32_t little_endian(const uint8_t *p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static spool_webp_chunk find(const WebPDemuxer *demuxer, const char name[4], const uint8_t *data)
{
    spool_webp_chunk chunk = {0};
    WebPChunkIterator at;

    if (WebPDemuxGetChunk(demuxer, name, 1, &at))
        chunk = (spool_webp_chunk){(size_t)(at.chunk.bytes - data), at.chunk.size};
    WebPDemuxReleaseChunkIterator(&at);
    return chunk;
}

/* Reads what only files with a VP8X chunk have, as far as the data go. */
static int read_extended(const uint8_t *data, size_t size, spool_webp_header *header)
{
    const WebPData file = {data, size};
    WebPDemuxState state;
    WebPDemuxer *demuxer = WebPDemuxPartial(&file, &state);

    if (demuxer == NULL)
        return 0;
    if (header->animated) {
        header->frames = (int32_t)WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT);
        header->loops = (int32_t)WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT);
    }
    header->icc = find(demuxer, "ICCP", data);
    header->exif = find(demuxer, "EXIF", data);
    WebPDemuxDelete(demuxer);
    return 1;
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
        .frames = 1,
        .cut = memcmp(data, "RIFF", 4) == 0 && little_endian(data + 4) > size - CHUNK_HEADER,
    };
    if (size < RIFF_HEADER + CHUNK_HEADER || memcmp(data + RIFF_HEADER, "VP8X", 4) != 0)
        return SPOOL_WEBP_OK;
    if (!read_extended(data, size, header) && header->animated) {
        report->code = header->cut ? VP8_STATUS_NOT_ENOUGH_DATA : VP8_STATUS_BITSTREAM_ERROR;
        return SPOOL_WEBP_FAILED;
    }
    return SPOOL_WEBP_OK;
}
