/*
 * Reads markers like libjpeg-turbo. The result is a reason if libjpeg-turbo would warn, or does something that is not
 * implemented here. So both engines read an accepted file in the same way.
 */
#include "markers.h"

#include <string.h>

#include "order.h"

enum {
    SOF0 = 0xC0,
    SOF1 = 0xC1,
    SOF2 = 0xC2,
    DHT = 0xC4,
    SOF15 = 0xCF,
    DQT = 0xDB,
    DRI = 0xDD,
    APP0 = 0xE0,
    APP14 = 0xEE,
    APP15 = 0xEF,
    COM = 0xFE,
    MAX_SIDE = 65500, /* libjpeg's JPEG_MAX_DIMENSION */
};

static int word(const uint8_t *p)
{
    return p[0] << 8 | p[1];
}

/* Each of these reads the n bytes of a marker after its length. */

static int read_quant(jpeg_header *header, const uint8_t *p, size_t n)
{
    while (n > 0) {
        size_t wide = p[0] >> 4, size = 1 + BLOCK * (1 + wide);
        int table = p[0] & 15;
        if (wide > 1 || table >= TABLES || n < size)
            return SPOOL_BASELINE_TABLE;
        for (int i = 0; i < BLOCK; i++)
            header->quant[table][spool_baseline_order[i]] = wide ? word(p + 1 + 2 * i) : p[1 + i];
        header->has_quant[table] = 1;
        p += size;
        n -= size;
    }
    return SPOOL_BASELINE_DONE;
}

/* Reports whether the counts are those of a prefix code. libjpeg allows unused codes, of which one is all ones. */
static int is_code(const uint8_t counts[16])
{
    int code = 0;
    for (int length = 1; length <= 16; length++) {
        code = 2 * code + counts[length - 1];
        if (code >= 1 << length)
            return 0;
    }
    return 1;
}

static int read_codes(jpeg_header *header, const uint8_t *p, size_t n)
{
    while (n > 0) {
        int kind = p[0] >> 4, table = p[0] & 15;
        size_t size = 16;
        if (kind > 1 || table >= TABLES || n < 1 + size)
            return SPOOL_BASELINE_TABLE;
        for (int i = 0; i < 16; i++)
            size += p[1 + i];
        if (size > 16 + 256 || n < 1 + size || !is_code(p + 1))
            return SPOOL_BASELINE_TABLE;
        (kind ? header->ac : header->dc)[table] = (jpeg_codes){p + 1, size};
        p += 1 + size;
        n -= 1 + size;
    }
    return SPOOL_BASELINE_DONE;
}

static int read_app0(jpeg_header *header, const uint8_t *p, size_t n)
{
    if (n < 14 || memcmp(p, "JFIF", 5) != 0)
        return SPOOL_BASELINE_DONE;
    header->jfif = 1;
    return p[5] == 1 ? SPOOL_BASELINE_DONE : SPOOL_BASELINE_MARKER; /* libjpeg warns of other versions */
}

static int read_app14(jpeg_header *header, const uint8_t *p, size_t n)
{
    if (n >= 12 && memcmp(p, "Adobe", 5) == 0) {
        header->adobe = 1;
        header->transform = p[11];
    }
    return SPOOL_BASELINE_DONE;
}

static int read_component(const uint8_t *p, jpeg_component *component)
{
    *component = (jpeg_component){.id = p[0], .h = p[1] >> 4, .v = p[1] & 15, .quant = p[2]};
    if (component->h < 1 || component->h > 2 || component->v < 1 || component->v > 2)
        return SPOOL_BASELINE_SAMPLING;
    return component->quant < TABLES ? SPOOL_BASELINE_DONE : SPOOL_BASELINE_TABLE;
}

