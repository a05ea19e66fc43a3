/*
 * spool loads images by libvips and never saves them. These functions replace those that register the savers which need
 * the encoders of libjxl, libheif and libtiff, so libraries that are linked statically (tools/sdk) are smaller.
 */
#include <vips/vips.h>

#ifdef SPOOL_STATIC

#define SAVER(name)                                  \
    GType vips_foreign_save_##name##_get_type(void); \
    GType vips_foreign_save_##name##_get_type(void)  \
    {                                                \
        return G_TYPE_INVALID;                       \
    }

SAVER(jxl_file)
SAVER(jxl_buffer)
SAVER(jxl_target)
SAVER(heif_file)
SAVER(heif_buffer)
SAVER(heif_target)
SAVER(avif_target)
SAVER(tiff_file)
SAVER(tiff_buffer)
SAVER(tiff_target)

#endif
