#define _GNU_SOURCE /* memfd_create */
#include "source.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cancel.h"
#include "note.h"

/*
 * The operation that loads each format. They are called by name, not through libvips' own detection, so that the bytes
 * reach only the loader that the caller chose. The process' list of blocked operations is not changed, because it would
 * affect other users of libvips in the process.
 *
 * fail_on is VIPS_FAIL_ON_ERROR: loaders refuse all damage that their codecs report.
 */
static const char *const loaders[SPOOL_VIPS_FORMATS] = {
    [SPOOL_VIPS_TIFF] = "tiffload_buffer", [SPOOL_VIPS_HEIF] = "heifload_source",
    [SPOOL_VIPS_JXL] = "jxlload_source",   [SPOOL_VIPS_SVG] = "svgload_buffer",
    [SPOOL_VIPS_EXR] = "openexrload",      [SPOOL_VIPS_HDR] = "radload_buffer",
    [SPOOL_VIPS_PDF] = "pdfload_buffer",   [SPOOL_VIPS_MAGICK] = "magickload_buffer",
};

int spool_vips_start(void)
{
    spool_vips_silence(); /* before the first message about a module that cannot be loaded */
    if (vips_init("spool"))
        return -1;
    vips_concurrency_set(1); /* parallelism is across images, not within one */
    vips_cache_set_max(0);   /* no file is opened twice */
    vips_leak_set(FALSE);
    return 0;
}

int spool_vips_reads(int format)
{
    return vips_type_find("VipsOperation", loaders[format]) != 0;
}

/* Returns a file in memory with these bytes, or -1. */
static int file_of(const void *data, size_t size)
{
    const int file = memfd_create("spool", MFD_CLOEXEC);
    const uint8_t *rest = data;
    while (file >= 0 && size > 0) {
        const ssize_t n = write(file, rest, size);
        if (n <= 0) {
            close(file);
            return -1;
        }
        rest += n;
        size -= n;
    }
    return file;
}

static gint64 on_read(VipsSourceCustom *reader, void *buffer, gint64 length, void *data)
{
    spool_vips_input *input = data;
    const size_t left = input->size - input->at, n = (size_t)length < left ? (size_t)length : left;
    (void)reader;
    if (spool_cancelled(input->cancel))
        return -1;
    memcpy(buffer, input->data + input->at, n);
    input->at += n;
    return (gint64)n;
}

static gint64 on_seek(VipsSourceCustom *reader, gint64 offset, int whence, void *data)
{
    spool_vips_input *input = data;
    const gint64 from = whence == SEEK_SET ? 0 : (gint64)(whence == SEEK_CUR ? input->at : input->size);
    (void)reader;
    if (offset < -from || offset > (gint64)input->size - from)
        return -1;
    input->at = (size_t)(from + offset);
    return (gint64)input->at;
}

/* Passes the data as a custom source. Reads fail once the flag is set, which stops loaders that read piece by piece. */
static int feed_reader(VipsOperation *operation, spool_vips_input *input)
{
    VipsSourceCustom *reader = vips_source_custom_new();
    g_signal_connect(reader, "read", G_CALLBACK(on_read), input);
    g_signal_connect(reader, "seek", G_CALLBACK(on_seek), input);
    input->reader = VIPS_SOURCE(reader);
    g_object_set(operation, "source", reader, NULL);
    return 0;
}

/* Passes the data to the operation; returns 0 on success. */
static int feed(VipsOperation *operation, spool_vips_input *input, const void *data, size_t size)
{
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(operation), "source"))
        return feed_reader(operation, input);
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(operation), "buffer")) {
        VipsBlob *blob = vips_blob_new(NULL, data, size);
        g_object_set(operation, "buffer", blob, NULL);
        vips_area_unref(VIPS_AREA(blob));
        return 0;
    }
    char name[32];
    input->file = file_of(data, size);
    snprintf(name, sizeof name, "/proc/self/fd/%d", input->file);
    g_object_set(operation, "filename", name, NULL);
    return input->file < 0;
}

int spool_vips_open(spool_vips_input *input, const void *data, size_t size, const spool_vips_source *source,
                    const volatile int32_t *cancel)
{
    *input = (spool_vips_input){.file = -1, .data = data, .size = size, .cancel = cancel};
    VipsOperation *operation = vips_operation_new(loaders[source->format]);
    if (!operation)
        return -1;
    const int fed = feed(operation, input, data, size) == 0;
    g_object_set(operation, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
    if (source->page > 0)
        g_object_set(operation, "page", source->page, NULL);
    if (source->subifd >= 0)
        g_object_set(operation, "subifd", source->subifd, NULL);

    if (fed && !vips_object_build(VIPS_OBJECT(operation))) /* bypasses libvips' operation cache */
        g_object_get(operation, "out", &input->image, NULL);
    vips_object_unref_outputs(VIPS_OBJECT(operation));
    g_object_unref(operation);

    if (input->image && input->image->Coding == VIPS_CODING_RAD) { /* Radiance's packed pixels to float */
        VipsImage *packed = input->image;
        input->image = NULL;
        if (vips_rad2float(packed, &input->image, NULL))
            input->image = NULL;
        g_object_unref(packed);
    }
    if (!input->image)
        spool_vips_close(input);
    return input->image ? 0 : -1;
}

void spool_vips_close(spool_vips_input *input)
{
    if (input->image)
        g_object_unref(input->image);
    if (input->reader)
        g_object_unref(input->reader);
    if (input->file >= 0)
        close(input->file);
    *input = (spool_vips_input){.file = -1};
}
