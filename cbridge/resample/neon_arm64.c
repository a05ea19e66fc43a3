/* The kernels for NEON. */
#include "exact.h"

#define WIDTH 4
#define KEEP(v) __asm__("" : "+w"(v))
#define KERNELS spool_resample_neon
#define NAME "neon"

#include "samples.h"
#include "filter_simd.h"
