#include "load.h"

#include <vips/vips.h>

#include "cancel.h"
#include "memory.h"
#include "note.h"
#include "rows.h"

/*
 * The operation that loads each format. They are called by name, not through libvips' own sniffing, so
 * that the bytes reach the loader that the caller chose and no other.
 *
 * fail_on is VIPS_FAIL_ON_ERROR: pngload and gifload refuse files cut short from VIPS_FAIL_ON_TRUNCATED on,
 * jp2kload damaged tiles from VIPS_FAIL_ON_ERROR on, the others all damage that their codecs report at any
 * level. VIPS_FAIL_ON_WARNING would add GIFs with something odd behind the frames, which load.
 */
static const struct {
    const char *name;
    int paged;
} loaders[SPOOL_VIPS_FORMATS] = {
    [SPOOL_VIPS_PNG] = {"pngload_buffer", 0},   [SPOOL_VIPS_WEBP] = {"webpload_buffer", 1},
    [SPOOL_VIPS_GIF] = {"gifload_buffer", 1},   [SPOOL_VIPS_TIFF] = {"tiffload_buffer", 1},
    [SPOOL_VIPS_HEIF] = {"heifload_buffer", 1}, [SPOOL_VIPS_JP2] = {"jp2kload_buffer", 0},
    [SPOOL_VIPS_JXL] = {"jxlload_buffer", 0},
};

int spool_vips_start(void)
{
    spool_vips_silence(); /* before a module that cannot be loaded is complained of */
    if (vips_init("spool"))
        return -1;
    vips_concurrency_set(1); /* pictures are decoded beside each other, not in parts */
    vips_cache_set_max(0);   /* nothing is opened twice */
    vips_leak_set(FALSE);
    vips_block_untrusted_set(TRUE);
    vips_operation_block_set("VipsForeignLoadJp2k", FALSE);
    vips_operation_block_set("VipsForeignLoadJxl", FALSE);
    return 0;
}

int spool_vips_reads(int format)
{
    return vips_type_find("VipsOperation", loaders[format].name) != 0;
}

/* The picture, not decoded yet, owned by the caller; NULL when the loader refuses the header. */
static VipsImage *load(int format, const void *data, size_t size, int page)
{
    VipsOperation *operation = vips_operation_new(loaders[format].name);
    if (!operation)
        return NULL;
    VipsBlob *blob = vips_blob_new(NULL, data, size); /* lent: the image is gone before the call returns */
    g_object_set(operation, "buffer", blob, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
    vips_area_unref(VIPS_AREA(blob));
    if (loaders[format].paged && page > 0)
        g_object_set(operation, "page", page, NULL);

    VipsImage *image = NULL;
    if (!vips_object_build(VIPS_OBJECT(operation))) /* not by way of libvips' cache of operations */
        g_object_get(operation, "out", &image, NULL);
    vips_object_unref_outputs(VIPS_OBJECT(operation));
    g_object_unref(operation);
    return image;
}

static int field(VipsImage *image, const char *name, int absent)
{
    int value;
    if (!vips_image_get_typeof(image, name) || vips_image_get_int(image, name, &value))
        return absent;
    return value;
}

static void describe(VipsImage *image, int format, spool_vips_header *header)
{
    spool_vips_pixels pixels;
    if (spool_vips_describe(image, format, &pixels)) {
        header->color = pixels.color;
        header->alpha = pixels.alpha;
    }
    header->width = image->Xsize;
    header->height = image->Ysize;
    header->bits = field(image, "heif-bitdepth", 8 * (int)vips_format_sizeof(image->BandFmt));
    /* JPEG 2000's resolutions pass as pages in libvips. */
    header->pages = loaders[format].paged ? field(image, VIPS_META_N_PAGES, 1) : 1;
    header->orientation = vips_image_get_orientation(image);
    header->profile = vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
}

int spool_vips_read_header(int format, const void *data, size_t size, int page, spool_vips_header *header,
                           spool_vips_note *note)
{
    spool_vips_note_begin();
    VipsImage *image = load(format, data, size, page);
    if (image) {
        describe(image, format, header);
        g_object_unref(image);
    }
    spool_vips_note_end(note, image == NULL);
    return image ? SPOOL_VIPS_OK : SPOOL_VIPS_FAILED;
}

int spool_vips_decode(int format, const void *data, size_t size, const spool_vips_request *request, spool_sink *sink,
                      uint8_t *pixels, const volatile int32_t *cancel, spool_vips_note *note)
{
    spool_vips_memory memory;
    if (!sink)
        sink = spool_vips_memory_init(&memory, pixels, request);
    spool_vips_note_begin();
    int code = SPOOL_VIPS_FAILED;
    VipsImage *image = load(format, data, size, request->page);
    if (image) {
        if (image->Xsize == request->width && image->Ysize == request->height)
            code = spool_vips_deliver(image, format, request->channels, sink, cancel, &note->rows);
        else
            code = SPOOL_VIPS_CHANGED;
        g_object_unref(image);
    }
    spool_vips_note_end(note, code != SPOOL_VIPS_OK);
    return code;
}
