/*
 * The vertical pass. Two rows are interleaved byte by byte and widened, so that vec_dot adds two taps. Saturating packs
 * restore the order of the bytes. If weights have two halves, the sums have two halves as well, and `low` is not NULL.
 * The compiler knows `low` as a constant.
 */

/* The sums of a vector of bytes. */
typedef struct {
    vec part[4];
} block;

INLINE block block_of(vec v)
{
    return (block){{v, v, v, v}};
}

INLINE void block_add(block *sum, const block *pairs, vec weights)
{
    for (int i = 0; i < 4; i++)
        sum->part[i] = vec_add_dot(sum->part[i], pairs->part[i], weights);
}

/* The bytes of two rows, side by side, each as 16 bits. */
INLINE block block_pairs(const uint8_t *upper, const uint8_t *lower)
{
    const vec zero = vec_zero(), a = vec_load(upper), b = vec_load(lower);
    const vec low = vec_zip_low(a, b), high = vec_zip_high(a, b);
    return (block){
        {vec_zip_low(low, zero), vec_zip_high(low, zero), vec_zip_low(high, zero), vec_zip_high(high, zero)}};
}

/* Adds pairs of rows to sum. */
INLINE block block_sum(block sum, const uint8_t *const *row, const int16_t *high, const int16_t *low, const int pairs,
                       size_t x)
{
    block highs = low ? block_of(vec_zero()) : sum;
    for (int k = 0; k < 2 * pairs; k += 2) {
        const block both = block_pairs(row[k] + x, row[k + 1] + x);
        block_add(&highs, &both, vec_repeat_word(high + k));
        if (low)
            block_add(&sum, &both, vec_repeat_word(low + k));
    }
    if (!low)
        return highs;
    for (int i = 0; i < 4; i++)
        sum.part[i] = vec_add(sum.part[i], vec_shift_left(highs.part[i], 16));
    return sum;
}

INLINE vec block_scale(block sum, int precision)
{
    return vec_scale(sum.part[0], sum.part[1], sum.part[2], sum.part[3], precision);
}

INLINE void vertical_pairs(const uint8_t *const *row, const int16_t *high, const int16_t *low, const int pairs,
                           int precision, uint8_t *out, size_t n)
{
    const block half = block_of(vec_half(precision));
    size_t x = 0;
    for (; x + VEC_BYTES <= n; x += VEC_BYTES)
        vec_store(out + x, block_scale(block_sum(half, row, high, low, pairs, x), precision));
    if (x == n)
        return;
    if (n >= VEC_BYTES) { /* the last block overlaps the previous one */
        x = n - VEC_BYTES;
        vec_store(out + x, block_scale(block_sum(half, row, high, low, pairs, x), precision));
    } else {
        uint8_t last[VEC_BYTES];
        vec_store(last, block_scale(block_sum(half, row, high, low, pairs, 0), precision));
        memcpy(out, last, n);
    }
}

/* Short windows have loops of constant length. */
INLINE void vertical_window(const uint8_t *const *row, const int16_t *high, const int16_t *low, int pairs,
                            int precision, uint8_t *out, size_t n)
{
    switch (pairs) {
    case 1:
        vertical_pairs(row, high, low, 1, precision, out, n);
        break;
    case 2:
        vertical_pairs(row, high, low, 2, precision, out, n);
        break;
    case 3:
        vertical_pairs(row, high, low, 3, precision, out, n);
        break;
    default:
        vertical_pairs(row, high, low, pairs, precision, out, n);
    }
}

static void vertical(const spool_taps *taps, int32_t i, const uint8_t *const *row, uint8_t *out, size_t n)
{
    const size_t at = (size_t)i * taps->stride;
    if (taps->low)
        vertical_window(row, taps->high + at, taps->low + at, (taps->taps + 1) / 2, taps->precision, out, n);
    else
        vertical_window(row, taps->high + at, NULL, (taps->taps + 1) / 2, taps->precision, out, n);
}

/* Sums are stored as blocks. */
INLINE void accumulate_group(const uint8_t *const row[SPOOL_GROUP], const int16_t *high, const int16_t *low, int begin,
                             uint8_t *sums, size_t n)
{
    const vec half = begin ? vec_half(begin) : vec_zero();
    for (size_t x = 0; x < n; x += VEC_BYTES, sums += 4 * VEC_BYTES) {
        block sum = block_of(half);
        if (!begin)
            for (int i = 0; i < 4; i++)
                sum.part[i] = vec_load(sums + i * VEC_BYTES);
        sum = block_sum(sum, row, high, low, SPOOL_GROUP / 2, x);
        for (int i = 0; i < 4; i++)
            vec_store(sums + i * VEC_BYTES, sum.part[i]);
    }
}

static void accumulate(const uint8_t *const row[SPOOL_GROUP], const spool_group_weights *weights, int begin, void *sums,
                       size_t n)
{
    if (weights->split)
        accumulate_group(row, weights->high, weights->low, begin, sums, n);
    else
        accumulate_group(row, weights->high, NULL, begin, sums, n);
}

static void finish(const void *sums, int precision, uint8_t *out, size_t n)
{
    const uint8_t *at = sums;
    for (size_t x = 0; x < n; x += VEC_BYTES, at += 4 * VEC_BYTES) {
        const vec bytes = vec_scale(vec_load(at), vec_load(at + VEC_BYTES), vec_load(at + 2 * VEC_BYTES),
                                    vec_load(at + 3 * VEC_BYTES), precision);
        if (n - x >= VEC_BYTES) {
            vec_store(out + x, bytes);
        } else {
            uint8_t last[VEC_BYTES];
            vec_store(last, bytes);
            memcpy(out + x, last, n - x);
        }
    }
}
