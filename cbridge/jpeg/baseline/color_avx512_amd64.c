/* Upsampling and color conversion for AVX-512, in vectors of 64 bytes. */
#include "target_avx512.h"

#include "color.h"

#define OP(name) _mm512_##name
#define dot _mm512_dpwssd_epi32

enum { LANES = 4 };

typedef __m512i vec;

INLINE vec load(const void *p)
{
    return _mm512_loadu_si512(p);
}

#include "color_x86.h"
#include "rgb_vbmi.h"

#define FROM_64(i) FROM_32(i), FROM_32(i + 32)

INLINE void store_rgb(uint8_t *rgb, vec r, vec g, vec b)
{
    static const uint8_t from[3][64] = {{FROM_64(0)}, {FROM_64(64)}, {FROM_64(128)}};
    static const uint64_t blue[3] = {0x4924924924924924, 0x2492492492492492, 0x9249249249249249};
    for (int i = 0; i < 3; i++) {
        const vec rg = _mm512_permutex2var_epi8(r, load(from[i]), g);
        _mm512_storeu_si512(rgb + 64 * i, _mm512_mask_permutexvar_epi8(rg, blue[i], load(from[i]), b));
    }
}

const spool_baseline_color spool_baseline_color_avx512 = {add, convert_wide, convert};

#if defined(__clang__)
#pragma clang attribute pop
#endif
