#include "payload.h"

#include <string.h>

#include <libavcodec/avcodec.h>

/* The memory is borrowed: nothing to free. */
static void leave(void *opaque, uint8_t *data)
{
    (void)opaque, (void)data;
}

int spool_av_payload_lend(void *packet, const uint8_t *data, int32_t size)
{
    AVPacket *p = packet;

    av_packet_unref(p);
    p->buf = av_buffer_create((uint8_t *)data, (size_t)size + AV_INPUT_BUFFER_PADDING_SIZE, leave, NULL,
                              AV_BUFFER_FLAG_READONLY);
    if (!p->buf)
        return AVERROR(ENOMEM);
    p->data = p->buf->data;
    p->size = size;
    return 0;
}

const uint8_t *spool_av_payload_data(const void *packet, int32_t *size)
{
    const AVPacket *p = packet;
    *size = p->size;
    return p->data;
}

const uint8_t *spool_av_payload_side(const void *packet, int32_t i, int32_t *type, size_t *size)
{
    const AVPacket *p = packet;

    if (i >= p->side_data_elems)
        return NULL;
    *type = p->side_data[i].type;
    *size = p->side_data[i].size;
    return p->side_data[i].data;
}

int spool_av_payload_add_side(void *packet, int32_t type, const uint8_t *data, size_t size)
{
    uint8_t *copy = av_packet_new_side_data(packet, (enum AVPacketSideDataType)type, size);

    if (!copy)
        return AVERROR(ENOMEM);
    if (size > 0)
        memcpy(copy, data, size);
    return 0;
}
