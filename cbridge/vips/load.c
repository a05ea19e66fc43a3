#include "load.h"

#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>

#include "cancel.h"
#include "memory.h"
#include "note.h"
#include "rows.h"
#include "source.h"

static int field(VipsImage *image, const char *name, int absent)
{
    int value;
    if (!vips_image_get_typeof(image, name) || vips_image_get_int(image, name, &value))
        return absent;
    return value;
}

/* Copies the profile from the image's memory. If the allocation fails, the header has no profile. */
static void copy_profile(VipsImage *image, spool_vips_header *header)
{
    const void *profile;
    size_t size;
    if (!vips_image_get_typeof(image, VIPS_META_ICC_NAME) ||
        vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &size) || size == 0)
        return;
    header->profile = malloc(size);
    if (!header->profile)
        return;
    memcpy(header->profile, profile, size);
    header->profile_size = size;
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
    header->pages = field(image, VIPS_META_N_PAGES, 1);
    header->orientation = vips_image_get_orientation(image);
    copy_profile(image, header);
}

int spool_vips_read_header(const void *data, size_t size, const spool_vips_source *source, spool_vips_header *header,
                           spool_vips_note *note)
{
    spool_vips_input input;
    spool_vips_note_begin();
    const int failed = spool_vips_open(&input, data, size, source, NULL);
    if (!failed) {
        describe(input.image, source->format, header);
        spool_vips_close(&input);
    }
    spool_vips_note_end(note, failed);
    return failed ? SPOOL_VIPS_FAILED : SPOOL_VIPS_OK;
}

int spool_vips_decode(const void *data, size_t size, const spool_vips_request *request, spool_sink *sink,
                      uint8_t *pixels, const volatile int32_t *cancel, spool_vips_note *note)
{
    spool_vips_memory memory;
    spool_vips_input input;
    if (!sink)
        sink = spool_vips_memory_init(&memory, pixels, request);
    spool_vips_note_begin();
    int code = SPOOL_VIPS_FAILED;
    if (!spool_vips_open(&input, data, size, &request->source, cancel)) {
        if (input.image->Xsize == request->width && input.image->Ysize == request->height)
            code = spool_vips_deliver(input.image, request, sink, cancel, &note->rows);
        else
            code = SPOOL_VIPS_CHANGED;
        spool_vips_close(&input);
    }
    if (code == SPOOL_VIPS_FAILED && spool_cancelled(cancel))
        code = SPOOL_CANCELLED;
    spool_vips_note_end(note, code != SPOOL_VIPS_OK);
    return code;
}
