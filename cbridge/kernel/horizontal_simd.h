/*
 * The horizontal pass. A lane holds the pixels of one row, so that all rows of a group share the weights, and windows
 * of a few taps need one load.
 *
 * Pixels of 3 and 4 channels: a load of 16 bytes holds four of them (five of 3 channels). A shuffle places the same
 * channel of two adjacent pixels side by side, as 16 bits, one pair for each 32-bit part of the lane. vec_dot then adds
 * two taps of every channel. The weights of both taps are one 32-bit word, the same for all channels.
 */

static const uint8_t first_pair3[16] = {PAIR(0, 3), PAIR(1, 4), PAIR(2, 5), PAIR(NONE, NONE)};
static const uint8_t second_pair3[16] = {PAIR(6, 9), PAIR(7, 10), PAIR(8, 11), PAIR(NONE, NONE)};
static const uint8_t fifth3[16] = {PAIR(12, NONE), PAIR(13, NONE), PAIR(14, NONE), PAIR(NONE, NONE)};
static const uint8_t first_pair4[16] = {PAIR(0, 4), PAIR(1, 5), PAIR(2, 6), PAIR(3, 7)};
static const uint8_t second_pair4[16] = {PAIR(8, 12), PAIR(9, 13), PAIR(10, 14), PAIR(11, 15)};
/* Packs four pixels of three channels and an unused byte into twelve bytes. */
static const uint8_t squeeze[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, NONE, NONE, NONE, NONE};

/*
 * Sums of one output, one vector for each lane-full of a group's rows. If weights have two halves, the sums have two
 * halves as well, and `low` is not NULL. The compiler knows `low` as a constant.
 */
typedef struct {
    vec high[VEC_GROUPS], low[VEC_GROUPS];
} sums;

INLINE sums sums_of(vec half, const int16_t *low)
{
    sums s;
    for (int g = 0; g < VEC_GROUPS; g++) {
        s.high[g] = low ? vec_zero() : half;
        s.low[g] = half;
    }
    return s;
}

INLINE void sums_add(sums *s, int g, vec pairs, const int16_t *high, const int16_t *low)
{
    s->high[g] = vec_add_dot(s->high[g], pairs, vec_repeat_word(high));
    if (low)
        s->low[g] = vec_add_dot(s->low[g], pairs, vec_repeat_word(low));
}

INLINE vec sums_total(const sums *s, int g, const int16_t *low)
{
    return low ? vec_add(s->low[g], vec_shift_left(s->high[g], 16)) : s->high[g];
}

/*
 * The sums of one output for all rows of the group: `quads` loads of four taps from `at` on, then `rest` more taps, 0
 * to 3. A single remaining tap of 3 channels is the fifth pixel of the last load.
 */
INLINE sums window_sums(const int channels, const int quads, const int rest, const int16_t *high, const int16_t *low,
                        size_t at, const uint8_t *const row[SPOOL_GROUP], vec half)
{
    const vec first = vec_repeat_lane(channels == 3 ? first_pair3 : first_pair4);
    const vec second = vec_repeat_lane(channels == 3 ? second_pair3 : second_pair4);
    sums s = sums_of(half, low);
    int k = 0;

    for (int q = 0; q < quads; q++, at += 4 * channels, k += 4)
        for (int g = 0; g < VEC_GROUPS; g++) {
            vec pixels = vec_load_lanes(row + g * VEC_LANES, at);
            sums_add(&s, g, vec_shuffle(pixels, first), high + k, low ? low + k : NULL);
            sums_add(&s, g, vec_shuffle(pixels, second), high + k + 2, low ? low + k + 2 : NULL);
            if (channels == 3 && rest == 1 && q == quads - 1)
                sums_add(&s, g, vec_shuffle(pixels, vec_repeat_lane(fifth3)), high + k + 4, low ? low + k + 4 : NULL);
        }
    if (rest == 0 || (channels == 3 && rest == 1 && quads > 0))
        return s;
    for (int g = 0; g < VEC_GROUPS; g++) {
        vec pixels = vec_load_lanes(row + g * VEC_LANES, at);
        sums_add(&s, g, vec_shuffle(pixels, first), high + k, low ? low + k : NULL);
        if (rest == 3)
            sums_add(&s, g, vec_shuffle(pixels, second), high + k + 2, low ? low + k + 2 : NULL);
    }
    return s;
}

INLINE void horizontal_pixels(const spool_taps *taps, const int channels, const int split, const int quads,
                              const int rest, const uint8_t *const row[SPOOL_GROUP], uint8_t *const out[SPOOL_GROUP])
{
    const int precision = taps->precision;
    const size_t stride = taps->stride;
    const vec half = vec_half(precision);
    const int32_t *start = taps->start, *end = start + taps->out;
    const int16_t *high = taps->high, *low = split ? taps->low : NULL;

    for (size_t at = 0; start < end; start += 4, at += 4 * channels) {
        vec total[4][VEC_GROUPS];
        for (int k = 0; k < 4; k++, high += stride, low = split ? low + stride : NULL) {
            const sums s = window_sums(channels, quads, rest, high, low, (size_t)start[k] * channels, row, half);
            for (int g = 0; g < VEC_GROUPS; g++)
                total[k][g] = sums_total(&s, g, low);
        }
        for (int g = 0; g < VEC_GROUPS; g++) {
            vec bytes = vec_scale(total[0][g], total[1][g], total[2][g], total[3][g], precision);
            if (channels == 3)
                bytes = vec_shuffle(bytes, vec_repeat_lane(squeeze));
            vec_store_lanes(out + g * VEC_LANES, at, bytes);
        }
    }
}

