#include "cmyk.h"
#include "reader.h"

enum {
    STRIP = 16, /* rows of one push: an MCU row of the common 4:2:0 */
    LEAP = 512, /* rows to skip between polls of the flag */
};

/* A sink that stores rows in memory. */
typedef struct {
    spool_sink sink; /* first: the sink's functions convert its address to a memory_sink */
    uint8_t *next;
    size_t size, stride;
} memory_sink;

static uint8_t *memory_lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    memory_sink *memory = (memory_sink *)sink;
    *stride = memory->stride;
    *rows = STRIP; /* only requested rows are written, and check_shape checked that they fit */
    return memory->next;
}

static int memory_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    (void)rows; /* already written to lent memory */
    ((memory_sink *)sink)->next += stride * n;
    return SPOOL_SINK_MORE;
}

static int channels_of(int color)
{
    return color == SPOOL_JPEG_GRAY ? 1 : color == SPOOL_JPEG_INKS ? 4 : 3;
}

static int is_cmyk(const struct jpeg_decompress_struct *jpeg)
{
    return jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
}

static J_COLOR_SPACE output_space(const struct jpeg_decompress_struct *jpeg, int color)
{
    if (is_cmyk(jpeg))
        return JCS_CMYK; /* libjpeg cannot convert it further */
    switch (color) {
    case SPOOL_JPEG_GRAY:
        return JCS_GRAYSCALE;
    case SPOOL_JPEG_BGR:
        return JCS_EXT_BGR;
    default:
        return JCS_RGB;
    }
}

/* Reports whether n rows of row bytes fit in the memory. */
static int fits(const memory_sink *memory, size_t row, size_t n)
{
    return n == 0 || (memory->stride >= row && memory->size >= row && (memory->size - row) / memory->stride >= n - 1);
}

/* Checks that the image fits the sink. memory is NULL unless the sink is a memory_sink. */
static void check_shape(spool_jpeg_reader *reader, const spool_jpeg_options *options, spool_sink *sink,
                        memory_sink *memory)
{
    int32_t width = reader->jpeg.image_width, height = reader->jpeg.image_height;
    int ok = options->width == width && options->height == height;
    if (memory != NULL) {
        size_t row = (size_t)width * channels_of(options->color);
        if (sink->last == 0)
            sink->last = height;
        if (memory->stride == 0)
            memory->stride = row;
        ok = fits(memory, row, sink->last - sink->first);
    }
    ok = ok && 0 <= sink->first && sink->first <= sink->last && sink->last <= height;
    if (sink->right > 0)
        ok = ok && 0 <= sink->left && sink->left < sink->right && sink->right <= width;
    if (!ok || (options->color == SPOOL_JPEG_INKS && !is_cmyk(&reader->jpeg)))
        spool_jpeg_fail(reader, SPOOL_JPEG_SHAPE);
}

/*
 * Skips the rows above the first requested row. The library omits what it can. Later rows are the same as without
 * skipping: it keeps the rows that upsampling reads. A test checks this for each version of the library.
 */
static void skip_to(spool_jpeg_reader *reader, JDIMENSION first)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    while (jpeg->output_scanline < first) {
        JDIMENSION left = first - jpeg->output_scanline;
        if (spool_cancelled(reader->flag))
            spool_jpeg_fail(reader, SPOOL_CANCELLED);
        jpeg_skip_scanlines(jpeg, left < LEAP ? left : LEAP);
    }
}

/*
 * Reports whether the library smooths blocks by their neighbors up to two blocks away. It does so while coefficients of
 * a progressive image are incomplete.
 */
static int is_smoothed(const struct jpeg_decompress_struct *jpeg)
{
    for (int i = 0; i < jpeg->num_components && jpeg->progressive_mode; i++)
        for (int k = 1; k < DCTSIZE2; k++)
            if (jpeg->coef_bits[i][k] != 0)
                return 1;
    return 0;
}

/*
 * Omits columns that the sink does not read, and returns the column at which rows then begin. The library crops at the
 * iMCU boundary to the left. At the edges of the crop, upsampling lacks the adjacent chroma sample and repeats the last
 * one. So at least one more chroma sample is kept on both sides, and the requested columns equal those of the whole
 * image. A test checks this for each version of the library.
 */
static JDIMENSION crop_columns(struct jpeg_decompress_struct *jpeg, const spool_sink *sink)
{
    JDIMENSION width = jpeg->output_width, beside = jpeg->max_h_samp_factor;
    JDIMENSION left = sink->left, right = sink->right;

    if (is_smoothed(jpeg))
        return 0;
    left = left > beside ? left - beside : 0;
    right = right > 0 && right + beside < width ? right + beside : width;
    width = right - left;
    jpeg_crop_scanline(jpeg, &left, &width);
    return left;
}

