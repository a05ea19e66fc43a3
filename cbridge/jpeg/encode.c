#include "encode.h"

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

/* Rows between polls of the flag. */
enum { LOOK = 64 };

typedef struct {
    struct jpeg_error_mgr errors; /* first: the library passes its address to callbacks */
    jmp_buf out;
    spool_jpeg_report *report;
} encode_errors;

static void fail(j_common_ptr jpeg)
{
    encode_errors *errors = (encode_errors *)jpeg->err;

    errors->report->code = jpeg->err->msg_code;
    jpeg->err->format_message(jpeg, errors->report->text);
    longjmp(errors->out, 1);
}

static void say_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

static void prepare(struct jpeg_compress_struct *jpeg, const spool_jpeg_encoding *e)
{
    jpeg->image_width = (JDIMENSION)e->width;
    jpeg->image_height = (JDIMENSION)e->height;
    jpeg->input_components = e->channels;
    jpeg->in_color_space = e->channels == 1 ? JCS_GRAYSCALE : e->channels == 3 ? JCS_RGB : JCS_EXT_RGBX;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, e->quality, TRUE);
    if (e->channels > 1) {
        jpeg->comp_info[0].h_samp_factor = e->across;
        jpeg->comp_info[0].v_samp_factor = e->down;
    }
    jpeg->optimize_coding = e->optimize != 0;
    if (e->progressive)
        jpeg_simple_progression(jpeg);
}

int spool_jpeg_encode(const uint8_t *pixels, const spool_jpeg_encoding *e, const int32_t *flag, uint8_t **file,
                      size_t *size, spool_jpeg_report *report)
{
    struct jpeg_compress_struct jpeg;
    encode_errors errors = {.report = report};
    const size_t stride = (size_t)e->width * (size_t)e->channels;
    unsigned char *written = NULL;
    unsigned long n = 0;
    volatile int begun = 0, status = SPOOL_JPEG_OK;

    jpeg.err = jpeg_std_error(&errors.errors);
    errors.errors.error_exit = fail;
    errors.errors.output_message = say_nothing;
    jpeg_create_compress(&jpeg);
    *file = NULL;
    if (setjmp(errors.out)) {
        if (begun)
            jpeg.dest->term_destination(&jpeg); /* stores the address and size of the file */
        jpeg_destroy_compress(&jpeg);
        *file = written;
        return SPOOL_JPEG_FAILED;
    }
    jpeg_mem_dest(&jpeg, &written, &n);
    begun = 1;
    prepare(&jpeg, e);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = (JSAMPROW)(pixels + jpeg.next_scanline * stride);
        if (jpeg.next_scanline % LOOK == 0 && spool_cancelled(flag)) {
            status = SPOOL_CANCELLED;
            break;
        }
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    if (status == SPOOL_JPEG_OK)
        jpeg_finish_compress(&jpeg);
    else
        jpeg.dest->term_destination(&jpeg);
    jpeg_destroy_compress(&jpeg);
    *file = written;
    *size = n;
    return status;
}