/* Computes sizes once all factors are known. */
static int lay_out(jpeg_header *header)
{
    int blocks = 0;
    header->max_h = header->max_v = 1;
    header->group = 1;
    if (header->components == 1) { /* a scan of one component is not interleaved: an MCU is a block */
        header->group = header->component[0].v;
        header->component[0].h = header->component[0].v = 1;
    }
    for (int i = 0; i < header->components; i++) {
        const jpeg_component *c = &header->component[i];
        blocks += c->h * c->v;
        header->max_h = c->h > header->max_h ? c->h : header->max_h;
        header->max_v = c->v > header->max_v ? c->v : header->max_v;
    }
    if (blocks > MCU_BLOCKS)
        return SPOOL_BASELINE_SAMPLING;
    header->mcu_columns = (header->width + SIDE * header->max_h - 1) / (SIDE * header->max_h);
    header->mcu_rows = (header->height + SIDE * header->max_v - 1) / (SIDE * header->max_v);
    for (int i = 0; i < header->components; i++) {
        jpeg_component *c = &header->component[i];
        c->plane = (spool_baseline_plane){
            .width = (header->width * c->h + header->max_h - 1) / header->max_h,
            .height = (header->height * c->v + header->max_v - 1) / header->max_v,
            .stride = header->mcu_columns * c->h * SIDE,
            .rows = header->mcu_rows * c->v * SIDE,
        };
    }
    return SPOOL_BASELINE_DONE;
}

static int read_frame(jpeg_header *header, const uint8_t *p, size_t n)
{
    if (header->components != 0 || n < 6)
        return SPOOL_BASELINE_MARKER;
    if (p[0] != 8)
        return SPOOL_BASELINE_PRECISION;
    header->height = word(p + 1);
    header->width = word(p + 3);
    if (header->width < 1 || header->height < 1 || header->width > MAX_SIDE || header->height > MAX_SIDE)
        return SPOOL_BASELINE_SIZE;
    if (p[5] != 1 && p[5] != 3)
        return SPOOL_BASELINE_CHANNELS;
    if (n != 6u + 3u * p[5])
        return SPOOL_BASELINE_MARKER;
    header->components = p[5];
    for (int i = 0; i < header->components; i++) {
        int reason = read_component(p + 6 + 3 * i, &header->component[i]);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        for (int j = 0; j < i; j++)
            if (header->component[j].id == header->component[i].id)
                return SPOOL_BASELINE_MARKER;
    }
    return lay_out(header);
}

int spool_baseline_is_dc(const jpeg_codes *codes)
{
    for (size_t i = 16; i < codes->size; i++)
        if (codes->bytes[i] > 15)
            return 0;
    return 1;
}

static int read_scan(jpeg_header *header, const uint8_t *p, size_t n)
{
    if (header->components == 0)
        return SPOOL_BASELINE_MARKER;
    if (n < 1 || p[0] != header->components)
        return SPOOL_BASELINE_SCANS;
    if (n != 4u + 2u * p[0])
        return SPOOL_BASELINE_MARKER;
    for (int i = 0; i < header->components; i++, p += 2) {
        jpeg_component *c = &header->component[i];
        if (p[1] != c->id)
            return SPOOL_BASELINE_SCANS;
        c->dc = p[2] >> 4;
        c->ac = p[2] & 15;
        if (c->dc >= TABLES || c->ac >= TABLES || header->dc[c->dc].bytes == NULL || header->ac[c->ac].bytes == NULL)
            return SPOOL_BASELINE_TABLE;
        if (!header->has_quant[c->quant] || !spool_baseline_is_dc(&header->dc[c->dc]))
            return SPOOL_BASELINE_TABLE;
    }
    if (p[1] != 0 || p[2] != BLOCK - 1 || p[3] != 0)
        return SPOOL_BASELINE_SCANS;
    return SPOOL_BASELINE_DONE;
}

static int read_restart(jpeg_header *header, const uint8_t *p, size_t n)
{
    if (n != 2)
        return SPOOL_BASELINE_MARKER;
    header->restart = word(p);
    return SPOOL_BASELINE_DONE;
}

