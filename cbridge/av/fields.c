#include "fields.h"
#include "sequence.h"

/*
 * Only H.264 can have fields in separate packets: MPEG-2's parser joins the two fields of a frame, and for HEVC each
 * field is a frame to the decoder.
 */
int spool_av_fields_open(spool_av_fields *p, const AVCodecParameters *parameters)
{
    *p = (spool_av_fields){.parameters = parameters};
    if (parameters->codec_id != AV_CODEC_ID_H264 || spool_av_frames_only(parameters))
        return 0;
    p->parser = av_parser_init(AV_CODEC_ID_H264);
    p->context = avcodec_alloc_context3(NULL);
    int code = p->parser && p->context ? avcodec_parameters_to_context(p->context, parameters) : AVERROR(ENOMEM);
    if (code < 0) {
        spool_av_fields_close(p);
        return code;
    }
    p->parser->flags |= PARSER_FLAG_COMPLETE_FRAMES;
    return 0;
}

void spool_av_fields_close(spool_av_fields *p)
{
    if (p->parser)
        av_parser_close(p->parser);
    avcodec_free_context(&p->context);
    *p = (spool_av_fields){0};
}

/* Returns 1 if the packet is or starts with a top field, 2 for a bottom field, and 0 for a frame or if unknown. */
static int field(spool_av_fields *p, const AVPacket *packet)
{
    uint8_t *data;
    int size;

    p->parser->picture_structure = AV_PICTURE_STRUCTURE_UNKNOWN; /* the parser does not set it if it finds none */
    av_parser_parse2(p->parser, p->context, &data, &size, packet->data, packet->size, AV_NOPTS_VALUE, AV_NOPTS_VALUE,
                     -1);
    switch (p->parser->picture_structure) {
    case AV_PICTURE_STRUCTURE_TOP_FIELD:
        return 1;
    case AV_PICTURE_STRUCTURE_BOTTOM_FIELD:
        return 2;
    default:
        return 0;
    }
}

int spool_av_fields_second(spool_av_fields *p, const AVPacket *packet)
{
    const int this = p->parser ? field(p, packet) : 0, second = p->first && this == 3 - p->first;

    p->first = second ? 0 : this;
    return second;
}

/* RFC 6386, 9.1: show_frame is the fifth bit of a frame, from the lowest. */
static int vp8_hidden(const uint8_t *data)
{
    return !(data[0] & 0x10);
}

/*
 * VP9 bitstream specification, 6.2 and annex B. A superframe, which ends with an index, shows its last frame. Other
 * frames start with these bits, from the highest: 10, two bits of profile and a third for profile 3,
 * show_existing_frame, frame_type, show_frame.
 */
static int vp9_hidden(const uint8_t *data, int size)
{
    const int profile = (data[0] >> 5 & 1) | (data[0] >> 3 & 2);
    const int at = profile == 3 ? 2 : 3; /* bit of show_existing_frame */

    if ((data[size - 1] & 0xe0) == 0xc0 || data[0] >> 6 != 2)
        return 0;
    return !(data[0] >> at & 1) && !(data[0] >> (at - 2) & 1);
}

int spool_av_hidden(const AVCodecParameters *parameters, const AVPacket *packet)
{
    if (packet->size < 1)
        return 0;
    switch (parameters->codec_id) {
    case AV_CODEC_ID_VP8:
        return vp8_hidden(packet->data);
    case AV_CODEC_ID_VP9:
        return vp9_hidden(packet->data, packet->size);
    default:
        return 0;
    }
}
