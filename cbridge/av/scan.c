#include <stdlib.h>

#include <libavformat/avformat.h>

#include "av.h"
#include "disposable.h"
#include "fields.h"
#include "recovery.h"

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

int spool_av_packet_disposable(void *context, const void *packet)
{
    const AVPacket *p = packet;
    const AVCodecParameters *parameters = ((AVFormatContext *)context)->streams[p->stream_index]->codecpar;
    return parameters->codec_id == AV_CODEC_ID_H264 && spool_av_disposable(parameters, p) != 0;
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
                e->refresh = spool_av_recovers_later(parameters, packet);
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