/* Short windows have loops of constant length, which the compiler unrolls. */
INLINE void horizontal_color(const spool_taps *taps, const int channels, const int split,
                             const uint8_t *const row[SPOOL_GROUP], uint8_t *const out[SPOOL_GROUP])
{
    switch (taps->taps) {
    case 1:
    case 2:
        horizontal_pixels(taps, channels, split, 0, 2, row, out);
        break;
    case 3:
    case 4:
        horizontal_pixels(taps, channels, split, 1, 0, row, out);
        break;
    case 5:
        horizontal_pixels(taps, channels, split, 1, 1, row, out);
        break;
    case 6:
        horizontal_pixels(taps, channels, split, 1, 2, row, out);
        break;
    case 7:
    case 8:
        horizontal_pixels(taps, channels, split, 2, 0, row, out);
        break;
    default:
        horizontal_pixels(taps, channels, split, taps->taps / 4, taps->taps % 4, row, out);
    }
}

/* The sums of four outputs, one in each part of a lane, with eight taps for each load. */
INLINE void gray_sums(const spool_taps *taps, const int16_t *weights, const int loads, int32_t i,
                      const uint8_t *const row[SPOOL_GROUP], vec total[VEC_GROUPS])
{
    vec sum[VEC_GROUPS][4];
    for (int k = 0; k < 4; k++) {
        const int16_t *weight = weights + (size_t)(i + k) * taps->stride;
        const size_t at = (size_t)taps->start[i + k];
        for (int g = 0; g < VEC_GROUPS; g++)
            sum[g][k] = vec_zero();
        for (int j = 0; j < loads; j++)
            for (int g = 0; g < VEC_GROUPS; g++)
                sum[g][k] = vec_add_dot(sum[g][k], vec_load_bytes(row + g * VEC_LANES, at + 8 * j),
                                        vec_repeat_lane(weight + 8 * j));
    }
    for (int g = 0; g < VEC_GROUPS; g++)
        total[g] =
            vec_sum_neighbours(vec_sum_neighbours(sum[g][0], sum[g][1]), vec_sum_neighbours(sum[g][2], sum[g][3]));
}

INLINE void horizontal_gray(const spool_taps *taps, const int split, const int loads,
                            const uint8_t *const row[SPOOL_GROUP], uint8_t *const out[SPOOL_GROUP])
{
    const vec half = vec_half(taps->precision);
    for (int32_t i = 0; i < taps->out; i += 4) {
        vec high[VEC_GROUPS], low[VEC_GROUPS];
        gray_sums(taps, taps->high, loads, i, row, high);
        if (split)
            gray_sums(taps, taps->low, loads, i, row, low);
        for (int g = 0; g < VEC_GROUPS; g++) {
            vec total = split ? vec_add(vec_shift_left(high[g], 16), low[g]) : high[g];
            total = vec_add(total, half);
            vec_store_word(out + g * VEC_LANES, i, vec_scale(total, total, total, total, taps->precision));
        }
    }
}

/* The same from a single load, for windows of four outputs that fit into it. It is four times as fast. */
INLINE void horizontal_quads(const spool_taps *taps, const int pairs, const uint8_t *const row[SPOOL_GROUP],
                             uint8_t *const out[SPOOL_GROUP])
{
    const int precision = taps->precision;
    const vec half = vec_half(precision);
    const uint8_t *shuffle = taps->shuffle;
    const int16_t *weights = taps->quad;

    for (int32_t i = 0; i < taps->out; i += 16) {
        vec total[4][VEC_GROUPS];
        for (int k = 0; k < 4; k++) {
            for (int g = 0; g < VEC_GROUPS; g++)
                total[k][g] = half;
            if (i + 4 * k >= taps->out)
                continue;
            vec pixels[VEC_GROUPS];
            for (int g = 0; g < VEC_GROUPS; g++)
                pixels[g] = vec_load_lanes(row + g * VEC_LANES, (size_t)taps->start[i + 4 * k]);
            for (int p = 0; p < pairs; p++, shuffle += 16, weights += 8)
                for (int g = 0; g < VEC_GROUPS; g++)
                    total[k][g] = vec_add_dot(total[k][g], vec_shuffle(pixels[g], vec_repeat_lane(shuffle)),
                                              vec_repeat_lane(weights));
        }
        for (int g = 0; g < VEC_GROUPS; g++)
            vec_store_lanes(out + g * VEC_LANES, i,
                            vec_scale(total[0][g], total[1][g], total[2][g], total[3][g], precision));
    }
}

INLINE void horizontal_split(const spool_taps *taps, int channels, const int split,
                             const uint8_t *const row[SPOOL_GROUP], uint8_t *const out[SPOOL_GROUP])
{
    if (channels == 3)
        horizontal_color(taps, 3, split, row, out);
    else if (channels == 4)
        horizontal_color(taps, 4, split, row, out);
    else if (taps->pairs == 2)
        horizontal_quads(taps, 2, row, out);
    else if (taps->pairs == 3)
        horizontal_quads(taps, 3, row, out);
    else if (taps->pairs > 0)
        horizontal_quads(taps, taps->pairs, row, out);
    else if (taps->stride == 8)
        horizontal_gray(taps, split, 1, row, out);
    else
        horizontal_gray(taps, split, taps->stride / 8, row, out);
}

static void horizontal(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                       uint8_t *const out[SPOOL_GROUP])
{
    if (taps->low)
        horizontal_split(taps, channels, 1, row, out);
    else
        horizontal_split(taps, channels, 0, row, out);
}
