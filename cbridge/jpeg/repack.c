#include "repack.h"

#include "reader.h"

enum { MARKER_MAX = 0xFFFF }; /* no marker is longer */

typedef struct {
    struct jpeg_compress_struct jpeg; /* its client_data is the reader */
    struct jpeg_error_mgr errors;
    unsigned char *file;
    unsigned long size;
    int begun;
} repack_writer;

/* Errors of the writer end the reader, too. */
static void write_failed(j_common_ptr jpeg)
{
    spool_jpeg_reader *reader = (spool_jpeg_reader *)jpeg->client_data;

    reader->report->code = jpeg->err->msg_code;
    jpeg->err->format_message(jpeg, reader->report->text);
    spool_jpeg_fail(reader, SPOOL_JPEG_FAILED);
}

static void say_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

static jvirt_barray_ptr *read_coefficients(spool_jpeg_reader *reader, int64_t max_memory)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;

    jpeg_save_markers(jpeg, JPEG_COM, MARKER_MAX);
    for (int i = 0; i < 16; i++)
        jpeg_save_markers(jpeg, JPEG_APP0 + i, MARKER_MAX);
    jpeg_read_header(jpeg, TRUE);
    reader->in_header = 0;
    reader->last = jpeg->image_height;
    jpeg->mem->max_memory_to_use = (long)max_memory;
    return jpeg_read_coefficients(jpeg);
}

/* Reports whether scans are missing. Decoders smooth such an image, since its blocks would be visible. */
static int is_incomplete(const struct jpeg_decompress_struct *jpeg)
{
    if (!jpeg->progressive_mode)
        return 0;
    for (int i = 0; i < jpeg->num_components; i++)
        for (int k = 0; k < DCTSIZE2; k++)
            if (jpeg->coef_bits[i][k] != 0) /* missing bits, or -1 */
                return 1;
    return 0;
}

/* Writes the coefficients with tables of their own. All markers of the file are kept, in their order. */
static void write_coefficients(repack_writer *writer, spool_jpeg_reader *reader, jvirt_barray_ptr *coefficients,
                               int restart_rows)
{
    struct jpeg_compress_struct *jpeg = &writer->jpeg;

    jpeg->err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = write_failed;
    writer->errors.output_message = say_nothing;
    jpeg->client_data = reader;
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, &writer->file, &writer->size);
    writer->begun = 1;
    jpeg_copy_critical_parameters(&reader->jpeg, jpeg);
    jpeg->optimize_coding = TRUE;
    jpeg->restart_in_rows = restart_rows;
    jpeg->write_JFIF_header = FALSE; /* they are among the markers */
    jpeg->write_Adobe_marker = FALSE;
    if (reader->jpeg.progressive_mode)
        jpeg_simple_progression(jpeg);
    jpeg_write_coefficients(jpeg, coefficients);
    for (jpeg_saved_marker_ptr m = reader->jpeg.marker_list; m != NULL; m = m->next)
        jpeg_write_marker(jpeg, m->marker, m->data, m->data_length);
    jpeg_finish_compress(jpeg);
}

int spool_jpeg_repack(const uint8_t *data, size_t size, const spool_jpeg_repacking *o, const int32_t *flag,
                      uint8_t **file, size_t *file_size, spool_jpeg_report *report)
{
    spool_jpeg_reader reader = {.report = report, .flag = flag, .max_scans = o->max_scans};
    repack_writer writer = {.begun = 0};

    if (setjmp(reader.escape) == 0) {
        spool_jpeg_open(&reader, data, size);
        jvirt_barray_ptr *coefficients = read_coefficients(&reader, o->max_memory);
        if (coefficients == NULL)
            spool_jpeg_fail(&reader, SPOOL_JPEG_STUCK);
        spool_jpeg_check_end(&reader);
        report->width = (int32_t)reader.jpeg.image_width;
        report->height = (int32_t)reader.jpeg.image_height;
        report->trailing = reader.out_of_data ? 0 : reader.source.bytes_in_buffer;
        report->incomplete = is_incomplete(&reader.jpeg);
        write_coefficients(&writer, &reader, coefficients, o->restart_rows);
    } else if (writer.begun) {
        writer.jpeg.dest->term_destination(&writer.jpeg); /* stores the address of the file */
    }
    jpeg_destroy_compress(&writer.jpeg);
    jpeg_destroy_decompress(&reader.jpeg);
    *file = writer.file;
    *file_size = writer.size;
    return reader.status;
}
