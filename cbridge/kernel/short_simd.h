/*
 * The passes over 16-bit samples with 16-bit weights: samples less 2^15 are signed, and vec_dot adds their products in
 * 32 bits. Sums have an offset, because weights need not add up to one. The result saturates to 16 bits and is again a
 * sample less 2^15.
 */

/* Subtracts 2^15 from samples, or adds it. */
INLINE vec short_turn(vec words)
{
    const uint32_t sign = 0x80008000;
    return vec_xor(words, vec_repeat_word(&sign));
}

/* The sums of four outputs, one in each part of a lane, with eight taps for each load. */
INLINE void short_sums(const spool_taps *taps, int32_t i, const uint8_t *const row[SPOOL_GROUP], vec total[VEC_GROUPS])
{
    const vec begin = vec_add(vec_repeat_lane(taps->offset + i), vec_half(taps->precision));
    vec sum[VEC_GROUPS][4];

    for (int k = 0; k < 4; k++) {
        const int16_t *weight = taps->high + (size_t)(i + k) * taps->stride;
        const size_t at = (size_t)taps->start[i + k] * sizeof(word);
        for (int g = 0; g < VEC_GROUPS; g++)
            sum[g][k] = vec_zero();
        for (int j = 0; j < taps->stride; j += 8)
            for (int g = 0; g < VEC_GROUPS; g++) {
                const vec samples = vec_load_lanes(row + g * VEC_LANES, at + j * sizeof(word));
                sum[g][k] = vec_add_dot(sum[g][k], short_turn(samples), vec_repeat_lane(weight + j));
            }
    }
    for (int g = 0; g < VEC_GROUPS; g++)
        total[g] = vec_add(begin, vec_sum_neighbours(vec_sum_neighbours(sum[g][0], sum[g][1]),
                                                     vec_sum_neighbours(sum[g][2], sum[g][3])));
}

INLINE vec short_scale(vec low, vec high, int precision)
{
    return short_turn(vec_narrow32(vec_shift(low, precision), vec_shift(high, precision)));
}

static void horizontal_any_words(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                                 uint8_t *const out[SPOOL_GROUP])
{
    if (channels != 1 || !taps->offset) {
        horizontal_words(taps, channels, row, out);
        return;
    }
    for (int32_t i = 0; i < taps->out; i += 8) {
        vec total[2][VEC_GROUPS];
        short_sums(taps, i, row, total[0]);
        short_sums(taps, i + 4 < taps->out ? i + 4 : i, row, total[1]);
        for (int g = 0; g < VEC_GROUPS; g++)
            vec_store_lanes(out + g * VEC_LANES, i * sizeof(word),
                            short_scale(total[0][g], total[1][g], taps->precision));
    }
}

/* One vector of samples, from byte x of the rows on. */
INLINE vec short_block(const spool_taps *taps, int32_t i, const uint8_t *const *row, size_t x)
{
    const int16_t *weight = taps->high + (size_t)i * taps->stride;
    vec low = vec_add(vec_repeat_word(taps->offset + i), vec_half(taps->precision)), high = low;

    for (int32_t k = 0; k < taps->taps; k += 2) {
        const vec a = short_turn(vec_load(row[k] + x)), b = short_turn(vec_load(row[k + 1] + x));
        const vec weights = vec_repeat_word(weight + k);
        low = vec_add_dot(low, vec_zip_words_low(a, b), weights);
        high = vec_add_dot(high, vec_zip_words_high(a, b), weights);
    }
    return short_scale(low, high, taps->precision);
}

static void vertical_any_words(const spool_taps *taps, int32_t i, const uint8_t *const *row, uint8_t *out, size_t n)
{
    const size_t bytes = n * sizeof(word);
    size_t x = 0;

    if (!taps->offset) {
        vertical_words(taps, i, row, out, n);
        return;
    }
    for (; x + VEC_BYTES <= bytes; x += VEC_BYTES)
        vec_store(out + x, short_block(taps, i, row, x));
    if (x == bytes)
        return;
    if (bytes >= VEC_BYTES) { /* the last block overlaps the previous one */
        x = bytes - VEC_BYTES;
        vec_store(out + x, short_block(taps, i, row, x));
    } else {
        uint8_t last[VEC_BYTES];
        vec_store(last, short_block(taps, i, row, 0));
        memcpy(out, last, bytes);
    }
}
