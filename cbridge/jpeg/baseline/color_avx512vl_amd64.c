/* Upsampling and color conversion for AVX-512, in vectors of 32 bytes. */
#include "target_avx512.h"

#include "color.h"

#define OP(name) _mm256_##name
#define dot _mm256_dpwssd_epi32

enum { LANES = 2 };

typedef __m256i vec;

INLINE vec load(const void *p)
{
    return _mm256_loadu_si256(p);
}

#include "color_x86.h"
#include "rgb_vbmi.h"

INLINE void store_rgb(uint8_t *rgb, vec r, vec g, vec b)
{
    static const uint8_t from[3][32] = {{FROM_32(0)}, {FROM_32(32)}, {FROM_32(64)}};
    static const uint32_t blue[3] = {0x24924924, 0x49249249, 0x92492492};
    for (int i = 0; i < 3; i++) {
        const vec rg = _mm256_permutex2var_epi8(r, load(from[i]), g);
        _mm256_storeu_si256((vec *)(rgb + 32 * i), _mm256_mask_permutexvar_epi8(rg, blue[i], load(from[i]), b));
    }
}

const spool_baseline_color spool_baseline_color_avx512vl = {add, convert_wide, convert};

#if defined(__clang__)
#pragma clang attribute pop
#endif
