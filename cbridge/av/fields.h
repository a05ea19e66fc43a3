#ifndef SPOOL_AV_FIELDS_H
#define SPOOL_AV_FIELDS_H

#include <libavcodec/avcodec.h>

/* Finds which packets are frames, single fields, or frames that are never shown. */
typedef struct {
    const AVCodecParameters *parameters;
    AVCodecContext *context; /* with parser: for H.264 that may be interlaced, else NULL */
    AVCodecParserContext *parser;
    int first; /* the previous packet was the first field of a frame: 1 top, 2 bottom */
} spool_av_fields;

int spool_av_fields_open(spool_av_fields *p, const AVCodecParameters *parameters);
void spool_av_fields_close(spool_av_fields *p);

/*
 * Reports whether a packet is the second field of the frame that the previous one started. Call it for packets in
 * order.
 */
int spool_av_fields_second(spool_av_fields *p, const AVPacket *packet);

/* Reports whether the packet gives no frame: a reference of VP8 or VP9 that is not shown. */
int spool_av_hidden(const AVCodecParameters *parameters, const AVPacket *packet);

#endif
