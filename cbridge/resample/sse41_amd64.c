/* The kernels for SSE4.1. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)
#else
#pragma GCC target("sse4.1")
#endif

#include "exact.h"

#define WIDTH 4
#define KEEP(v) __asm__("" : "+x"(v))
#define KERNELS spool_resample_sse41
#define NAME "sse4.1"

#include "samples.h"
#include "filter_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
