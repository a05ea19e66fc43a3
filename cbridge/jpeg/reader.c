#include "reader.h"

_Static_assert(SPOOL_JPEG_TEXT == JMSG_LENGTH_MAX, "a message of libjpeg fits the report");

void spool_jpeg_fail(spool_jpeg_reader *reader, int status)
{
    reader->status = status;
    longjmp(reader->escape, 1);
}

/* Reports whether each component has had or begun a scan, which is when its table is fixed. */
static int all_components_seen(const struct jpeg_decompress_struct *jpeg)
{
    for (int i = 0; i < jpeg->num_components; i++)
        if (jpeg->comp_info[i].quant_table == NULL)
            return 0;
    return 1;
}

/*
 * Returns how many rows from the top have the pixels of the whole image. In a file of one scan, these are the rows
 * above the current MCU row, less one if upsampling reads the chroma row below. In a file of several scans no row is
 * final before the last scan; a row counts once each component has had its first scan.
 */
static JDIMENSION rows_read(j_decompress_ptr jpeg)
{
    JDIMENSION height = jpeg->image_height;
    if (jpeg_has_multiple_scans(jpeg)) {
        if (!all_components_seen(jpeg))
            return 0;
        if (jpeg->Ss > 0 || jpeg->Ah > 0)
            return height;
    }
    if (jpeg->input_iMCU_row >= jpeg->total_iMCU_rows)
        return height;
    JDIMENSION rows = jpeg->input_iMCU_row * jpeg->max_v_samp_factor * DCTSIZE;
    return rows > 0 && jpeg->max_v_samp_factor > 1 ? rows - 1 : rows;
}

/*
 * Returns the share of the image's coefficients that are complete. With one scan that is the share of MCU rows. A
 * coefficient of a progressive file is complete with its last bit.
 */
static double fraction_read(j_decompress_ptr jpeg)
{
    double scanned = (double)jpeg->input_iMCU_row / jpeg->total_iMCU_rows;
    if (!jpeg_has_multiple_scans(jpeg))
        return scanned;
    double full = 0;
    for (int i = 0; i < jpeg->num_components; i++) {
        int in_scan = 0;
        for (int j = 0; j < jpeg->comps_in_scan; j++)
            in_scan |= jpeg->cur_comp_info[j] == &jpeg->comp_info[i];
        for (int k = 0; k < DCTSIZE2; k++) {
            int final = jpeg->progressive_mode ? jpeg->coef_bits[i][k] == 0 : jpeg->comp_info[i].quant_table != NULL;
            if (final)
                full += in_scan && jpeg->Ss <= k && k <= jpeg->Se ? scanned : 1;
        }
    }
    return full / (jpeg->num_components * DCTSIZE2);
}

/* Handles a premature end of the image. Returns only if it is accepted, or does not affect the requested rows. */
static void premature_end(spool_jpeg_reader *reader, int code)
{
    spool_jpeg_report *report = reader->report;
    j_decompress_ptr jpeg = &reader->jpeg;
    JDIMENSION rows = 0;
    if (report->truncated)
        return;
    if (!reader->in_header) {
        rows = rows_read(jpeg);
        /* A single scan is read slightly ahead: what is missing below the requested rows does not matter. */
        if (rows >= reader->last && reader->last < jpeg->image_height && !jpeg_has_multiple_scans(jpeg))
            return;
        report->fraction = rows > 0 ? fraction_read(jpeg) : 0;
        report->scan = jpeg->input_scan_number;
    }
    report->truncated = 1;
    report->code = reader->out_of_data ? JERR_INPUT_EOF : code;
    if (reader->accept <= 0 || report->fraction < reader->accept)
        spool_jpeg_fail(reader, SPOOL_JPEG_TRUNCATED);
    if (reader->last > rows)
        reader->last = rows;
}

void spool_jpeg_check_end(spool_jpeg_reader *reader)
{
    if (reader->out_of_data || !all_components_seen(&reader->jpeg))
        premature_end(reader, JWRN_HIT_MARKER);
}

