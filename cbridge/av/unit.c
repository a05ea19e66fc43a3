#include "unit.h"

int spool_av_length_bytes(const AVCodecParameters *p)
{
    /* avcC (ISO/IEC 14496-15, 5.3.3.1) and hvcC (8.3.3.1) begin with their version, 1; start codes do not. */
    if (p->codec_id == AV_CODEC_ID_H264 && p->extradata_size >= 7 && p->extradata[0] == 1)
        return (p->extradata[4] & 3) + 1;
    if (p->codec_id == AV_CODEC_ID_HEVC && p->extradata_size >= 23 && p->extradata[0] == 1)
        return (p->extradata[21] & 3) + 1;
    return 0;
}

int spool_av_next_unit(spool_av_bytes *packet, int length_bytes, spool_av_bytes *unit)
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
        *unit = (spool_av_bytes){p, p + length};
        packet->at = unit->end;
        return 1;
    }
    for (;; p++) {
        if (packet->end - p < 4)
            return 0;
        if (p[0] == 0 && p[1] == 0 && p[2] == 1)
            break;
    }
    *unit = (spool_av_bytes){p + 3, packet->end};
    packet->at = unit->at;
    return 1;
}

void spool_av_end_unit(spool_av_bytes *unit)
{
    const uint8_t *p = unit->at;

    while (unit->end - p >= 3 && !(p[0] == 0 && p[1] == 0 && p[2] <= 1))
        p++;
    if (unit->end - p >= 3)
        unit->end = p;
}
