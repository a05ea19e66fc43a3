#include <libavcodec/avcodec.h>

#include "recovery.h"
#include "unit.h"

/* ITU-T H.264, table 7-1 and annex D. */
enum { NAL_IDR = 5, NAL_SEI = 6, SEI_RECOVERY_POINT = 6 };

/* Returns the sum of bytes up to the first that is not 255. */
static int extent(spool_av_bytes *sei)
{
    int sum = 0;

    while (sei->at < sei->end && sum < 1 << 20) {
        sum += *sei->at;
        if (*sei->at++ != 255)
            return sum;
    }
    return -1;
}

/*
 * Reports whether a SEI unit has a recovery point whose recovery_frame_cnt is not 0. That is the first number of the
 * payload, in Exp-Golomb code, where 0 is the bit 1. Emulation prevention bytes follow two zero bytes. They come after
 * the bits that are read, or are in an earlier payload, which does not occur in practice.
 */
static int recovers_later(spool_av_bytes sei)
{
    sei.at++; /* type of the unit */
    while (sei.end - sei.at > 2) {
        const int type = extent(&sei), size = extent(&sei);
        if (type < 0 || size < 0 || size > sei.end - sei.at)
            return 0;
        if (type == SEI_RECOVERY_POINT)
            return size > 0 && (*sei.at & 0x80) == 0;
        sei.at += size;
    }
    return 0;
}

int spool_av_recovers_later(const AVCodecParameters *p, const uint8_t *packet, size_t size)
{
    if (p->codec_id != AV_CODEC_ID_H264)
        return 0;
    const int length_bytes = spool_av_length_bytes(p);
    spool_av_bytes all = {packet, packet + size}, unit;
    int later = 0;
    while (spool_av_next_unit(&all, length_bytes, &unit)) {
        if (unit.at == unit.end)
            continue;
        const int type = *unit.at & 0x1f;
        if (type == NAL_IDR)
            return 0;
        if (type == NAL_SEI) {
            if (!length_bytes)
                spool_av_end_unit(&unit);
            later |= recovers_later(unit);
        }
        if (type >= 1 && type < NAL_IDR)
            break; /* SEI precedes the frame */
    }
    return later;
}
