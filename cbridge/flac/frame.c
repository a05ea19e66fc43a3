/* A frame: header, one subframe per channel, and a checksum. */
#include "bits.h"
#include "crc.h"
#include "header.h"
#include "predict.h"
#include "residual.h"

/* The fixed predictors. */
static const flac_predictor fixed[] = {
    {.order = 0},
    {.order = 1, .c = {1}},
    {.order = 2, .c = {2, -1}},
    {.order = 3, .c = {3, -3, 1}},
    {.order = 4, .c = {4, -6, 4, -1}},
};

/*
 * A channel of a block. x has its samples. If wide is not NULL, samples have 33 bits and are in wide, and x has
 * residuals.
 */
typedef struct {
    int32_t *x;
    int64_t *wide;
    int32_t n;
} channel;

static void put(channel *c, int32_t i, int64_t v)
{
    if (c->wide != NULL)
        c->wide[i] = v;
    else
        c->x[i] = (int32_t)v;
}

/* Reads the first n samples, stored as numbers of `bits` bits. */
static int verbatim(flac_bits *r, channel *c, int32_t n, int bits)
{
    for (int32_t i = 0; i < n; i++) {
        if (!holds(r, bits))
            return SPOOL_FLAC_END;
        put(c, i, take_signed(r, bits));
    }
    return SPOOL_FLAC_DONE;
}

/* Reports whether all samples fit in `bits` bits. If they do, no intermediate sum has overflowed. */
static int within(const channel *c, int bits)
{
    uint64_t beyond = 0;
    if (c->wide != NULL) {
        for (int32_t i = 0; i < c->n; i++)
            beyond |= (uint64_t)(c->wide[i] ^ c->wide[i] >> 63);
        return beyond >> (bits - 1) == 0;
    }
    uint32_t beyond32 = 0;
    for (int32_t i = 0; i < c->n; i++)
        beyond32 |= (uint32_t)(c->x[i] ^ c->x[i] >> 31);
    return beyond32 >> (bits - 1) == 0;
}

static int predicted(flac_bits *r, channel *c, const flac_predictor *p, int bits)
{
    const int status = spool_flac_residual(r, c->wide == NULL ? p : NULL, p->order, c->x, c->n);
    if (status != SPOOL_FLAC_DONE)
        return status;
    if (c->wide != NULL)
        spool_flac_predict_wide(p, c->x + p->order, c->wide + p->order, c->n - p->order);
    return within(c, bits) ? SPOOL_FLAC_DONE : SPOOL_FLAC_RANGE;
}

static int linear(flac_bits *r, channel *c, int order, int bits)
{
    flac_predictor p = {.order = order};
    if (!holds(r, 9))
        return SPOOL_FLAC_END;
    const int precision = take(r, 4) + 1;
    p.shift = take_signed(r, 5);
    if (precision == 16 || p.shift < 0)
        return SPOOL_FLAC_SUBFRAME;
    for (int i = 0; i < order; i++) {
        if (!holds(r, precision))
            return SPOOL_FLAC_END;
        p.c[i] = take_signed(r, precision);
    }
    return predicted(r, c, &p, bits);
}

/* Decodes a subframe: RFC 9639, section 9.2. */
static int subframe(flac_bits *r, channel *c, int bits)
{
    if (!holds(r, 8))
        return SPOOL_FLAC_END;
    const int head = take(r, 8), type = head >> 1 & 63;
    if (head & 0x80)
        return SPOOL_FLAC_SUBFRAME;
    int wasted = 0;
    if (head & 1) {
        do {
            if (!holds(r, 1))
                return SPOOL_FLAC_END;
            wasted++;
        } while (take(r, 1) == 0 && wasted < bits);
        if (wasted >= bits)
            return SPOOL_FLAC_SUBFRAME;
    }
    bits -= wasted;

    const int order = type == 0 ? 1 : type == 1 ? c->n : type < 32 ? type - 8 : type - 31;
    if ((type > 1 && type < 8) || (type > 12 && type < 32))
        return SPOOL_FLAC_SUBFRAME;
    if (order > c->n)
        return SPOOL_FLAC_SUBFRAME;
    int status = verbatim(r, c, order, bits);
    if (status != SPOOL_FLAC_DONE)
        return status;
    if (type == 0) {
        for (int32_t i = 1; i < c->n; i++)
            put(c, i, c->wide != NULL ? c->wide[0] : c->x[0]);
    } else if (type >= 32) {
        status = linear(r, c, order, bits);
    } else if (type >= 8) {
        status = predicted(r, c, &fixed[order], bits);
    }
    if (wasted == 0 || status != SPOOL_FLAC_DONE)
        return status;
    for (int32_t i = 0; i < c->n; i++) {
        if (c->wide != NULL)
            c->wide[i] = (int64_t)((uint64_t)c->wide[i] << wasted);
        else
            c->x[i] = (int32_t)((uint32_t)c->x[i] << wasted);
    }
    return SPOOL_FLAC_DONE;
}

/* The bits of a number that differ from its sign bit. */
static inline uint32_t magnitude(uint32_t v)
{
    return v ^ (uint32_t)((int32_t)v >> 31);
}

/*
 * Writes left and right from two coded channels, with low bits zero. Sums are modulo 2^32. In the mode MID_SIDE, mid
 * lacks its lowest bit, which equals that of side. Returns the OR of the samples' magnitudes.
 */
