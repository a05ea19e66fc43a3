#include "scans.h"

#include <string.h>

enum { MAX_LOW = 13 }; /* libjpeg's limit */

/* The lowest transmitted bit of each coefficient, or UNSENT. */
enum { UNSENT = -1 };
typedef int8_t bits_sent[SPOOL_BASELINE_COMPONENTS][BLOCK];

/* The end of a scan's data: a marker that is not a restart marker. */
static const uint8_t *end_of_coded(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 2 && (p = memchr(p, 0xFF, end - p - 1)) != NULL) {
        if (p[1] != 0 && (p[1] < MARKER_RST0 || p[1] > MARKER_RST0 + 7))
            return p;
        p += 2;
    }
    return NULL;
}

static int find_component(const jpeg_header *header, int id)
{
    for (int i = 0; i < header->components; i++)
        if (header->component[i].id == id)
            return i;
    return -1;
}

static int read_components(const jpeg_header *header, const uint8_t *p, jpeg_scan *scan)
{
    for (int i = 0; i < scan->components; i++, p += 2) {
        const int component = find_component(header, p[0]), dc = p[1] >> 4, ac = p[1] & 15;
        if (component < 0 || (i > 0 && component <= scan->component[i - 1]))
            return SPOOL_BASELINE_SCANS;
        scan->component[i] = component;
        if (scan->first == 0 && scan->refines)
            continue;
        if (dc >= TABLES || ac >= TABLES)
            return SPOOL_BASELINE_TABLE;
        scan->codes[i] = scan->first == 0 ? header->dc[dc] : header->ac[ac];
        if (scan->codes[i].bytes == NULL || (scan->first == 0 && !spool_baseline_is_dc(&scan->codes[i])))
            return SPOOL_BASELINE_TABLE;
    }
    return SPOOL_BASELINE_DONE;
}

static int read_scan(const jpeg_header *header, const jpeg_segment *segment, jpeg_scan *scan)
{
    const uint8_t *p = segment->bytes;
    if (segment->size < 1 || p[0] < 1 || p[0] > header->components)
        return SPOOL_BASELINE_SCANS;
    if (segment->size != 4u + 2u * p[0])
        return SPOOL_BASELINE_MARKER;
    const uint8_t *band = p + 1 + 2 * p[0];
    const int high = band[2] >> 4;
    *scan = (jpeg_scan){.components = p[0],
                        .first = band[0],
                        .last = band[1],
                        .low = band[2] & 15,
                        .refines = high > 0,
                        .restart = header->restart};
    if (scan->first == 0 ? scan->last != 0 : scan->last < scan->first || scan->last >= BLOCK || scan->components > 1)
        return SPOOL_BASELINE_SCANS;
    if (scan->low > MAX_LOW || (scan->refines && high != scan->low + 1))
        return SPOOL_BASELINE_SCANS;
    return read_components(header, p + 1, scan);
}

/* Records the bits of a scan. Fails if they were sent before, or if preceding bits were not. */
static int note_bits(bits_sent sent, const jpeg_scan *scan)
{
    for (int i = 0; i < scan->components; i++) {
        int8_t *bits = sent[scan->component[i]];
        if (scan->first > 0 && bits[0] == UNSENT)
            return SPOOL_BASELINE_SCANS;
        for (int k = scan->first; k <= scan->last; k++) {
            if (bits[k] != (scan->refines ? scan->low + 1 : UNSENT))
                return SPOOL_BASELINE_SCANS;
            bits[k] = scan->low;
        }
    }
    return SPOOL_BASELINE_DONE;
}

static int is_complete(bits_sent sent, int components)
{
    for (int i = 0; i < components; i++)
        for (int k = 0; k < BLOCK; k++)
            if (sent[i][k] != 0)
                return 0;
    return 1;
}

int spool_baseline_read_scans(jpeg_header *header, jpeg_scan scans[MAX_SCANS], int *count)
{
    const uint8_t *next = header->scan;
    bits_sent sent;
    memset(sent, UNSENT, sizeof sent);
    for (int i = 0; i < header->components; i++)
        if (!header->has_quant[header->component[i].quant])
            return SPOOL_BASELINE_TABLE;
    for (*count = 0;;) {
        jpeg_segment segment;
        int reason = spool_baseline_read_segment(&next, header->end, &segment);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        if (segment.marker == MARKER_EOI)
            return is_complete(sent, header->components) ? SPOOL_BASELINE_DONE : SPOOL_BASELINE_SCANS;
        if (segment.marker != MARKER_SOS) {
            reason = spool_baseline_read_between(header, &segment);
            if (reason != SPOOL_BASELINE_DONE)
                return reason;
            continue;
        }
        if (*count == MAX_SCANS)
            return SPOOL_BASELINE_SCANS;
        jpeg_scan *scan = &scans[(*count)++];
        reason = read_scan(header, &segment, scan);
        if (reason == SPOOL_BASELINE_DONE)
            reason = note_bits(sent, scan);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        scan->coded = next;
        scan->end = next = end_of_coded(next, header->end);
        if (next == NULL)
            return SPOOL_BASELINE_END;
    }
}
