#include "progressive.h"

static void begin_interval(scan_reader *s)
{
    memset(s->predicted, 0, sizeof s->predicted);
    s->ended = 0;
    s->interval = s->scan->restart;
}

static void begin_scan(scan_reader *s, const jpeg_scan *scan, const uint8_t *end)
{
    const scan_kind kind = scan->first == 0 ? SCAN_DC : scan->refines ? SCAN_REFINE : SCAN_FIRST;
    for (int i = 0; i < scan->components; i++)
        if (scan->codes[i].bytes != NULL)
            spool_baseline_build_scan(&scan->codes[i], kind, scan->low, &s->table[i]);
    s->scan = scan;
    s->restarts = 0;
    s->coded.from = scan->coded;
    s->coded.end = end;
    spool_baseline_begin(&s->coded);
    begin_interval(s);
}

static size_t blocks_of_row(const jpeg_header *header)
{
    size_t n = 0;
    for (int i = 0; i < header->components; i++)
        n += (size_t)header->mcu_columns * header->component[i].h * header->component[i].v;
    return n;
}

/* Lays out the blocks of an MCU row, component by component. */
static void lay_row_out(progressive_image *p, const jpeg_header *header)
{
    size_t at = 0;
    for (int i = 0; i < header->components; i++) {
        const jpeg_component *c = &header->component[i];
        p->blocks[i] = (row_blocks){
            .blocks = p->coefficients + at * BLOCK,
            .nonzero = p->nonzero + at,
            .h = c->h,
            .v = c->v,
            .columns = header->mcu_columns * c->h,
            .width = (c->plane.width + SIDE - 1) / SIDE,
            .height = (c->plane.height + SIDE - 1) / SIDE,
        };
        at += (size_t)p->blocks[i].columns * c->v;
    }
}

int spool_baseline_open_scans(progressive_image *p, jpeg_header *header)
{
    const int reason = spool_baseline_read_scans(header, p->scan, &p->scans);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    p->needed = blocks_of_row(header);
    if (p->needed > p->row_blocks || p->scans > p->readers)
        return SPOOL_BASELINE_SCAN_MEMORY;
    lay_row_out(p, header);
    for (int i = 0; i < p->scans; i++)
        begin_scan(p->reader[i], &p->scan[i], header->end);
    return SPOOL_BASELINE_DONE;
}

/* Skips the restart marker that must follow here. */
static int restart(scan_reader *s)
{
    begin_interval(s);
    return spool_baseline_restart(&s->coded, s->restarts++);
}

/* Reads MCUs [first, last) of line y. */
static int read_mcus(progressive_image *p, scan_reader *s, int y, int first, int last)
{
    const jpeg_scan *scan = s->scan;
    if (scan->first == 0)
        return (scan->refines ? spool_baseline_refine_dc : spool_baseline_first_dc)(s, p->blocks, y, first, last);
    const row_blocks *c = &p->blocks[scan->component[0]];
    const ptrdiff_t at = (ptrdiff_t)y * c->columns + first;
    return (scan->refines ? p->refine_band : spool_baseline_first_band)(s, c->blocks + at * BLOCK, c->nonzero + at,
                                                                        last - first);
}

/* Reads line y of the row, which has n MCUs. */
static int read_line(progressive_image *p, scan_reader *s, int y, int n)
{
    for (int first = 0, run; first < n; first += run) {
        int reason;
        run = n - first;
        if (s->scan->restart > 0) {
            if (s->interval == 0 && (reason = restart(s)) != SPOOL_BASELINE_DONE)
                return reason;
            run = s->interval < run ? s->interval : run;
            s->interval -= run;
        }
        reason = read_mcus(p, s, y, first, first + run);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
    }
    return SPOOL_BASELINE_DONE;
}

/* In a scan of one component, an MCU is a block, and the lines are those of the image. */
static int read_scan_row(progressive_image *p, scan_reader *s, const jpeg_header *header, int row)
{
    if (s->scan->components > 1)
        return read_line(p, s, 0, header->mcu_columns);
    const row_blocks *c = &p->blocks[s->scan->component[0]];
    int reason = SPOOL_BASELINE_DONE;
    for (int y = 0; y < c->v && row * c->v + y < c->height && reason == SPOOL_BASELINE_DONE; y++)
        reason = read_line(p, s, y, c->width);
    return reason;
}

int spool_baseline_read_row(progressive_image *p, const jpeg_header *header, int row)
{
    int reason = SPOOL_BASELINE_DONE;
    memset(p->coefficients, 0, p->needed * BLOCK * sizeof *p->coefficients);
    memset(p->nonzero, 0, p->needed * sizeof *p->nonzero);
    for (int i = 0; i < p->scans && reason == SPOOL_BASELINE_DONE; i++)
        reason = read_scan_row(p, p->reader[i], header, row);
    return reason;
}

int spool_baseline_close_scans(progressive_image *p)
{
    for (int i = 0; i < p->scans; i++) {
        const coded_data *coded = &p->reader[i]->coded;
        const int reason = spool_baseline_finish(&p->reader[i]->coded);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        if (coded->from != p->scan[i].end)
            return SPOOL_BASELINE_RESTART; /* a restart marker after the last MCU */
    }
    return SPOOL_BASELINE_DONE;
}