static void error_exit(j_common_ptr common)
{
    spool_jpeg_reader *reader = (spool_jpeg_reader *)common;
    reader->report->code = reader->errors.msg_code;
    reader->errors.format_message(common, reader->report->text);
    spool_jpeg_fail(reader, SPOOL_JPEG_FAILED);
}

/* Called for warnings (level below 0) and for traces. */
static void emit_message(j_common_ptr common, int level)
{
    spool_jpeg_reader *reader = (spool_jpeg_reader *)common;
    spool_jpeg_report *report = reader->report;
    int code = reader->errors.msg_code;
    if (level >= 0 || report->truncated) /* warnings after a premature end are caused by it */
        return;
    if ((code == JWRN_HIT_MARKER || code == JWRN_MUST_RESYNC) && reader->jpeg.unread_marker == SPOOL_JPEG_EOI) {
        premature_end(reader, code);
        return;
    }
    if (report->warnings++ == 0)
        reader->errors.format_message(common, report->warning);
}

static void output_message(j_common_ptr common)
{
    (void)common; /* nothing is ever printed */
}

static void init_source(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

/*
 * Reports whether reading may stop within a marker's content. It must not stop within a second frame header: libjpeg
 * reads it over the first one, and refuses it at its end. Restart markers have no content.
 */
static int may_be_left(int marker)
{
    if (marker < 0xC0 || (JPEG_RST0 <= marker && marker <= JPEG_RST0 + 7))
        return 0;
    return marker > 0xCF || marker == 0xC4 || marker == 0xCC; /* Huffman and arithmetic tables */
}

/*
 * Called when all bytes are read. Within a marker that is a premature end, and reading stops (FALSE). Elsewhere libjpeg
 * gets an end-of-image marker and finishes by itself. The Huffman decoder reads ahead, and warns if it lacks bits. The
 * arithmetic decoder never warns.
 */
static boolean fill_input_buffer(j_decompress_ptr jpeg)
{
    static const JOCTET end[] = {0xFF, SPOOL_JPEG_EOI};
    spool_jpeg_reader *reader = (spool_jpeg_reader *)jpeg;
    int stop = reader->in_header || may_be_left(jpeg->unread_marker);
    reader->out_of_data = 1;
    if (stop || (jpeg->arith_code && jpeg->unread_marker == 0))
        premature_end(reader, JERR_INPUT_EOF);
    if (stop)
        return FALSE;
    jpeg->src->next_input_byte = end;
    jpeg->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void skip_input_data(j_decompress_ptr jpeg, long n)
{
    size_t left = jpeg->src->bytes_in_buffer;
    size_t skipped = n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;
    jpeg->src->next_input_byte += skipped;
    jpeg->src->bytes_in_buffer -= skipped;
}

static void term_source(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

/* Called for each MCU row read ahead of the output, and for each call that reads rows. */
static void progress_monitor(j_common_ptr common)
{
    spool_jpeg_reader *reader = (spool_jpeg_reader *)common;
    if (spool_cancelled(reader->flag))
        spool_jpeg_fail(reader, SPOOL_CANCELLED);
    if (reader->jpeg.input_scan_number > reader->max_scans)
        spool_jpeg_fail(reader, SPOOL_JPEG_SCANS);
}

void spool_jpeg_open(spool_jpeg_reader *reader, const uint8_t *data, size_t size)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg->err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = error_exit;
    reader->errors.emit_message = emit_message;
    reader->errors.output_message = output_message;
    jpeg_create_decompress(jpeg);

    reader->source = (struct jpeg_source_mgr){
        .next_input_byte = data,
        .bytes_in_buffer = size,
        .init_source = init_source,
        .fill_input_buffer = fill_input_buffer,
        .skip_input_data = skip_input_data,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = term_source,
    };
    jpeg->src = &reader->source;
    reader->progress.progress_monitor = progress_monitor;
    jpeg->progress = &reader->progress;
    reader->in_header = 1;
}
