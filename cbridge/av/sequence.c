#include "sequence.h"
#include "unit.h"

/*
 * A reader of a unit's bits, without emulation prevention bytes (ITU-T H.264, 7.4.1). It returns zeros after the end.
 */
typedef struct {
    spool_av_bytes from;
    int zeros, left; /* zero bytes read in a row; unread bits of `byte` */
    uint8_t byte;
    int over; /* a read went beyond the end */
} bits;

static unsigned bit(bits *b)
{
    if (b->left == 0) {
        if (b->zeros >= 2 && b->from.at < b->from.end && *b->from.at == 3) {
            b->from.at++;
            b->zeros = 0;
        }
        b->over |= b->from.at >= b->from.end;
        b->byte = b->over ? 0 : *b->from.at++;
        b->zeros = b->byte == 0 ? b->zeros + 1 : 0;
        b->left = 8;
    }
    return b->byte >> --b->left & 1;
}

static unsigned number(bits *b, int n)
{
    unsigned value = 0;
    while (n-- > 0)
        value = value << 1 | bit(b);
    return value;
}

/* Reads an Exp-Golomb code, 9.1. */
static unsigned golomb(bits *b)
{
    int zeros = 0;
    while (!b->over && zeros < 31 && bit(b) == 0)
        zeros++;
    return (1u << zeros) - 1 + number(b, zeros);
}

static int golomb_signed(bits *b)
{
    const unsigned k = golomb(b);
    return k & 1 ? (int)(k / 2 + 1) : -(int)(k / 2);
}

/* Skips a scaling list, 7.3.2.1.1.1. */
static void pass_scaling_list(bits *b, int size)
{
    int last = 8, next = 8;
    for (int i = 0; i < size && !b->over; i++) {
        if (next)
            next = (last + golomb_signed(b) + 256) & 255;
        last = next ? next : last;
    }
}

/* Skips the fields of profiles that support more than 8-bit 4:2:0, 7.3.2.1.1. */
static void pass_high(bits *b)
{
    const unsigned chroma = golomb(b);
    if (chroma == 3)
        bit(b);
    golomb(b);
    golomb(b);
    bit(b);
    if (!bit(b))
        return;
    for (int i = 0; i < (chroma == 3 ? 12 : 8); i++)
        if (bit(b))
            pass_scaling_list(b, i < 6 ? 16 : 64);
}

static int is_high(unsigned profile)
{
    static const uint8_t high[] = {100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135};
    for (size_t i = 0; i < sizeof high; i++)
        if (profile == high[i])
            return 1;
    return 0;
}

/* Returns frame_mbs_only_flag of a sequence parameter set, 7.3.2.1.1, or 0 if it cannot be read. */
static int frames_only(spool_av_bytes unit)
{
    bits b = {.from = {unit.at + 1, unit.end}};
    const unsigned profile = number(&b, 8);

    number(&b, 16);
    golomb(&b);
    if (is_high(profile))
        pass_high(&b);
    golomb(&b);
    const unsigned order = golomb(&b);
    if (order == 0) {
        golomb(&b);
    } else if (order == 1) {
        bit(&b);
        golomb(&b);
        golomb(&b);
        for (unsigned n = golomb(&b); n > 0 && !b.over; n--)
            golomb(&b);
    }
    golomb(&b);
    bit(&b);
    golomb(&b);
    golomb(&b);
    return bit(&b) && !b.over;
}

int spool_av_frames_only(const AVCodecParameters *p)
{
    enum { SPS = 7, COUNTED = 6 /* bytes of avcC in front of the sets, which have their lengths in two bytes */ };
    const int record = spool_av_length_bytes(p) > 0;
    spool_av_bytes all = {p->extradata, p->extradata + p->extradata_size}, unit;
    int found = 0;

    if (record)
        all.at += COUNTED;
    for (int i = 0; spool_av_next_unit(&all, record ? 2 : 0, &unit); i++) {
        if (record && i >= (p->extradata[5] & 0x1f))
            break;
        if (unit.at == unit.end || (*unit.at & 0x1f) != SPS)
            continue;
        if (!record)
            spool_av_end_unit(&unit);
        if (!frames_only(unit))
            return 0;
        found = 1;
    }
    return found;
}