#define STEREO(name, type)                                                                                         \
    static uint32_t name(int stereo, const uint32_t *restrict a, const uint32_t *restrict b, int32_t n, int shift, \
                         type *restrict left, type *restrict right)                                                \
    {                                                                                                              \
        uint32_t beyond = 0;                                                                                       \
        for (int32_t i = 0; i < n && stereo == LEFT_SIDE; i++) {                                                   \
            const uint32_t r = a[i] - b[i];                                                                        \
            beyond |= magnitude(r);                                                                                \
            left[i] = (type)(a[i] << shift);                                                                       \
            right[i] = (type)(r << shift);                                                                         \
        }                                                                                                          \
        for (int32_t i = 0; i < n && stereo == SIDE_RIGHT; i++) {                                                  \
            const uint32_t l = a[i] + b[i];                                                                        \
            beyond |= magnitude(l);                                                                                \
            left[i] = (type)(l << shift);                                                                          \
            right[i] = (type)(b[i] << shift);                                                                      \
        }                                                                                                          \
        for (int32_t i = 0; i < n && stereo == MID_SIDE; i++) {                                                    \
            const uint32_t r = a[i] - (uint32_t)((int32_t)b[i] >> 1), l = r + b[i];                                \
            beyond |= magnitude(l) | magnitude(r);                                                                 \
            left[i] = (type)(l << shift);                                                                          \
            right[i] = (type)(r << shift);                                                                         \
        }                                                                                                          \
        return beyond;                                                                                             \
    }                                                                                                              \
    static void name##_alone(const uint32_t *restrict x, int32_t n, int shift, type *restrict out)                 \
    {                                                                                                              \
        for (int32_t i = 0; i < n; i++)                                                                            \
            out[i] = (type)(x[i] << shift);                                                                        \
    }

STEREO(narrow, int16_t)
STEREO(broad, int32_t)

/* The same for a side channel of 33 bits, in streams of 32 bits, where samples have no low bits to clear. */
static uint64_t wide(int stereo, const int32_t *x, const int64_t *side, int32_t n, int32_t *left, int32_t *right)
{
    uint64_t beyond = 0;
    for (int32_t i = 0; i < n; i++) {
        const int64_t r = stereo == LEFT_SIDE ? x[i] - side[i] : stereo == SIDE_RIGHT ? x[i] : x[i] - (side[i] >> 1);
        const int64_t l = r + side[i];
        beyond |= (uint64_t)(r ^ r >> 63) | (uint64_t)(l ^ l >> 63);
        left[i] = (int32_t)l;
        right[i] = (int32_t)r;
    }
    return beyond;
}

/*
 * Writes the samples to the planes. Samples of stereo modes can exceed the stream's depth, which is reported as a
 * reason: decoders differ on them. FFmpeg clamps them with SIMD, and takes them modulo 2^16 without SIMD.
 */
static int store(const spool_flac_stream *s, const spool_flac_memory *m, const flac_header *h)
{
    const int32_t n = h->samples, stride = s->largest;
    const uint32_t *x = (const uint32_t *)m->work;
    int16_t *const shorts = m->planes;
    int32_t *const longs = m->planes;
    uint64_t beyond = 0;
    if (h->stereo != INDEPENDENT && s->bits == 32)
        beyond = wide(h->stereo, m->work + (h->stereo == SIDE_RIGHT ? stride : 0), m->wide, n, longs, longs + stride);
    else if (h->stereo != INDEPENDENT && s->bits > 16)
        beyond = broad(h->stereo, x, x + stride, n, 32 - s->bits, longs, longs + stride);
    else if (h->stereo != INDEPENDENT)
        beyond = narrow(h->stereo, x, x + stride, n, 16 - s->bits, shorts, shorts + stride);
    else
        for (int c = 0; c < s->channels; c++)
            if (s->bits > 16)
                broad_alone(x + c * stride, n, 32 - s->bits, longs + c * stride);
            else
                narrow_alone(x + c * stride, n, 16 - s->bits, shorts + c * stride);
    return beyond >> (s->bits - 1) == 0 ? SPOOL_FLAC_DONE : SPOOL_FLAC_RANGE;
}

/* Reports whether a frame is the next. The first frame sets how frames are numbered. */
static int follows(spool_flac_stream *s, const flac_header *h, int64_t first)
{
    if (first == 0 && h->number == 0) {
        s->variable = h->variable;
        s->block = h->samples;
    }
    if (h->variable != s->variable)
        return 0;
    return h->variable ? h->number == first : h->number * s->block == first && h->samples <= s->block;
}

int spool_flac_decode(spool_flac_stream *s, const spool_flac_memory *m, const uint8_t *data, size_t n, int64_t first,
                      spool_flac_frame *f)
{
    flac_header h;
    int status = spool_flac_header(s, data, n, &h);
    if (status != SPOOL_FLAC_DONE)
        return status;
    if (!follows(s, &h, first))
        return SPOOL_FLAC_NUMBER;
    flac_bits bits = {.at = data + h.bytes, .end = data + n};
    for (int c = 0; c < s->channels; c++) {
        const int side = h.stereo != INDEPENDENT && c == (h.stereo != SIDE_RIGHT);
        channel x = {.x = m->work + c * s->largest, .n = h.samples};
        if (side && s->bits == 32)
            x.wide = m->wide;
        status = subframe(&bits, &x, s->bits + side);
        if (status != SPOOL_FLAC_DONE)
            return status;
    }
    drop(&bits, bits.left & 7);
    if (!holds(&bits, 16))
        return SPOOL_FLAC_END;
    const size_t size = bits.at - data - bits.left / 8;
    if (spool_flac_crc16(data, size) != take(&bits, 16))
        return SPOOL_FLAC_CHECKSUM;
    status = store(s, m, &h);
    if (status != SPOOL_FLAC_DONE)
        return status;
    f->samples = h.samples;
    f->bytes = size + 2;
    return SPOOL_FLAC_DONE;
}
