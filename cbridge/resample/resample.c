/* Processes a chunk of audio by mixing and filter, in strips that stay in the cache. */
#include <string.h>

#include "cancel.h"
#include "resample.h"

/* Samples of one channel that are converted before they are mixed. */
#define STRIP 4096

static const char widths[] = {[SPOOL_RESAMPLE_U8] = 1,  [SPOOL_RESAMPLE_S16] = 2,  [SPOOL_RESAMPLE_S32] = 4,
                              [SPOOL_RESAMPLE_S64] = 8, [SPOOL_RESAMPLE_F32] = 4,  [SPOOL_RESAMPLE_F64] = 8,
                              [SPOOL_RESAMPLE_S24] = 3, [SPOOL_RESAMPLE_ALAW] = 1, [SPOOL_RESAMPLE_MULAW] = 1};

/* The samples of one channel from index `from` on, and the distance between two of them. */
static const void *channel_at(const spool_resample_samples *s, const void *data, const void *const *planes,
                              int32_t channel, int64_t from, size_t *stride)
{
    const size_t width = widths[s->format];
    if (s->planar) {
        *stride = 1;
        return (const char *)planes[channel] + from * width;
    }
    *stride = s->channels;
    return (const char *)data + (from * s->channels + channel) * width;
}

/* Mixes at most STRIP samples. */
static void mix(const spool_resample_kernels *kernels, const spool_resample_samples *in, const void *data,
                const void *const *planes, int64_t from, size_t n, const float *matrix, int32_t channels, float *out,
                size_t out_stride)
{
    size_t stride;
    if (matrix == NULL) {
        for (int32_t c = 0; c < channels; c++) {
            const void *src = channel_at(in, data, planes, c, from, &stride);
            kernels->load(src, in->format, stride, n, out + c * out_stride);
        }
        return;
    }
    const void *first = channel_at(in, data, planes, 0, from, &stride);
    if (in->channels == 2) {
        const void *second = channel_at(in, data, planes, 1, from, &stride);
        for (int32_t c = 0; c < channels; c++)
            kernels->pair(first, second, in->format, stride, matrix + 2 * c, n, out + c * out_stride);
        return;
    }
    float one[STRIP];
    kernels->load(first, in->format, stride, n, one);
    for (int32_t c = 0; c < channels; c++)
        kernels->scale(one, matrix[c * in->channels], n, out + c * out_stride);
    for (int32_t i = 1; i < in->channels; i++) {
        kernels->load(channel_at(in, data, planes, i, from, &stride), in->format, stride, n, one);
        for (int32_t c = 0; c < channels; c++)
            kernels->accumulate(one, matrix[c * in->channels + i], n, out + c * out_stride);
    }
}

int spool_resample_mix(const spool_resample_samples *in, const void *data, const void *const *planes,
                       const float *matrix, int32_t channels, float *out, int64_t stride, const int32_t *flag,
                       int level)
{
    const spool_resample_kernels *kernels = spool_resample_kernels_at(level);
    for (int64_t from = 0; from < in->n; from += STRIP) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        const size_t n = in->n - from < STRIP ? in->n - from : STRIP;
        mix(kernels, in, data, planes, from, n, matrix, channels, out + from, stride);
    }
    return 0;
}

int spool_resample_store(const float *in, int64_t stride, const spool_resample_samples *out, void *data,
                         void *const *planes, const int32_t *flag, int level)
{
    const spool_resample_kernels *kernels = spool_resample_kernels_at(level);
    for (int64_t from = 0; from < out->n; from += STRIP) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        const size_t n = out->n - from < STRIP ? out->n - from : STRIP;
        for (int32_t c = 0; c < out->channels; c++) {
            size_t step;
            void *dst = (void *)channel_at(out, data, (const void *const *)planes, c, from, &step);
            kernels->store(in + c * stride + from, out->format, step, n, dst);
        }
    }
    return 0;
}

/*
 * The distance between outputs, and the distance of the next output from its input sample, in units of 1/denominator.
 */
