#include "disposable.h"
#include "unit.h"

enum {
    H264_SLICE = 1, /* 1 to 5: slices and their partitions (ITU-T H.264, table 7-1) */
    H264_IDR = 5,
    HEVC_VCL = 32,                     /* lower values: slices (ITU-T H.265, table 7-1) */
    HEVC_SUB_LAYER_NON_REFERENCE = 16, /* even values below are not references */
    MPEG_PICTURE = 0x00,               /* start codes (ISO/IEC 13818-2, table 6-1; 14496-2, table 6-3) */
    MPEG4_VOP = 0xb6,
    MPEG_B = 3, /* picture_coding_type */
    MPEG4_B = 2 /* vop_coding_type */
};

/* Returns -1 if the unit is not of a frame, 0 if the frame may be a reference, and 1 if it is not. */
static int h264(spool_av_bytes unit)
{
    const int type = *unit.at & 0x1f;

    if (*unit.at & 0x80)
        return 0;
    if (type < H264_SLICE || type > H264_IDR)
        return -1;
    return (*unit.at & 0x60) == 0 && type != H264_IDR;
}

static int hevc(spool_av_bytes unit)
{
    if (unit.end - unit.at < 2 || *unit.at & 0x80)
        return 0;
    const int type = *unit.at >> 1 & 0x3f;
    if (type >= HEVC_VCL)
        return -1;
    return type < HEVC_SUB_LAYER_NON_REFERENCE && type % 2 == 0;
}

static int mpeg12(spool_av_bytes unit)
{
    if (*unit.at != MPEG_PICTURE)
        return -1;
    return unit.end - unit.at >= 3 && (unit.at[2] >> 3 & 7) == MPEG_B;
}

static int mpeg4(spool_av_bytes unit)
{
    if (*unit.at != MPEG4_VOP)
        return -1;
    return unit.end - unit.at >= 2 && unit.at[1] >> 6 == MPEG4_B;
}

int spool_av_disposable(const AVCodecParameters *p, const AVPacket *packet)
{
    int (*judge)(spool_av_bytes);

    switch (p->codec_id) {
    case AV_CODEC_ID_H264:
        judge = h264;
        break;
    case AV_CODEC_ID_HEVC:
        judge = hevc;
        break;
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
        judge = mpeg12;
        break;
    case AV_CODEC_ID_MPEG4:
        judge = mpeg4;
        break;
    default:
        return 0;
    }
    const int length_bytes = spool_av_length_bytes(p);
    spool_av_bytes all = {packet->data, packet->data + packet->size}, unit;
    int found = 0;
    while (spool_av_next_unit(&all, length_bytes, &unit)) {
        if (unit.at == unit.end)
            return 0;
        const int answer = judge(unit);
        if (answer == 0)
            return 0;
        if (answer > 0)
            found = 1;
    }
    return found && (!length_bytes || all.at == all.end); /* in noise the lengths do not add up */
}

int spool_av_layer(const AVCodecParameters *p, const AVPacket *packet)
{
    const int length_bytes = spool_av_length_bytes(p);
    spool_av_bytes all = {packet->data, packet->data + packet->size}, unit;

    if (p->codec_id != AV_CODEC_ID_HEVC)
        return 0;
    while (spool_av_next_unit(&all, length_bytes, &unit))
        if (unit.end - unit.at >= 2 && (*unit.at >> 1 & 0x3f) < HEVC_VCL)
            return (unit.at[1] & 7) - 1; /* -1 is invalid */
    return 0;
}
