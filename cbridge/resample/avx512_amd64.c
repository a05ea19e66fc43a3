/* The kernels for AVX-512. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq")
#endif

#include "exact.h"

#define WIDTH 16
#define KEEP(v) __asm__("" : "+v"(v))
#define KERNELS spool_resample_avx512
#define NAME "avx512"

#include "samples.h"
#include "filter_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
