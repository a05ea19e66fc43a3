#include <stdlib.h>

#include <libavformat/avformat.h>

#include "av.h"
#include "disposable.h"
#include "fields.h"
#include "recovery.h"
#include "sequence.h"

/* Grows the array for one more entry. */
static int grow(spool_av_entry **entries, size_t n, size_t *room)
{
    if (n < *room)
        return 0;
    const size_t more = *room ? 2 * *room : 256;
    spool_av_entry *grown = realloc(*entries, more * sizeof **entries);
    if (!grown)
        return AVERROR(ENOMEM);
    *entries = grown;
    *room = more;
    return 0;
}

int spool_av_read(void *context, void *packet)
{
    AVPacket *p = packet;

    av_packet_unref(p);
    const int code = av_read_frame(context, p);
    if (code < 0)
        return code;
    const AVCodecParameters *parameters = ((AVFormatContext *)context)->streams[p->stream_index]->codecpar;
    return parameters->codec_id == AV_CODEC_ID_H264 && spool_av_disposable(parameters, p) != 0;
}

int spool_av_tables_tell(void *context, int stream)
{
    const AVCodecParameters *p = ((AVFormatContext *)context)->streams[stream]->codecpar;
    const AVCodecDescriptor *codec = avcodec_descriptor_get(p->codec_id);

    switch (p->codec_id) {
    case AV_CODEC_ID_H264:
        return spool_av_frames_only(p); /* fields may be packets of their own */
    case AV_CODEC_ID_AV1:
        return 1;
    default:
        return codec && (codec->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
    }
}

int spool_av_key_recovers_later(void *context, int stream, const uint8_t *packet, size_t size)
{
    return spool_av_recovers_later(((AVFormatContext *)context)->streams[stream]->codecpar, packet, size);
}

int spool_av_scan(spool_av_input *input, int stream, spool_av_entry **entries, size_t *n)
{
    const AVFormatContext *context = input->context;
    const AVCodecParameters *parameters = context->streams[stream]->codecpar;
    AVPacket *packet = av_packet_alloc();
    size_t room = 0;
    spool_av_fields fields = {0};
    int code = packet ? 0 : AVERROR(ENOMEM);

    *entries = NULL;
    *n = 0;
    if (code >= 0 && !input->zeros)
        code = spool_av_fields_open(&fields, parameters);
    while (code >= 0) {
        if (spool_cancelled(input->flag)) {
            code = AVERROR_EXIT;
            break;
        }
        code = av_read_frame(input->context, packet);
        if (code < 0)
            break;
        if (packet->stream_index == stream && (code = grow(entries, *n, &room)) >= 0) {
            spool_av_entry *e = &(*entries)[(*n)++];
            *e = (spool_av_entry){
                .pts = packet->pts,
                .dts = packet->dts,
                .duration = packet->duration,
                .pos = packet->pos,
                .size = packet->size,
                .key = (packet->flags & AV_PKT_FLAG_KEY) != 0,
                .discard = (packet->flags & AV_PKT_FLAG_DISCARD) != 0,
                .corrupt = (packet->flags & AV_PKT_FLAG_CORRUPT) != 0,
            };
            if (!input->zeros) {
                e->refresh = e->key && spool_av_recovers_later(parameters, packet->data, packet->size);
                e->disposable = spool_av_disposable(parameters, packet) != 0;
                e->layer = (int8_t)spool_av_layer(parameters, packet);
                e->hidden = spool_av_hidden(parameters, packet) != 0;
                e->second = spool_av_fields_second(&fields, packet) != 0;
            }
        }
        av_packet_unref(packet);
    }
    av_packet_free(&packet);
    spool_av_fields_close(&fields);
    if (code == AVERROR_EOF)
        code = spool_av_read_error(input->context);
    return code;
}
