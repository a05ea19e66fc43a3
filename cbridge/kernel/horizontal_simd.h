/*
 * The horizontal pass. A lane holds the pixels of one row, so that all rows of a group share the
 * weights, and windows of a few taps need one load.
 *
 * Pixels of 3 and 4 channels: a load of 16 bytes holds four of them (five of 3 channels). A shuffle
 * puts the same channel of two neighbouring pixels side by side, as 16 bits, one pair for each 32-bit
 * part of the lane; vec_dot then adds two taps of every channel. The weights of both taps are one
 * 32-bit word, the same for all channels.
 */

static const uint8_t first_pair3[16] = {PAIR(0, 3), PAIR(1, 4), PAIR(2, 5), PAIR(NONE, NONE)};
static const uint8_t second_pair3[16] = {PAIR(6, 9), PAIR(7, 10), PAIR(8, 11), PAIR(NONE, NONE)};
static const uint8_t fifth3[16] = {PAIR(12, NONE), PAIR(13, NONE), PAIR(14, NONE), PAIR(NONE, NONE)};
static const uint8_t first_pair4[16] = {PAIR(0, 4), PAIR(1, 5), PAIR(2, 6), PAIR(3, 7)};
static const uint8_t second_pair4[16] = {PAIR(8, 12), PAIR(9, 13), PAIR(10, 14), PAIR(11, 15)};
/* Four pixels of three channels and a void to twelve bytes. */
static const uint8_t squeeze[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, NONE, NONE, NONE, NONE};

/*
 * The sums of one output for all rows of the group: `quads` loads of four taps from `at` on, then `rest` more
 * taps, 0 to 3 (a single one of 3 channels is the fifth pixel of the last load).
 */
INLINE void window_sums(const int channels, const int quads, const int rest, const int16_t *weight, size_t at,
                        const uint8_t *const row[SPOOL_GROUP], vec half, vec sum[VEC_GROUPS])
{
    const vec first = vec_repeat_lane(channels == 3 ? first_pair3 : first_pair4);
    const vec second = vec_repeat_lane(channels == 3 ? second_pair3 : second_pair4);

    for (int g = 0; g < VEC_GROUPS; g++)
        sum[g] = half;
    for (int q = 0; q < quads; q++, at += 4 * channels, weight += 4) {
        const vec w0 = vec_repeat_word(weight), w1 = vec_repeat_word(weight + 2);
        for (int g = 0; g < VEC_GROUPS; g++) {
            vec pixels = vec_load_lanes(row + g * VEC_LANES, at);
            sum[g] = vec_add_dot(sum[g], vec_shuffle(pixels, first), w0);
            sum[g] = vec_add_dot(sum[g], vec_shuffle(pixels, second), w1);
            if (channels == 3 && rest == 1 && q == quads - 1)
                sum[g] = vec_add_dot(sum[g], vec_shuffle(pixels, vec_repeat_lane(fifth3)), vec_repeat_word(weight + 4));
        }
    }
    if (rest == 0 || (channels == 3 && rest == 1 && quads > 0))
        return;
    for (int g = 0; g < VEC_GROUPS; g++) {
        vec pixels = vec_load_lanes(row + g * VEC_LANES, at);
        sum[g] = vec_add_dot(sum[g], vec_shuffle(pixels, first), vec_repeat_word(weight));
        if (rest == 3)
            sum[g] = vec_add_dot(sum[g], vec_shuffle(pixels, second), vec_repeat_word(weight + 2));
    }
}

INLINE void horizontal_pixels(const spool_taps *taps, const int channels, const int quads, const int rest,
                              const uint8_t *const row[SPOOL_GROUP], uint8_t *const out[SPOOL_GROUP])
{
    const int precision = taps->precision;
    const size_t stride = taps->stride;
    const vec half = vec_half(precision);
    const int32_t *start = taps->start, *end = start + taps->out;
    const int16_t *weights = taps->weights;

    for (size_t at = 0; start < end; start += 4, weights += 4 * stride, at += 4 * channels) {
        vec sum[4][VEC_GROUPS];
        for (int k = 0; k < 4; k++)
            window_sums(channels, quads, rest, weights + k * stride, (size_t)start[k] * channels, row, half, sum[k]);
        for (int g = 0; g < VEC_GROUPS; g++) {
            vec bytes = vec_scale(sum[0][g], sum[1][g], sum[2][g], sum[3][g], precision);
            if (channels == 3)
                bytes = vec_shuffle(bytes, vec_repeat_lane(squeeze));
            vec_store_lanes(out + g * VEC_LANES, at, bytes);
        }
    }
}

/* Short windows have loops of constant length, which the compiler unrolls. */
INLINE void horizontal_color(const spool_taps *taps, const int channels, const uint8_t *const row[SPOOL_GROUP],
                             uint8_t *const out[SPOOL_GROUP])
{
    switch (taps->taps) {
    case 1:
    case 2:
        horizontal_pixels(taps, channels, 0, 2, row, out);
        break;
    case 3:
    case 4:
        horizontal_pixels(taps, channels, 1, 0, row, out);
        break;
    case 5:
        horizontal_pixels(taps, channels, 1, 1, row, out);
        break;
    case 6:
        horizontal_pixels(taps, channels, 1, 2, row, out);
        break;
    case 7:
    case 8:
        horizontal_pixels(taps, channels, 2, 0, row, out);
        break;
    default:
        horizontal_pixels(taps, channels, taps->taps / 4, taps->taps % 4, row, out);
    }
}

/* One channel: eight taps a load, whose sums lie in the four parts of a lane until the end. */
INLINE void horizontal_gray(const spool_taps *taps, const int loads, const uint8_t *const row[SPOOL_GROUP],
                            uint8_t *const out[SPOOL_GROUP])
{
    for (int32_t i = 0; i < taps->out; i += 4) {
        vec sum[VEC_GROUPS][4];
        for (int k = 0; k < 4; k++) {
            const int16_t *weight = taps->weights + (size_t)(i + k) * taps->stride;
            size_t at = (size_t)taps->start[i + k];
            for (int g = 0; g < VEC_GROUPS; g++)
                sum[g][k] = vec_zero();
            for (int j = 0; j < loads; j++)
                for (int g = 0; g < VEC_GROUPS; g++)
                    sum[g][k] = vec_add_dot(sum[g][k], vec_load_bytes(row + g * VEC_LANES, at + 8 * j),
                                            vec_repeat_lane(weight + 8 * j));
        }
        for (int g = 0; g < VEC_GROUPS; g++) {
            vec low = vec_sum_neighbours(sum[g][0], sum[g][1]), high = vec_sum_neighbours(sum[g][2], sum[g][3]);
            vec total = vec_add(vec_sum_neighbours(low, high), vec_half(taps->precision));
            vec_store_word(out + g * VEC_LANES, i, vec_scale(total, total, total, total, taps->precision));
        }
    }
}

static void horizontal(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                       uint8_t *const out[SPOOL_GROUP])
{
    if (channels == 3)
        horizontal_color(taps, 3, row, out);
    else if (channels == 4)
        horizontal_color(taps, 4, row, out);
    else if (taps->stride == 8)
        horizontal_gray(taps, 1, row, out);
    else
        horizontal_gray(taps, taps->stride / 8, row, out);
}