static int64_t step(const spool_resample_filter *f)
{
    return f->whole * f->denominator + (f->row * f->denominator + f->rest) / f->rows;
}

static int64_t phase(const spool_resample_filter *f, spool_resample_position p)
{
    return (p.row * f->denominator + p.rest) / f->rows;
}

/* The number of outputs that can be computed from the samples in the window. */
static int64_t complete(const spool_resample_filter *f, const spool_resample_state *s)
{
    const int64_t room = s->filled - f->taps - s->position.at;
    if (room < 0)
        return 0;
    return ((room + 1) * f->denominator - phase(f, s->position) + step(f) - 1) / step(f);
}

/*
 * Extends the audio before its beginning: by its mirror image about the first sample, as far as the audio reaches, and
 * by silence before that. Called when the first output is due, and all mirrored samples have arrived.
 */
static void mirror_beginning(const spool_resample_form *form, spool_resample_state *s, float *window)
{
    const int64_t lead = s->lead, come = s->filled - lead;
    for (int32_t c = 0; c < form->channels; c++) {
        float *first = window + c * form->capacity + lead;
        for (int64_t i = 1; i <= lead; i++)
            first[-i] = i < come ? first[i] : 0;
    }
    s->lead = 0;
}

/* Computes the outputs that are complete, in multiples of `group`. */
static size_t deliver(const spool_resample_kernels *kernels, const spool_resample_filter *f, const float *coefficients,
                      const spool_resample_form *form, spool_resample_state *s, int64_t group, float *window,
                      float *out)
{
    const int64_t n = complete(f, s) / group * group;
    if (n == 0)
        return 0;
    if (s->lead > 0)
        mirror_beginning(form, s, window);
    kernels->filter(f, coefficients, &s->position, window, form->capacity, form->channels, n, out, form->stride);
    return n;
}

/* Drops samples that no output needs any longer. */
static void drop(const spool_resample_form *form, spool_resample_state *s, float *window)
{
    const int64_t gone = s->position.at < s->filled ? s->position.at : s->filled;
    if (s->lead > 0 || gone == 0)
        return;
    for (int32_t c = 0; c < form->channels; c++) {
        float *first = window + c * form->capacity;
        memmove(first, first + gone, (s->filled - gone) * sizeof *first);
    }
    s->filled -= gone;
    s->position.at -= gone;
}

int spool_resample_push(const spool_resample_filter *f, const float *coefficients, const spool_resample_form *form,
                        spool_resample_state *state, float *window, const spool_resample_samples *in, const void *data,
                        const void *const *planes, const float *matrix, float *out, const int32_t *flag, int level)
{
    const spool_resample_kernels *kernels = spool_resample_kernels_at(level);
    out += deliver(kernels, f, coefficients, form, state, form->group, window, out); /* those of a larger group */
    for (int64_t from = 0; from < in->n;) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        int64_t n = in->n - from < STRIP ? in->n - from : STRIP;
        if (n > form->capacity - state->filled)
            drop(form, state, window);
        mix(kernels, in, data, planes, from, n, matrix, form->channels, window + state->filled, form->capacity);
        state->filled += n;
        from += n;
        out += deliver(kernels, f, coefficients, form, state, form->group, window, out);
    }
    return 0;
}

int spool_resample_flush(const spool_resample_filter *f, const float *coefficients, const spool_resample_form *form,
                         spool_resample_state *state, int64_t centre, float *window, float *out, const int32_t *flag,
                         int level)
{
    if (spool_cancelled(flag))
        return SPOOL_CANCELLED;
    if (state->lead > 0)
        mirror_beginning(form, state, window);
    drop(form, state, window);
    const int64_t behind = f->taps - 1 - centre;
    for (int32_t c = 0; c < form->channels; c++) {
        float *end = window + c * form->capacity + state->filled;
        for (int64_t i = 0; i < behind; i++)
            end[i] = i < state->filled ? end[-1 - i] : 0;
    }
    state->filled += behind;
    deliver(spool_resample_kernels_at(level), f, coefficients, form, state, 1, window, out);
    return 0;
}
