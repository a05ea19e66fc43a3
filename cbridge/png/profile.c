#include <libdeflate.h>

#include "spool_png.h"

int spool_png_inflate_profile(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size, size_t *length)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (inflater == NULL)
        return SPOOL_PNG_NO_MEMORY;
    const enum libdeflate_result result = libdeflate_zlib_decompress(inflater, data, size, dst, dst_size, length);
    libdeflate_free_decompressor(inflater);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        *length = dst_size + 1;
    return result == LIBDEFLATE_BAD_DATA ? SPOOL_PNG_CORRUPT : SPOOL_PNG_OK;
}
