/* Refinement scans for machines that deposit bits fast: BMI2. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("bmi,bmi2,popcnt,lzcnt")
#endif

#include <immintrin.h>

#include "scan_bits.h"

enum { READY = 56 - LOOK_SCAN }; /* bits in a reader after fill_bits and one entry */

INLINE uint64_t nth(uint64_t set, int n)
{
    const int count = __builtin_popcountll(set);
    return LIKELY(n < count) ? _pdep_u64((uint64_t)1 << (count - 1 - n), set) : 0;
}

INLINE uint64_t read_bits(bit_reader *reader, uint64_t set)
{
    unsigned n = __builtin_popcountll(set);
    uint64_t bits = 0;
    if (UNLIKELY(n > READY)) {
        bits = reader->bits >> (64 - READY);
        take_bits(reader, READY);
        fill_bits(reader);
        n -= READY;
    }
    bits = bits << n | reader->bits >> 1 >> (63 - n);
    take_bits(reader, n);
    return _pdep_u64(bits, set);
}

#define REFINE_BAND spool_baseline_refine_band_bmi2
#include "refine_band.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
