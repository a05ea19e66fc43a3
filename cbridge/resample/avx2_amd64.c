/* The kernels for AVX2. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include "exact.h"

#define WIDTH 8
#define KEEP(v) __asm__("" : "+x"(v))
#define KERNELS spool_resample_avx2
#define NAME "avx2"

#include "samples.h"
#include "filter_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
