/*
 * The kernels for 16-bit samples, in plain C that compilers vectorize: one source for every instruction set, including
 * the scalar one.
 */

typedef spool_word word;

static word clamp_word(int64_t sum, int precision)
{
    sum >>= precision;
    return sum < 0 ? 0 : sum > 65535 ? 65535 : (word)sum;
}

static inline __attribute__((always_inline)) void horizontal_word_pixels(const spool_taps *taps, const int channels,
                                                                         const word *in, word *out)
{
    const int64_t half = (int64_t)1 << (taps->precision - 1);
    for (int32_t i = 0; i < taps->out; i++, out += channels) {
        const word *pixel = in + (size_t)taps->start[i] * channels;
        const int32_t *weight = taps->whole + (size_t)i * taps->stride;
        int64_t sum[4] = {half, half, half, half};
        for (int32_t k = 0; k < taps->taps; k++, pixel += channels)
            for (int c = 0; c < channels; c++)
                sum[c] += (int64_t)weight[k] * pixel[c];
        for (int c = 0; c < channels; c++)
            out[c] = clamp_word(sum[c], taps->precision);
    }
}

static void horizontal_words(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                             uint8_t *const out[SPOOL_GROUP])
{
    for (int r = 0; r < SPOOL_GROUP; r++) {
        const word *in = (const word *)row[r];
        if (channels == 1)
            horizontal_word_pixels(taps, 1, in, (word *)out[r]);
        else if (channels == 3)
            horizontal_word_pixels(taps, 3, in, (word *)out[r]);
        else
            horizontal_word_pixels(taps, 4, in, (word *)out[r]);
    }
}

static void accumulate_words(const uint8_t *const row[SPOOL_GROUP], const spool_group_weights *weights, int begin,
                             void *sums, size_t n)
{
    const int64_t half = begin ? (int64_t)1 << (begin - 1) : 0;
    const int32_t w0 = weights->whole[0], w1 = weights->whole[1], w2 = weights->whole[2], w3 = weights->whole[3];
    const word *a = (const word *)row[0], *b = (const word *)row[1], *c = (const word *)row[2],
               *d = (const word *)row[3];
    int64_t *sum = sums;

    for (size_t i = 0; i < n; i++) {
        int64_t products = (int64_t)w0 * a[i] + (int64_t)w1 * b[i] + (int64_t)w2 * c[i] + (int64_t)w3 * d[i];
        sum[i] = products + (begin ? half : sum[i]);
    }
}

static void finish_words(const void *sums, int precision, uint8_t *out, size_t n)
{
    const int64_t *sum = sums;
    word *sample = (word *)out;
    for (size_t i = 0; i < n; i++)
        sample[i] = clamp_word(sum[i], precision);
}

/* Sums a limited number of samples at a time, which stay in the cache. */
static void vertical_words(const spool_taps *taps, int32_t i, const uint8_t *const *row, uint8_t *out, size_t n)
{
    enum { SOME = 256 };
    const int32_t *weight = taps->whole + (size_t)i * taps->stride;
    int64_t sums[SOME];

    for (size_t x = 0; x < n; x += SOME) {
        const size_t some = n - x < SOME ? n - x : SOME;
        for (int32_t k = 0; k < taps->taps; k += SPOOL_GROUP) {
            spool_group_weights weights = {0};
            const uint8_t *group[SPOOL_GROUP];
            for (int g = 0; g < SPOOL_GROUP; g++) {
                weights.whole[g] = weight[k + g];
                group[g] = row[k + g < taps->taps ? k + g : k] + x * sizeof(word);
            }
            accumulate_words(group, &weights, k ? 0 : taps->precision, sums, some);
        }
        finish_words(sums, taps->precision, out + x * sizeof(word), some);
    }
}

static void remap_words(const spool_mapping *map, const uint8_t *in, uint8_t *out, size_t n)
{
    for (int k = 0; k < map->out; k++) {
        const word *from = (const word *)in + map->from[k];
        word *to = (word *)out + k;
        for (size_t i = 0; i < n; i++)
            to[i * map->out] = map->from[k] == SPOOL_OPAQUE ? 65535 : from[i * map->in];
    }
}

static void gray_words(const uint8_t *rgb, uint8_t *out, size_t n)
{
    const word *in = (const word *)rgb;
    word *luma = (word *)out;
    for (size_t i = 0; i < n; i++, in += 3)
        luma[i] = (19595u * in[0] + 38470u * in[1] + 7471u * in[2] + 32768u) >> 16;
}

static void blend_words(const uint8_t *rgba, const uint8_t color[3], uint8_t *out, size_t n)
{
    const word *in = (const word *)rgba;
    word *rgb = (word *)out;
    for (size_t i = 0; i < n; i++, in += 4, rgb += 3)
        for (int c = 0; c < 3; c++)
            rgb[c] = ((uint32_t)in[c] * in[3] + color[c] * 257u * (65535u - in[3]) + 32767u) / 65535u;
}

static void narrow(const uint8_t *in, uint8_t *out, size_t n)
{
    const word *samples = (const word *)in;
    for (size_t i = 0; i < n; i++)
        out[i] = samples[i] >> 8;
}

#define WORD_KERNELS(horizontal, vertical)                                                         \
    {                                                                                              \
        horizontal, vertical, accumulate_words, finish_words, remap_words, gray_words, blend_words \
    }
