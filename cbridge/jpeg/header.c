#include "reader.h"

#include <string.h>

/* Notes where the first Exif payload lies, and skips the marker. */
static boolean note_exif(j_decompress_ptr jpeg)
{
    static const char name[] = "Exif\0"; /* and a second zero */
    struct jpeg_source_mgr *source = jpeg->src;
    spool_jpeg_header *header = jpeg->client_data;
    if (source->bytes_in_buffer < 2)
        return source->fill_input_buffer(jpeg); /* does not return while the header is read */
    const JOCTET *marker = source->next_input_byte;
    long length = marker[0] << 8 | marker[1];
    if (length < 2)
        ERREXIT(jpeg, JERR_BAD_LENGTH);
    if (header->exif_length == 0 && length > 2 + (long)sizeof name && (size_t)length <= source->bytes_in_buffer &&
        memcmp(marker + 2, name, sizeof name) == 0) {
        header->exif_offset = marker + 2 + sizeof name - ((spool_jpeg_reader *)jpeg)->data;
        header->exif_length = length - 2 - (long)sizeof name;
    }
    source->skip_input_data(jpeg, length);
    return TRUE;
}

static void read_header(spool_jpeg_reader *reader, spool_jpeg_header *header)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg->client_data = header;
    jpeg_set_marker_processor(jpeg, JPEG_APP0 + 1, note_exif);
    jpeg_read_header(jpeg, TRUE);
    header->width = jpeg->image_width;
    header->height = jpeg->image_height;
    header->components = jpeg->num_components;
    header->space = jpeg->jpeg_color_space;
    header->progressive = jpeg->progressive_mode;
    header->arithmetic = jpeg->arith_code;
}

int spool_jpeg_read_header(const uint8_t *data, size_t size, spool_jpeg_header *header, spool_jpeg_report *report)
{
    spool_jpeg_reader reader = {.report = report};
    if (setjmp(reader.escape) == 0) {
        spool_jpeg_open(&reader, data, size);
        read_header(&reader, header);
    }
    jpeg_destroy_decompress(&reader.jpeg);
    return reader.status;
}
