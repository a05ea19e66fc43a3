/* Converts taps from the caller's arrays to those of the kernels. */
#include <string.h>

#include "engine.h"

static void put(spool_taps *taps, size_t at, int32_t weight)
{
    if (taps->whole)
        taps->whole[at] = weight;
    if (taps->low) {
        taps->low[at] = (int16_t)weight;
        taps->high[at] = (int16_t)((weight - taps->low[at]) >> 16);
    } else if (taps->high) {
        taps->high[at] = (int16_t)weight;
    }
}

/* Copies one window: `first` is the first input of its n weights, which begin at `from` of the caller's arrays. */
static void copy_window(spool_taps *taps, int32_t i, int32_t first, const spool_axis_taps *axis, size_t from, int32_t n)
{
    /* All windows have the length of the longest: they begin earlier if they would exceed the input. */
    taps->start[i] = spool_min(first, taps->in - taps->taps);
    const size_t to = (size_t)i * taps->stride + (first - taps->start[i]);

    if (!taps->whole && !taps->low && !axis->mirrored) {
        memcpy(taps->high + to, axis->weights + from, n * sizeof *taps->high);
        return;
    }
    for (int32_t k = 0; k < n; k++) {
        const size_t at = from + (axis->mirrored ? n - 1 - k : k);
        put(taps, to + k, axis->wide ? axis->wide[at] : axis->weights[at]);
    }
}

/* The offsets of sums of samples less 2^15, or none if such a sum could exceed 32 bits. */
static void copy_offsets(spool_taps *taps)
{
    const int32_t outputs = (taps->out + 3) / 4 * 4;
    const int64_t half = (int64_t)1 << (taps->precision - 1), turned = 1 << 15;

    for (int32_t i = 0; i < outputs && taps->offset; i++) {
        int64_t sum = i < taps->out ? -2 * half : 0, most = 0;
        for (int32_t k = 0; k < taps->taps; k++) {
            const int64_t weight = taps->high[(size_t)i * taps->stride + k];
            sum += weight;
            most += weight < 0 ? -weight : weight;
        }
        if ((most + (sum < 0 ? -sum : sum)) * turned + half > INT32_MAX)
            taps->offset = NULL;
        else
            taps->offset[i] = (int32_t)(sum * turned);
    }
}

static void copy(spool_taps *taps, spool_axis_taps axis)
{
    const size_t outputs = ((size_t)taps->out + 3) / 4 * 4, weights = outputs * taps->stride;

    memset(taps->start, 0, outputs * sizeof *taps->start);
    if (taps->whole)
        memset(taps->whole, 0, weights * sizeof *taps->whole);
    if (taps->high)
        memset(taps->high, 0, weights * sizeof *taps->high);
    if (taps->low)
        memset(taps->low, 0, weights * sizeof *taps->low);

    for (int32_t i = 0; i < taps->out; i++) {
        const int32_t output = axis.backwards ? taps->out - 1 - i : i;
        const int32_t n = axis.start ? axis.count[output] : 1;
        const int32_t first = axis.start ? axis.start[output] : output;
        const int32_t from = axis.mirrored ? taps->in - first - n : first;
        if (axis.start) {
            copy_window(taps, i, from, &axis, (size_t)output * axis.stride, n);
        } else {
            taps->start[i] = from;
            put(taps, (size_t)i * taps->stride, 1 << taps->precision);
        }
    }
    copy_offsets(taps);
}

/* Copies the taps of four outputs, in the order in which a kernel takes them from one load. */
static void copy_quad(const spool_taps *taps, int32_t i, uint8_t *shuffle, int16_t *quad)
{
    for (int32_t pair = 0; pair < taps->pairs; pair++)
        for (int32_t k = 0; k < 4; k++)
            for (int32_t half = 0; half < 2; half++) {
                const int32_t tap = 2 * pair + half, at = 16 * pair + 4 * k + 2 * half;
                const int used = i + k < taps->out && tap < taps->taps;
                shuffle[at] = used ? (uint8_t)(taps->start[i + k] - taps->start[i] + tap) : 0x80;
                shuffle[at + 1] = 0x80;
                quad[at / 2] = used ? taps->high[(size_t)(i + k) * taps->stride + tap] : 0;
            }
}

void spool_engine_horizontal(spool_engine *e, spool_axis_taps from)
{
    spool_taps *taps = &e->horizontal;
    copy(taps, from);
    for (int32_t i = 0; i < taps->out && taps->pairs > 0; i += 4) {
        const size_t at = (size_t)i / 4 * taps->pairs;
        copy_quad(taps, i, taps->shuffle + 16 * at, taps->quad + 8 * at);
    }
}

void spool_engine_vertical(spool_engine *e, spool_axis_taps from)
{
    spool_taps *v = &e->vertical;
    copy(v, from);
    e->row = v->start[0];
    e->sink.first = e->plan.top + v->start[0];
    e->sink.last = e->plan.top + v->start[v->out - 1] + v->taps;
}
