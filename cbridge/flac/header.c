/* A frame's header: RFC 9639, section 9.1. */
#include "header.h"
#include "crc.h"

/* Sample rates by code. For the other codes, the rate follows the number. */
static const int32_t rates[] = {0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000};

/* Bits of a sample by code; -1: reserved. */
static const int32_t depths[] = {0, 8, 12, -1, 16, 20, 24, 32};

/*
 * Reads a number coded like UTF-8: the leading ones of the first byte are its length in bytes. Returns the length, or 0
 * if it is invalid.
 */
static size_t coded_number(const uint8_t *p, size_t n, int64_t *number)
{
    if (n == 0)
        return 0;
    if (p[0] < 0x80) {
        *number = p[0];
        return 1;
    }
    const size_t bytes = __builtin_clz((unsigned)(uint8_t)~p[0] << 24 | 1 << 16);
    if (bytes < 2 || bytes > 7 || bytes > n)
        return 0;
    int64_t x = p[0] & (0x7F >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        x = x << 6 | (p[i] & 0x3F);
    }
    *number = x;
    return bytes;
}

int spool_flac_header(const spool_flac_stream *s, const uint8_t *p, size_t n, flac_header *h)
{
    if (n < 2)
        return SPOOL_FLAC_END;
    if (p[0] != 0xFF || (p[1] & 0xFE) != 0xF8)
        return SPOOL_FLAC_SYNC;
    if (n < 6)
        return SPOOL_FLAC_END;
    const int block = p[2] >> 4, rate = p[2] & 15, channels = p[3] >> 4, depth = p[3] >> 1 & 7;
    if (block == 0 || rate == 15 || channels > 10 || depths[depth] < 0 || p[3] & 1)
        return SPOOL_FLAC_HEADER;

    size_t at = 4, bytes = coded_number(p + at, n - at, &h->number);
    if (bytes == 0)
        return n - at < 7 ? SPOOL_FLAC_END : SPOOL_FLAC_HEADER;
    at += bytes;
    const size_t size = at + (block == 6) + 2 * (block == 7) + (rate == 12) + 2 * (rate > 12) + 1;
    if (size > n)
        return SPOOL_FLAC_END;
    if (block == 6 || block == 7) {
        h->samples = p[at++];
        if (block == 7)
            h->samples = h->samples << 8 | p[at++];
        h->samples++;
    } else {
        h->samples = block == 1 ? 192 : block < 6 ? 576 << (block - 2) : 256 << (block - 8);
    }
    int32_t per_second = rate < 12 ? rates[rate] : p[at++];
    if (rate == 12)
        per_second *= 1000;
    if (rate > 12)
        per_second = (per_second << 8 | p[at++]) * (rate == 14 ? 10 : 1);
    if (spool_flac_crc8(p, at) != p[at])
        return SPOOL_FLAC_HEADER;

    if ((per_second != 0 && per_second != s->rate) || (channels < 8 ? channels + 1 : 2) != s->channels ||
        (depth != 0 && depths[depth] != s->bits) || h->samples > s->largest)
        return SPOOL_FLAC_CHANGE;
    h->stereo = channels < 8 ? INDEPENDENT : LEFT_SIDE + channels - 8;
    h->variable = p[1] & 1;
    h->bytes = size;
    return SPOOL_FLAC_DONE;
}

size_t spool_flac_find(const spool_flac_stream *s, const uint8_t *data, size_t n, int64_t *first)
{
    for (size_t i = 0; i + 1 < n; i++) {
        flac_header h;
        if (data[i] == 0xFF && spool_flac_header(s, data + i, n - i, &h) == SPOOL_FLAC_DONE &&
            h.variable == s->variable) {
            *first = h.variable ? h.number : h.number * s->block;
            return i;
        }
    }
    return n;
}
