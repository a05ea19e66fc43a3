/* Conversions of pixels, four or so to a lane: lanes hold consecutive pieces of one row. */

INLINE void lane_pointers(const uint8_t *lane[VEC_LANES], const uint8_t *p, size_t step)
{
    for (int l = 0; l < VEC_LANES; l++)
        lane[l] = p + l * step;
}

static void remap(const spool_mapping *map, const uint8_t *in, uint8_t *out, size_t n)
{
    const vec index = vec_repeat_lane(map->shuffle), fill = vec_repeat_lane(map->fill);
    const size_t lane_in = (size_t)map->step * map->in, lane_out = (size_t)map->step * map->out;
    const uint8_t *end = out + n * map->out;

    /* Each store writes 16 bytes, of which the next one overwrites what lies behind lane_out. */
    while (end - out >= (ptrdiff_t)(lane_out * (VEC_LANES - 1) + 16)) {
        const uint8_t *from[VEC_LANES];
        uint8_t *to[VEC_LANES];
        lane_pointers(from, in, lane_in);
        for (int l = 0; l < VEC_LANES; l++)
            to[l] = out + l * lane_out;
        vec_store_lanes(to, 0, vec_xor(vec_shuffle(vec_load_lanes(from, 0), index), fill));
        in += VEC_LANES * lane_in;
        out += VEC_LANES * lane_out;
    }
    spool_kernels_scalar.remap(map, in, out, (size_t)(end - out) / map->out);
}

static void gray(const uint8_t *rgb, uint8_t *out, size_t n)
{
    /* 38470 does not fit in 16 bits: green comes in both pairs, as 32767 + 5703. */
    static const uint8_t red_green[16] = {0, NONE, 1, NONE, 3, NONE, 4, NONE, 6, NONE, 7, NONE, 9, NONE, 10, NONE};
    static const uint8_t green_blue[16] = {1, NONE, 2, NONE, 4, NONE, 5, NONE, 7, NONE, 8, NONE, 10, NONE, 11, NONE};
    static const int16_t red_green_weights[2] = {19595, 32767}, green_blue_weights[2] = {5703, 7471};
    const vec rg = vec_repeat_lane(red_green), gb = vec_repeat_lane(green_blue);
    const vec rg_weights = vec_repeat_word(red_green_weights), gb_weights = vec_repeat_word(green_blue_weights);

    for (size_t i = 0; i < n; i += 4 * VEC_LANES) {
        const uint8_t *from[VEC_LANES];
        uint8_t *to[VEC_LANES];
        lane_pointers(from, rgb + 3 * i, 12);
        for (int l = 0; l < VEC_LANES; l++)
            to[l] = out + i + 4 * l;
        vec pixels = vec_load_lanes(from, 0);
        vec sum = vec_add(vec_dot(vec_shuffle(pixels, rg), rg_weights), vec_dot(vec_shuffle(pixels, gb), gb_weights));
        sum = vec_add(sum, vec_half(16));
        vec_store_word(to, 0, vec_scale(sum, sum, sum, sum, 16));
    }
}

/* (sum + 128) / 255, rounded, of 32-bit sums; half is 128. */
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
        const uint8_t *from[VEC_LANES];
        uint8_t *to[VEC_LANES];
        lane_pointers(from, rgba + 4 * i, 16);
        for (int l = 0; l < VEC_LANES; l++)
            to[l] = out + 3 * i + 12 * l;
        vec pixels = vec_load_lanes(from, 0);
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
        vec_store_lanes(to, 0, vec_shuffle(vec_narrow16(sum[0], sum[1]), vec_repeat_lane(squeeze)));
    }
}