static int read_marker(jpeg_header *header, const jpeg_segment *segment)
{
    const uint8_t *p = segment->bytes;
    const size_t n = segment->size;
    const int marker = segment->marker;

    switch (marker) {
    case SOF2:
        header->progressive = 1;
        return read_frame(header, p, n);
    case SOF0:
    case SOF1:
        return read_frame(header, p, n);
    case DHT:
        return read_codes(header, p, n);
    case DQT:
        return read_quant(header, p, n);
    case DRI:
        return read_restart(header, p, n);
    case APP0:
        return read_app0(header, p, n);
    case APP14:
        return read_app14(header, p, n);
    }
    if ((APP0 < marker && marker <= APP15) || marker == COM)
        return SPOOL_BASELINE_DONE;
    return SOF2 < marker && marker <= SOF15 ? SPOOL_BASELINE_FRAME : SPOOL_BASELINE_MARKER;
}

int spool_baseline_read_between(jpeg_header *header, const jpeg_segment *segment)
{
    if (segment->marker != DHT && segment->marker != DRI)
        return SPOOL_BASELINE_MARKER;
    return read_marker(header, segment);
}

int spool_baseline_read_segment(const uint8_t **next, const uint8_t *end, jpeg_segment *segment)
{
    const uint8_t *p = *next;
    while (end - p >= 2 && p[0] == 0xFF && p[1] == 0xFF)
        p++; /* a marker may begin with several 0xFF */
    if (end - p < 2)
        return SPOOL_BASELINE_END;
    if (p[0] != 0xFF)
        return SPOOL_BASELINE_MARKER;
    *segment = (jpeg_segment){.marker = p[1]};
    if (p[1] != MARKER_EOI) {
        if (end - p < 4)
            return SPOOL_BASELINE_END;
        const int length = word(p + 2);
        if (length < 2)
            return SPOOL_BASELINE_MARKER;
        if (end - (p + 2) < length)
            return SPOOL_BASELINE_END;
        segment->bytes = p + 4;
        segment->size = length - 2;
        p += length;
    }
    *next = p + 2;
    return SPOOL_BASELINE_DONE;
}

/* Reports whether libjpeg would guess the color space with a warning. */
static int is_unclear(const jpeg_header *header)
{
    return header->components == 3 && !header->jfif && header->adobe && header->transform > 1;
}

int spool_baseline_read_header(const uint8_t *data, size_t size, jpeg_header *header)
{
    memset(header, 0, sizeof *header);
    if (size < 4 || data[0] != 0xFF || data[1] != MARKER_SOI)
        return SPOOL_BASELINE_MARKER;
    header->scan = data + 2;
    header->end = data + size;
    for (;;) {
        const uint8_t *next = header->scan;
        jpeg_segment segment;
        int reason = spool_baseline_read_segment(&next, header->end, &segment);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
        if (segment.marker == MARKER_SOS && is_unclear(header))
            return SPOOL_BASELINE_COLOR;
        if (segment.marker == MARKER_SOS && header->progressive)
            return SPOOL_BASELINE_DONE;
        header->scan = next;
        if (segment.marker == MARKER_SOS)
            return read_scan(header, segment.bytes, segment.size);
        reason = read_marker(header, &segment);
        if (reason != SPOOL_BASELINE_DONE)
            return reason;
    }
}

int spool_baseline_is_ycc(const jpeg_header *header)
{
    const jpeg_component *c = header->component;
    if (header->jfif)
        return 1;
    if (header->adobe)
        return header->transform == 1;
    return c[0].id != 'R' || c[1].id != 'G' || c[2].id != 'B';
}

int spool_baseline_read_layout(const uint8_t *data, size_t size, spool_baseline_layout *layout)
{
    jpeg_header header;
    int reason = spool_baseline_read_header(data, size, &header);
    if (reason != SPOOL_BASELINE_DONE)
        return reason;
    *layout = (spool_baseline_layout){
        .width = header.width,
        .height = header.height,
        .components = header.components,
        .sub_x = header.max_h / header.component[header.components - 1].h,
        .sub_y = header.max_v / header.component[header.components - 1].v,
        .restart = header.restart,
    };
    for (int i = 0; i < header.components; i++)
        layout->plane[i] = header.component[i].plane;
    return SPOOL_BASELINE_DONE;
}
