#include <libavcodec/avcodec.h>

#include "recovery.h"

/* H.264, ITU-T H.264 table 7-1 and annex D. */
enum { NAL_IDR = 5, NAL_SEI = 6, SEI_RECOVERY_POINT = 6 };

typedef struct {
    const uint8_t *at, *end;
} bytes;

/* The next NAL unit of a packet whose units have their lengths before them, of so many bytes, or, 0, start codes. */
static int next_unit(bytes *packet, int length_bytes, bytes *unit)
{
    const uint8_t *p = packet->at;

    if (length_bytes) {
        uint32_t length = 0;
        if (packet->end - p < length_bytes)
            return 0;
        for (int i = 0; i < length_bytes; i++)
            length = length << 8 | *p++;
        if (length > (size_t)(packet->end - p))
            return 0;
        *unit = (bytes){p, p + length};
        packet->at = unit->end;
        return 1;
    }
    for (;; p++) {
        if (packet->end - p < 4)
            return 0;
        if (p[0] == 0 && p[1] == 0 && p[2] == 1)
            break;
    }
    unit->at = p += 3;
    while (packet->end - p >= 3 && !(p[0] == 0 && p[1] == 0 && p[2] <= 1))
        p++;
    unit->end = packet->at = packet->end - p >= 3 ? p : packet->end;
    return 1;
}

/* Sums bytes up to one that is not 255. */
static int extent(bytes *sei)
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
 * Whether a SEI unit has a recovery point whose recovery_frame_cnt is not 0. That is the first number of the payload,
 * in Exp-Golomb code, in which 0 is the bit 1. (Emulation prevention comes after two zero bytes, and so after what is
 * looked at, or in a payload before: no such payload precedes it in practice.)
 */
static int recovers_later(bytes sei)
{
    sei.at++; /* the unit's type */
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

int spool_av_recovers_later(const AVCodecParameters *p, const AVPacket *packet)
{
    if (p->codec_id != AV_CODEC_ID_H264 || !(packet->flags & AV_PKT_FLAG_KEY))
        return 0;
    const int avcc = p->extradata_size >= 7 && p->extradata[0] == 1;
    const int length_bytes = avcc ? (p->extradata[4] & 3) + 1 : 0;
    bytes all = {packet->data, packet->data + packet->size}, unit;
    int later = 0;
    while (next_unit(&all, length_bytes, &unit)) {
        if (unit.at == unit.end)
            continue;
        const int type = *unit.at & 0x1f;
        if (type == NAL_IDR)
            return 0;
        if (type == NAL_SEI)
            later |= recovers_later(unit);
        else if (type >= 1 && type < NAL_IDR)
            break; /* SEI comes before the picture */
    }
    return later;
}
