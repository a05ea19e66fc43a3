#ifndef SPOOL_AV_PICTURE_H
#define SPOOL_AV_PICTURE_H

#include <libavcodec/avcodec.h>

/* Tells of packets what their pictures are: frames, single fields, or such as are never shown. */
typedef struct {
    const AVCodecParameters *parameters;
    AVCodecContext *context; /* with parser: of H.264 that may be interlaced; NULL of others */
    AVCodecParserContext *parser;
    int first; /* the packet before was the first field of a frame: 1 top, 2 bottom */
} spool_av_pictures;

int spool_av_pictures_open(spool_av_pictures *p, const AVCodecParameters *parameters);
void spool_av_pictures_close(spool_av_pictures *p);

/* Whether a packet is the second field of the frame that the one before began. Packets are to come in their order. */
int spool_av_pictures_second(spool_av_pictures *p, const AVPacket *packet);

/* Whether the packet gives no frame: a reference of VP8 or VP9 that is not shown. */
int spool_av_hidden(const AVCodecParameters *parameters, const AVPacket *packet);

#endif
