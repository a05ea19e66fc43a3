/*
 * Scaled transforms in vectors of x86, a block in each lane of 16 bytes. The including file must define before:
 *
 *   vec, OP(name)   the vector and its instructions
 *   repeat(p)       16 bytes in each lane
 *   load_row(blocks, quant, y)
 *                   row y of as many blocks as there are lanes, times quant
 */

/* a * x + b * y, of pairs of words x and y to sums of 32 bits */
INLINE vec products(vec xy, int a, int b)
{
    return OP(madd_epi16)(xy, OP(set1_epi32)((int)((uint32_t)(uint16_t)a | (uint32_t)b << 16)));
}

/* Coefficient 0, times 2^13, before the shift. The other words of its pairs do not matter. */
INLINE vec constant(vec in, const int shift, const int bias)
{
    return OP(add_epi32)(products(in, 1 << IDCT_BITS, 0), OP(set1_epi32)((1 << (shift - 1)) + (bias << shift)));
}

/* One pass. The pairs are coefficients 0, 2 and 6, 1 and 3, 5 and 7. */
INLINE void means4(const vec in[4], vec out[4], const int shift, const int bias)
{
    const vec one = constant(in[0], shift, bias), outer = products(in[1], MEAN4_2, MEAN4_6);
    const vec even[2] = {OP(add_epi32)(one, outer), OP(sub_epi32)(one, outer)};
    for (int i = 0; i < 2; i++) {
        const int16_t *c = MEAN4_ODD[i];
        const vec odd = OP(add_epi32)(products(in[2], c[0], c[1]), products(in[3], c[2], c[3]));
        out[i] = OP(srai_epi32)(OP(add_epi32)(even[i], odd), shift);
        out[3 - i] = OP(srai_epi32)(OP(sub_epi32)(even[i], odd), shift);
    }
}

/* The same for coefficients 0, 1 and 3, 5 and 7. */
INLINE void means2(const vec in[3], vec out[2], const int shift, const int bias)
{
    const vec one = constant(in[0], shift, bias);
    const int16_t *c = MEAN2_ODD;
    const vec odd = OP(add_epi32)(products(in[1], c[0], c[1]), products(in[2], c[2], c[3]));
    out[0] = OP(srai_epi32)(OP(add_epi32)(one, odd), shift);
    out[1] = OP(srai_epi32)(OP(sub_epi32)(one, odd), shift);
}

/* A row of words as pairs: 0 and 4, 2 and 6, 1 and 3, 5 and 7. */
INLINE vec paired(vec row)
{
    static const uint8_t pairs[16] = {0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
    return OP(shuffle_epi8)(row, repeat(pairs));
}

/* 4 rows of 4 bytes in each lane. */
INLINE vec transform4(const int16_t *blocks, const uint16_t *quant)
{
    static const uint8_t turned[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    vec v[8], low[4], high[4], left[4], right[4], row[4], half[4], sample[4];
    for (int y = 0; y < 8; y++)
        v[y] = load_row(blocks, quant, y); /* row 4 has the weight 0, and is not loaded */
    const vec a[4] = {v[0], v[2], v[1], v[5]}, b[4] = {v[0], v[6], v[3], v[7]};
    for (int i = 0; i < 4; i++) {
        low[i] = OP(unpacklo_epi16)(a[i], b[i]);
        high[i] = OP(unpackhi_epi16)(a[i], b[i]);
    }
    means4(low, left, SCALED_FIRST, 0);
    means4(high, right, SCALED_FIRST, 0);
    for (int y = 0; y < 4; y++)
        row[y] = paired(OP(packs_epi32)(left[y], right[y]));
    for (int y = 0; y < 4; y += 2) {
        half[y / 2] = OP(unpacklo_epi32)(row[y], row[y + 1]);
        half[y / 2 + 2] = OP(unpackhi_epi32)(row[y], row[y + 1]);
    }
    const vec columns[4] = {OP(unpacklo_epi64)(half[0], half[1]), OP(unpackhi_epi64)(half[0], half[1]),
                            OP(unpacklo_epi64)(half[2], half[3]), OP(unpackhi_epi64)(half[2], half[3])};
    means4(columns, sample, SCALED_SECOND, 128);
    const vec bytes = OP(packus_epi16)(OP(packs_epi32)(sample[0], sample[1]), OP(packs_epi32)(sample[2], sample[3]));
    return OP(shuffle_epi8)(bytes, repeat(turned));
}

/* 2 rows of 2 bytes at the beginning of each lane. */
INLINE vec transform2(const int16_t *blocks, const uint16_t *quant)
{
    vec v[8], low[3], high[3], left[2], right[2], row[2], sample[2];
    for (int y = 0; y < 8; y++)
        v[y] = load_row(blocks, quant, y); /* only 0 and the odd rows have weights */
    const vec a[3] = {v[0], v[1], v[5]}, b[3] = {v[0], v[3], v[7]};
    for (int i = 0; i < 3; i++) {
        low[i] = OP(unpacklo_epi16)(a[i], b[i]);
        high[i] = OP(unpackhi_epi16)(a[i], b[i]);
    }
    means2(low, left, SCALED_FIRST, 0);
    means2(high, right, SCALED_FIRST, 0);
    for (int y = 0; y < 2; y++)
        row[y] = paired(OP(packs_epi32)(left[y], right[y]));
    const vec odd = OP(unpackhi_epi32)(row[0], row[1]);
    const vec columns[3] = {OP(unpacklo_epi32)(row[0], row[1]), odd, OP(unpackhi_epi64)(odd, odd)};
    means2(columns, sample, SCALED_SECOND, 128);
    const vec words = OP(packs_epi32)(OP(unpacklo_epi32)(sample[0], sample[1]), sample[0]);
    return OP(packus_epi16)(words, words);
}
