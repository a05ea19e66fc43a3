#include "entry.h"

#include <string.h>

#include "_cgo_export.h"

int32_t spool_decode_images(spool_image_spec *spec, const spool_source *sources, int64_t n,
                            const spool_images_options *options, spool_array **pixels, spool_array **failures,
                            spool_error *error)
{
    SPOOL_ENTER(error);
    /* The caller's struct may be that of an older or of a newer header. */
    spool_images_options known = {.struct_size = sizeof known};
    if (options)
        memcpy(&known, options, options->struct_size < sizeof known ? options->struct_size : sizeof known);
    return goDecodeImages((uintptr_t)spec, (spool_source *)sources, n, &known, (uintptr_t)known.cancel, pixels,
                          failures, error);
}
