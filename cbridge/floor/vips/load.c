#define _GNU_SOURCE /* memfd_create */
#include "load.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vips/vips.h>

/* Passes the data to the operation, in memory or as a file. Returns the file descriptor, or -1. */
static int feed(VipsOperation *operation, const void *data, size_t size)
{
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(operation), "buffer")) {
        VipsBlob *blob = vips_blob_new(NULL, data, size);
        g_object_set(operation, "buffer", blob, NULL);
        vips_area_unref(VIPS_AREA(blob));
        return -1;
    }
    const int file = memfd_create("spool", MFD_CLOEXEC);
    char name[32];
    if (file >= 0 && write(file, data, size) == (ssize_t)size) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
        g_object_set(operation, "filename", name, NULL);
    }
    return file;
}

/* Computes the whole image in memory. Returns nonzero on failure. */
static int pull(VipsImage *image)
{
    enum { STRIP_ROWS = 16 };
    const size_t row = VIPS_IMAGE_SIZEOF_LINE(image);
    uint8_t *pixels = malloc(row * image->Ysize);
    VipsRegion *region = vips_region_new(image);
    int failed = pixels == NULL;
    for (int top = 0; top < image->Ysize && !failed; top += STRIP_ROWS) {
        VipsRect strip = {0, top, image->Xsize, MIN(STRIP_ROWS, image->Ysize - top)};
        failed = vips_region_prepare(region, &strip);
        for (int y = top; y < top + strip.height && !failed; y++)
            memcpy(pixels + y * row, VIPS_REGION_ADDR(region, 0, y), row);
    }
    g_object_unref(region);
    free(pixels);
    return failed;
}

/* Converts Radiance's packed pixels to float. */
static VipsImage *unpack(VipsImage *image)
{
    VipsImage *unpacked = NULL;
    if (image->Coding != VIPS_CODING_RAD)
        return image;
    if (vips_rad2float(image, &unpacked, NULL))
        unpacked = NULL;
    g_object_unref(image);
    return unpacked;
}

int spool_floor_vips(const char *loader, const void *data, size_t size)
{
    VipsImage *image = NULL;
    VipsOperation *operation = vips_operation_new(loader);
    if (operation == NULL)
        return -1;
    const int file = feed(operation, data, size);
    g_object_set(operation, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
    if (!vips_object_build(VIPS_OBJECT(operation))) /* without libvips' cache of operations */
        g_object_get(operation, "out", &image, NULL);
    vips_object_unref_outputs(VIPS_OBJECT(operation));
    g_object_unref(operation);
    if (image != NULL)
        image = unpack(image);
    const int failed = image == NULL || pull(image);
    if (image != NULL)
        g_object_unref(image);
    if (file >= 0)
        close(file);
    if (failed)
        vips_error_clear();
    return failed;
}
