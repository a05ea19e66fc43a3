/*
 * The inverse DCT in vectors of x86, a block in each lane of 16 bytes. The including file must define before:
 *
 *   vec, OP(name)   the vector and its instructions
 *   LANES           blocks in a vector
 *   dot(s, x, y)    s + x[0] * y[0] + x[1] * y[1], of words to sums of 32 bits
 *   repeat(p)       16 bytes in each lane
 *   store_rows(out, stride, v)
 *                   stores two rows of samples: the low and the high half of each lane
 *
 * and afterwards load_pairs and the function itself.
 */

/* Interleaved words x and y of columns, or sums of 32 bits: of columns 0 to 3 and of columns 4 to 7. */
typedef struct {
    vec low, high;
} wide;

/* Pair i: coefficients i and i + 4 of the columns of LANES blocks, times quant. */
INLINE void load_pairs(const int16_t *blocks, const uint16_t *quant, wide pairs[4]);

INLINE wide paired(vec x, vec y)
{
    return (wide){OP(unpacklo_epi16)(x, y), OP(unpackhi_epi16)(x, y)};
}

/* s + a * x + b * y */
INLINE wide add_products(wide s, wide xy, int a, int b)
{
    const vec factors = OP(set1_epi32)((int)((uint32_t)(uint16_t)a | (uint32_t)b << 16));
    return (wide){dot(s.low, xy.low, factors), dot(s.high, xy.high, factors)};
}

INLINE wide products(wide xy, int a, int b)
{
    const vec factors = OP(set1_epi32)((int)((uint32_t)(uint16_t)a | (uint32_t)b << 16));
    return (wide){OP(madd_epi16)(xy.low, factors), OP(madd_epi16)(xy.high, factors)};
}

INLINE wide sum(wide a, wide b)
{
    return (wide){OP(add_epi32)(a.low, b.low), OP(add_epi32)(a.high, b.high)};
}

INLINE wide difference(wide a, wide b)
{
    return (wide){OP(sub_epi32)(a.low, b.low), OP(sub_epi32)(a.high, b.high)};
}

INLINE vec scaled(wide s, const int shift)
{
    return OP(packs_epi32)(OP(srai_epi32)(s.low, shift), OP(srai_epi32)(s.high, shift));
}

/* One pass, with a shift at its end, before which `bias` is added. */
INLINE void transform(const wide in[4], vec out[8], const int shift, const int bias)
{
    const vec constant = OP(set1_epi32)((1 << (shift - 1)) + (bias << shift));
    const wide rounding = {constant, constant};
    const wide t0 = add_products(rounding, in[0], 1 << IDCT_BITS, 1 << IDCT_BITS);
    const wide t1 = add_products(rounding, in[0], 1 << IDCT_BITS, -(1 << IDCT_BITS));
    const wide outer = products(in[2], IDCT_2_IN_0, IDCT_6_IN_0), inner = products(in[2], IDCT_2_IN_1, IDCT_6_IN_1);
    const wide even[4] = {sum(t0, outer), sum(t1, inner), difference(t1, inner), difference(t0, outer)};
    for (int i = 0; i < 4; i++) {
        const int16_t *c = IDCT_ODD[i];
        const wide odd = add_products(products(in[1], c[0], c[2]), in[3], c[1], c[3]);
        out[i] = scaled(sum(even[i], odd), shift);
        out[7 - i] = scaled(difference(even[i], odd), shift);
    }
}

/* Transposes rows of words to pairs of columns i and i + 4. */
INLINE void turn(const vec rows[8], wide pairs[4])
{
    static const uint8_t alternate[16] = {0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};
    vec half[2][4];
    for (int i = 0; i < 2; i++) {
        vec r[4];
        for (int y = 0; y < 4; y++)
            r[y] = OP(shuffle_epi8)(rows[4 * i + y], repeat(alternate));
        const vec a = OP(unpacklo_epi32)(r[0], r[1]), b = OP(unpacklo_epi32)(r[2], r[3]);
        const vec c = OP(unpackhi_epi32)(r[0], r[1]), d = OP(unpackhi_epi32)(r[2], r[3]);
        half[i][0] = OP(unpacklo_epi64)(a, b);
        half[i][1] = OP(unpackhi_epi64)(a, b);
        half[i][2] = OP(unpacklo_epi64)(c, d);
        half[i][3] = OP(unpackhi_epi64)(c, d);
    }
    for (int i = 0; i < 4; i++)
        pairs[i] = (wide){half[0][i], half[1][i]};
}

/* Stores columns of words as rows of bytes. */
INLINE void store_columns(const vec v[8], uint8_t *out, ptrdiff_t stride)
{
    vec a[4], b[4];
    for (int i = 0; i < 4; i++)
        a[i] = OP(packus_epi16)(v[i], v[i + 4]);
    for (int i = 0; i < 2; i++) {
        b[i] = OP(unpacklo_epi8)(a[2 * i], a[2 * i + 1]);
        b[i + 2] = OP(unpackhi_epi8)(a[2 * i], a[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        a[2 * i] = OP(unpacklo_epi16)(b[2 * i], b[2 * i + 1]);
        a[2 * i + 1] = OP(unpackhi_epi16)(b[2 * i], b[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        store_rows(out + 4 * i * stride, stride, OP(unpacklo_epi32)(a[i], a[i + 2]));
        store_rows(out + (4 * i + 2) * stride, stride, OP(unpackhi_epi32)(a[i], a[i + 2]));
    }
}

/* Words that are not 0 if a value is out of range. */
INLINE vec beyond(const vec v[8], int range)
{
    vec most = OP(abs_epi16)(v[0]);
    for (int i = 1; i < 8; i++)
        most = OP(max_epu16)(most, OP(abs_epi16)(v[i])); /* abs(-2^15) is -2^15: large if unsigned */
    return OP(subs_epu16)(most, OP(set1_epi16)(range));
}

INLINE vec transform_blocks(const int16_t *blocks, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    wide pairs[4];
    vec v[8];
    load_pairs(blocks, quant, pairs);
    transform(pairs, v, IDCT_FIRST, 0);
    const vec out_of_range = beyond(v, IDCT_RANGE);
    turn(v, pairs);
    transform(pairs, v, IDCT_SECOND, 128);
    store_columns(v, out, stride);
    return out_of_range;
}
