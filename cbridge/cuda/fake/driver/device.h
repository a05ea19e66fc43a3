/*
 * CUDA keywords and functions that the kernels use, for a C compiler. The device has one processor, which runs the
 * threads of a block one after another.
 *
 * A thread ends at a barrier. When all threads have reached it, each runs again from its beginning, and continues after
 * the barrier. So the code before the barrier must be repeatable, like filling a table, and a kernel has one barrier.
 * Shared memory is filled with garbage for each block, which reveals a thread that does not wait for the others.
 */
#ifndef SPOOL_FAKE_DEVICE_H
#define SPOOL_FAKE_DEVICE_H

#include <setjmp.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define KERNEL static void
#define FUSED(a, b, c) __builtin_fmaf(a, b, c)
#define __stcs(to, value) (*(to) = (value))
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static __attribute__((section("fake_shared")))

typedef struct {
    unsigned int x, y;
} dimensions;

typedef struct {
    unsigned int x, y, z, w;
} __attribute__((aligned(16))) uint4;

/* Converts to IEEE 754 binary16, rounded to nearest, ties to even. */
static inline unsigned int half_of(float value)
{
    unsigned int bits;
    memcpy(&bits, &value, sizeof bits);
    const unsigned int sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;

    if (magnitude >= 0x47800000) /* 2^16; values just below become infinite by rounding */
        return sign | 0x7c00;
    if (magnitude >= 0x38800000) {
        const unsigned int rebiased = magnitude - (112u << 23);
        return sign | (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13;
    }
    if (magnitude < 0x33000000) /* less than half of the smallest subnormal */
        return sign;
    const unsigned int shift = 126 - (magnitude >> 23), mantissa = (magnitude & 0x7fffff) | 0x800000;
    return sign | (mantissa + (1u << (shift - 1)) - 1 + (mantissa >> shift & 1)) >> shift;
}

static inline unsigned long long nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
}
#define NANOSECONDS nanoseconds_now()

static dimensions threadIdx, blockIdx, blockDim, gridDim;
static jmp_buf thread_end;
static int waited, passing;

extern char __start_fake_shared[], __stop_fake_shared[];

static inline void __syncthreads(void)
{
    if (passing)
        return;
    waited = 1;
    longjmp(thread_end, 1);
}

/* Runs the threads of all blocks one by one. */
static inline void run_grid(dimensions grid, unsigned int threads, void (*thread)(const void *), const void *argument)
{
    gridDim = grid;
    blockDim = (dimensions){threads, 1};
    for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
        for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++) {
            memset(__start_fake_shared, 0xDB, (size_t)(__stop_fake_shared - __start_fake_shared));
            waited = passing = 0;
            do {
                passing = waited;
                for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)
                    if (setjmp(thread_end) == 0)
                        thread(argument);
            } while (waited && !passing);
        }
}

#endif
