/* The kernels of cbridge/cuda/kernels, compiled from their source. */
#include "kernels.h"
#include "device.h"

#include "frames.cu"
#include "normalize.cu"
#include "resize.cu"
#include "spin.cu"

#define NORMALIZE_KERNEL(channels, type)                                                           \
    static void reach_normalize_##channels##_##type(const launch *l, array *out)                   \
    {                                                                                              \
        const spool_normalize_launch *a = (const void *)l->parameters;                             \
        const size_t bytes = (size_t)l->height * a->p.width * a->p.height * channels;              \
        out[0] = (array){a->in, bytes, 0};                                                         \
        out[1] = (array){a->out, bytes * size_of(type), 1};                                        \
    }                                                                                              \
    static void thread_normalize_##channels##_##type(const void *argument)                         \
    {                                                                                              \
        const launch *l = argument;                                                                \
        const spool_normalize_launch *a = (const void *)l->parameters;                             \
        normalize_##channels##_##type((unsigned char *)l->at[0], (unsigned char *)l->at[1], a->p); \
    }
NORMALIZE_KERNEL(1, 0)
NORMALIZE_KERNEL(1, 1)
NORMALIZE_KERNEL(1, 2)
NORMALIZE_KERNEL(3, 0)
NORMALIZE_KERNEL(3, 1)
NORMALIZE_KERNEL(3, 2)
NORMALIZE_KERNEL(4, 0)
NORMALIZE_KERNEL(4, 1)
NORMALIZE_KERNEL(4, 2)

static void reach_frames(const launch *l, array *out, size_t bytes, size_t size)
{
    const spool_frames_launch *a = (const void *)l->parameters;
    const spool_frames *p = &a->p;
    const size_t last = l->height - 1, lines = (p->height - 1) >> p->chroma_y, x = (p->width - 1) >> p->chroma_x;
    const size_t chroma = last * p->chroma_frame + lines * p->chroma_pitch + (x * p->step + 1) * bytes;

    out[0] = (array){a->y, last * p->luma_frame + (p->height - 1) * p->luma_pitch + p->width * bytes, 0};
    out[1] = (array){a->u, chroma, 0};
    out[2] = (array){a->v, chroma, 0};
    out[3] = (array){a->out, (size_t)l->height * p->width * p->height * 3 * size, 1};
}

#define FRAMES_KERNEL(bytes, type)                                                              \
    static void reach_frames_##bytes##_##type(const launch *l, array *out)                      \
    {                                                                                           \
        reach_frames(l, out, bytes, size_of(type));                                             \
    }                                                                                           \
    static void thread_frames_##bytes##_##type(const void *argument)                            \
    {                                                                                           \
        const launch *l = argument;                                                             \
        const unsigned char *const *at = (const unsigned char *const *)l->at;                   \
        frames_##bytes##_##type(at[0], at[1], at[2], (unsigned char *)l->at[3],                 \
                                ((const spool_frames_launch *)(const void *)l->parameters)->p); \
    }
FRAMES_KERNEL(1, 0)
FRAMES_KERNEL(1, 1)
FRAMES_KERNEL(1, 2)
FRAMES_KERNEL(1, 3)
FRAMES_KERNEL(2, 0)
FRAMES_KERNEL(2, 1)
FRAMES_KERNEL(2, 2)
FRAMES_KERNEL(2, 3)

static void reach_resize(const launch *l, array *out)
{
    const spool_resize_launch *a = (const void *)l->parameters;
    const spool_resize *p = &a->p;

    out[0] = (array){a->in, (size_t)(p->lines - 1) * p->line_pitch + (size_t)(p->in - 1) * p->tap_pitch + p->inner, 0};
    out[1] = (array){a->taps, (size_t)p->out * (p->stride + 2) * sizeof(int), 0};
    out[2] = (array){a->out, (size_t)p->lines * p->out * p->inner, 1};
}

static void thread_resize(const void *argument)
{
    const launch *l = argument;

    resize((unsigned char *)l->at[0], (const int *)(void *)l->at[1], (unsigned char *)l->at[2],
           ((const spool_resize_launch *)(const void *)l->parameters)->p);
}

static void reach_spin(const launch *l, array *out)
{
    const spool_spin_launch *a = (const void *)l->parameters;

    out[0] = (array){a->in, 1, 0};
    out[1] = (array){a->out, sizeof(unsigned long long), 1};
}

static void thread_spin(const void *argument)
{
    const launch *l = argument;

    spin((unsigned char *)l->at[0], (unsigned long long *)(void *)l->at[1],
         ((const spool_spin_launch *)(const void *)l->parameters)->nanoseconds);
}

#define OF(kind, a, b, arrays)                                                                \
    {                                                                                         \
#kind "_" #a "_" #b, sizeof(spool_##kind##_launch), arrays, reach_##kind##_##a##_##b, \
            thread_##kind##_##a##_##b                                                         \
    }
static const kernel kernels[] = {
    OF(normalize, 1, 0, 2), OF(normalize, 1, 1, 2), OF(normalize, 1, 2, 2),
    OF(normalize, 3, 0, 2), OF(normalize, 3, 1, 2), OF(normalize, 3, 2, 2),
    OF(normalize, 4, 0, 2), OF(normalize, 4, 1, 2), OF(normalize, 4, 2, 2),
    OF(frames, 1, 0, 4),    OF(frames, 1, 1, 4),    OF(frames, 1, 2, 4),
    OF(frames, 1, 3, 4),    OF(frames, 2, 0, 4),    OF(frames, 2, 1, 4),
    OF(frames, 2, 2, 4),    OF(frames, 2, 3, 4),    {"resize", sizeof(spool_resize_launch), 3, reach_resize, thread_resize},
    {"spin", sizeof(spool_spin_launch), 2, reach_spin, thread_spin},
};

const kernel *kernel_named(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

void run_kernel(const launch *l)
{
    run_grid((dimensions){l->width, l->height}, l->threads, l->kernel->thread, l);
}
