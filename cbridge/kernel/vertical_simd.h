/*
 * The vertical pass: two rows are interleaved byte by byte and widened, so that vec_dot adds two taps;
 * saturating packs put the bytes back into the order they came in.
 */

INLINE vec vertical_block(const uint8_t *const *row, const int16_t *weights, const int pairs, int precision, size_t x)
{
    const vec zero = vec_zero(), half = vec_half(precision);
    vec a = half, b = half, c = half, d = half;
    for (int k = 0; k < 2 * pairs; k += 2) {
        const vec w = vec_repeat_word(weights + k), upper = vec_load(row[k] + x), lower = vec_load(row[k + 1] + x);
        const vec low = vec_zip_low(upper, lower), high = vec_zip_high(upper, lower);
        a = vec_add_dot(a, vec_zip_low(low, zero), w);
        b = vec_add_dot(b, vec_zip_high(low, zero), w);
        c = vec_add_dot(c, vec_zip_low(high, zero), w);
        d = vec_add_dot(d, vec_zip_high(high, zero), w);
    }
    return vec_scale(a, b, c, d, precision);
}

INLINE void vertical_pairs(const uint8_t *const *row, const int16_t *weights, const int pairs, int precision,
                           uint8_t *out, size_t n)
{
    size_t x = 0;
    for (; x + VEC_BYTES <= n; x += VEC_BYTES)
        vec_store(out + x, vertical_block(row, weights, pairs, precision, x));
    if (x == n)
        return;
    if (n >= VEC_BYTES) { /* the last block overlaps the one before */
        vec_store(out + n - VEC_BYTES, vertical_block(row, weights, pairs, precision, n - VEC_BYTES));
    } else {
        uint8_t block[VEC_BYTES];
        vec_store(block, vertical_block(row, weights, pairs, precision, 0));
        memcpy(out, block, n);
    }
}

static void vertical(const uint8_t *const *row, const int16_t *weights, int taps, int precision, uint8_t *out, size_t n)
{
    switch ((taps + 1) / 2) {
    case 1:
        vertical_pairs(row, weights, 1, precision, out, n);
        break;
    case 2:
        vertical_pairs(row, weights, 2, precision, out, n);
        break;
    case 3:
        vertical_pairs(row, weights, 3, precision, out, n);
        break;
    default:
        vertical_pairs(row, weights, (taps + 1) / 2, precision, out, n);
    }
}
