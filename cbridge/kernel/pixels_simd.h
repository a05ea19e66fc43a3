/* Conversions of pixels, about four in a lane: lanes hold consecutive pieces of one row. */

/* The addresses that the lanes of a step are read from and written to. */
typedef struct {
    const uint8_t *in[VEC_LANES];
    uint8_t *out[VEC_LANES];
} lanes;

INLINE lanes lanes_at(const uint8_t *in, size_t lane_in, uint8_t *out, size_t lane_out)
{
    lanes at;
    for (int l = 0; l < VEC_LANES; l++) {
        at.in[l] = in + l * lane_in;
        at.out[l] = out + l * lane_out;
    }
    return at;
}

static void remap(const spool_mapping *map, const uint8_t *in, uint8_t *out, size_t n)
{
    const vec index = vec_repeat_lane(map->shuffle), fill = vec_repeat_lane(map->fill);
    const size_t lane_in = (size_t)map->step * map->in, lane_out = (size_t)map->step * map->out;
    const uint8_t *end = out + n * map->out;

    /* Each store writes 16 bytes. The next store overwrites those beyond lane_out. */
    while (end - out >= (ptrdiff_t)(lane_out * (VEC_LANES - 1) + 16)) {
        const lanes at = lanes_at(in, lane_in, out, lane_out);
        vec_store_lanes(at.out, 0, vec_xor(vec_shuffle(vec_load_lanes(at.in, 0), index), fill));
        in += VEC_LANES * lane_in;
        out += VEC_LANES * lane_out;
    }
    spool_kernels_scalar.bytes.remap(map, in, out, (size_t)(end - out) / map->out);
}

static void gray(const uint8_t *rgb, uint8_t *out, size_t n)
{
    /* 38470 does not fit in 16 bits: green is in both pairs, as 32767 + 5703. */
    static const uint8_t red_green[16] = {PAIR(0, 1), PAIR(3, 4), PAIR(6, 7), PAIR(9, 10)};
    static const uint8_t green_blue[16] = {PAIR(1, 2), PAIR(4, 5), PAIR(7, 8), PAIR(10, 11)};
    static const int16_t red_green_weights[2] = {19595, 32767}, green_blue_weights[2] = {5703, 7471};
    const vec rg = vec_repeat_lane(red_green), gb = vec_repeat_lane(green_blue);
    const vec rg_weights = vec_repeat_word(red_green_weights), gb_weights = vec_repeat_word(green_blue_weights);

    for (size_t i = 0; i < n; i += 4 * VEC_LANES) {
        const lanes at = lanes_at(rgb + 3 * i, 12, out + i, 4);
        vec pixels = vec_load_lanes(at.in, 0);
        vec sum = vec_add(vec_dot(vec_shuffle(pixels, rg), rg_weights), vec_dot(vec_shuffle(pixels, gb), gb_weights));
        sum = vec_add(sum, vec_half(16));
        vec_store_word(at.out, 0, vec_scale(sum, sum, sum, sum, 16));
    }
}

/* 32-bit sums divided by 255, rounded; half is 128. */
INLINE vec divide255(vec sum, vec half)
{
    sum = vec_add(sum, half);
    return vec_shift(vec_add(sum, vec_shift(sum, 8)), 8);
}

static void blend(const uint8_t *rgba, const uint8_t color[3], uint8_t *out, size_t n)
{
    static const uint8_t spread_alpha[16] = {3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15};
    const uint8_t word[4] = {color[0], color[1], color[2], 0};
    const int32_t ones = -1;
    const vec zero = vec_zero(), half = vec_half(8), behind = vec_repeat_word(word), opaque = vec_repeat_word(&ones);

    for (size_t i = 0; i < n; i += 4 * VEC_LANES) {
        const lanes at = lanes_at(rgba + 4 * i, 16, out + 3 * i, 12);
        vec pixels = vec_load_lanes(at.in, 0);
        vec alpha = vec_shuffle(pixels, vec_repeat_lane(spread_alpha));
        vec rest = vec_xor(alpha, opaque); /* 255 - alpha */
        vec values[2] = {vec_zip_low(pixels, behind), vec_zip_high(pixels, behind)};
        vec weights[2] = {vec_zip_low(alpha, rest), vec_zip_high(alpha, rest)};
        vec sum[2];
        for (int k = 0; k < 2; k++) {
            vec low = vec_dot(vec_zip_low(values[k], zero), vec_zip_low(weights[k], zero));
            vec high = vec_dot(vec_zip_high(values[k], zero), vec_zip_high(weights[k], zero));
            sum[k] = vec_narrow32(divide255(low, half), divide255(high, half));
        }
        vec_store_lanes(at.out, 0, vec_shuffle(vec_narrow16(sum[0], sum[1]), vec_repeat_lane(squeeze)));
    }
}