/* Reads up to n rows, and returns their number. */
static int read_rows(spool_jpeg_reader *reader, JSAMPARRAY rows, int n)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    JDIMENSION top = jpeg->output_scanline;
    for (int read = 0, more; read < n && jpeg->output_scanline < reader->last; read += more)
        if ((more = jpeg_read_scanlines(jpeg, rows + read, n - read)) == 0)
            spool_jpeg_fail(reader, SPOOL_JPEG_STUCK);
    /* A premature end during the call invalidates rows that were already read. */
    JDIMENSION bottom = jpeg->output_scanline < reader->last ? jpeg->output_scanline : reader->last;
    return bottom > top ? bottom - top : 0;
}

/* Delivers the rows up to reader->last. The rows contain the columns from left on that crop_columns has kept. */
static void deliver(spool_jpeg_reader *reader, spool_sink *sink, int color, JDIMENSION left)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    JSAMPARRAY inks = NULL;
    if (is_cmyk(jpeg))
        inks = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, jpeg->output_width * 4, STRIP);
    while (jpeg->output_scanline < reader->last) {
        ptrdiff_t stride;
        int n;
        uint8_t *lent = sink->lend(sink, &stride, &n);
        if (lent == NULL || n < 1)
            spool_jpeg_fail(reader, SPOOL_JPEG_SINK);
        if (n > STRIP)
            n = STRIP;
        if ((JDIMENSION)n > reader->last - jpeg->output_scanline)
            n = reader->last - jpeg->output_scanline;
        JSAMPROW rows[STRIP];
        for (int i = 0; i < n; i++)
            rows[i] = lent + i * stride + (size_t)left * channels_of(color);
        n = read_rows(reader, inks != NULL ? inks : rows, n);
        if (n == 0)
            return;
        for (int i = 0; i < n && inks != NULL; i++)
            spool_convert_cmyk(rows[i], inks[i], jpeg->output_width, color);
        int answer = sink->push(sink, lent, stride, n);
        if (answer < 0)
            spool_jpeg_fail(reader, SPOOL_JPEG_SINK);
        reader->report->rows += n;
        if (answer == SPOOL_SINK_ENOUGH)
            return;
    }
}

static void decode(spool_jpeg_reader *reader, const spool_jpeg_options *options, spool_sink *sink, memory_sink *memory)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg->mem->max_memory_to_use = options->max_memory;
    jpeg_read_header(jpeg, TRUE);
    reader->in_header = 0;
    reader->report->width = jpeg->image_width;
    reader->report->height = jpeg->image_height;
    check_shape(reader, options, sink, memory);
    JDIMENSION first = sink->first;
    reader->last = sink->last;

    /* The library's defaults are those of Pillow and torchvision: islow DCT, fancy upsampling. */
    jpeg->out_color_space = output_space(jpeg, options->color);
    while (!jpeg_start_decompress(jpeg))      /* with several scans, it reads all of them, */
        jpeg->unread_marker = SPOOL_JPEG_EOI; /* and suspends where the data end within a marker */
    if (jpeg_has_multiple_scans(jpeg))
        spool_jpeg_check_end(reader);
    if (first < reader->last) {
        JDIMENSION left = crop_columns(jpeg, sink);
        skip_to(reader, first);
        deliver(reader, sink, options->color, left);
    }
    if (jpeg->output_scanline >= jpeg->output_height) {
        while (!jpeg_input_complete(jpeg) && jpeg_consume_input(jpeg) != JPEG_SUSPENDED)
            continue; /* up to the end marker */
        spool_jpeg_check_end(reader);
    }
    if (!reader->report->truncated)
        reader->report->fraction = 1;
}

int spool_jpeg_decode(const uint8_t *data, size_t size, const spool_jpeg_options *options, spool_sink *sink,
                      uint8_t *dst, size_t dst_size, size_t stride, const int32_t *flag, spool_jpeg_report *report)
{
    memory_sink memory = {
        .sink = {.lend = memory_lend, .push = memory_push, .first = options->first, .last = options->last},
        .next = dst,
        .size = dst_size,
        .stride = stride,
    };
    spool_jpeg_reader reader = {
        .report = report,
        .flag = flag,
        .accept = options->accept,
        .max_scans = options->max_scans,
    };
    if (setjmp(reader.escape) == 0) {
        spool_jpeg_open(&reader, data, size);
        if (sink != NULL)
            decode(&reader, options, sink, NULL);
        else
            decode(&reader, options, &memory.sink, &memory);
    }
    jpeg_destroy_decompress(&reader.jpeg);
    return reader.status;
}
