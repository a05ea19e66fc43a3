/*
 * Mutations that leave nearly every file valid. The engine reads little of a file whose coded data do not end with
 * their last block, and random changes almost always cause that. So the data of an interval are cut off where the
 * engine reached their end, or random bytes are appended to them.
 */
#include "target.h"

#include <stdlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

enum { INTERVALS = 12, MOST_NEW = 48 };

/* The marker after the coded data at `from`, or the file's end. */
static size_t interval_end(const uint8_t *data, size_t size, size_t from)
{
    while (from + 1 < size && (data[from] != 0xFF || data[from + 1] == 0))
        from++;
    return from;
}

/* The decoder's position: the unstuffed position, less the bytes not used yet. */
static size_t position(const coded_data *coded, const uint8_t *data)
{
    const uint8_t *p = coded->from;
    for (ptrdiff_t n = bits_left(coded) / 8; n > 0; n--)
        p -= p[-1] == 0 && p[-2] == 0xFF ? 2 : 1;
    return p - data;
}

/* The coded data that end too early or too late. For a progressive image, these are the data of a scan. */
static const coded_data *faulty(const spool_baseline_decoder *decoder, int reason)
{
    if (!decoder->header.progressive)
        return &decoder->coded;
    for (int i = 0; i < decoder->progressive.scans; i++) {
        const coded_data *coded = &decoder->progressive.reader[i]->coded;
        const int over = bits_left(coded) < 0 || coded->reader.next > coded->safe;
        if (reason == SPOOL_BASELINE_OVERRUN ? over : bits_left(coded) >= 8)
            return coded;
    }
    return NULL;
}

/* Returns the new size, which is the old one if nothing is changed. */
static size_t repair(uint8_t *data, size_t size, size_t max_size, int reason, const spool_baseline_decoder *decoder)
{
    const coded_data *coded = faulty(decoder, reason);
    if (coded == NULL)
        return size;
    const size_t end = interval_end(data, size, coded->from - data);
    if (reason == SPOOL_BASELINE_TRAILING) {
        const size_t begin = position(coded, data);
        memmove(data + begin, data + end, size - end);
        return size - (end - begin);
    }
    if (reason == SPOOL_BASELINE_OVERRUN) {
        const size_t n = 1 + rand() % MOST_NEW;
        if (size + n > max_size)
            return size;
        memmove(data + end + n, data + end, size - end);
        for (size_t i = 0; i < n; i++)
            data[end + i] = rand() % 255; /* not 0xFF */
        return size + n;
    }
    if (reason == SPOOL_BASELINE_RESTART && !decoder->header.progressive && (data[end + 1] & ~7) == MARKER_RST0)
        data[end + 1] = MARKER_RST0 + (decoder->restarts - 1) % 8;
    return size;
}

/* Changes any byte, or one after the header, since most headers do not survive a change. */
static size_t change(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    jpeg_header header;
    size_t scan = 0;
    if (seed % 8 != 0 && spool_baseline_read_header(data, size, &header) == SPOOL_BASELINE_DONE)
        scan = header.scan - data;
    return scan + LLVMFuzzerMutate(data + scan, size - scan, max_size - scan);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    spool_baseline_layout layout;
    srand(seed);
    size = change(data, size, max_size, rand());
    if (rand() % 4 == 0 || !fuzz_layout(data, size, &layout))
        return size;
    const size_t bytes = fuzz_planes_bytes(&layout);
    uint8_t *planes = malloc(bytes);
    for (int i = 0; i < INTERVALS; i++) {
        spool_baseline_decoder *decoder = fuzz_decoder(spool_baseline_best());
        int reason;
        do
            reason = spool_baseline_planes(decoder, data, size, planes, bytes, NULL);
        while (fuzz_grow(decoder, NULL, reason));
        if (reason != SPOOL_BASELINE_TRAILING && reason != SPOOL_BASELINE_OVERRUN && reason != SPOOL_BASELINE_RESTART)
            break;
        size = repair(data, size, max_size, reason, decoder);
    }
    free(planes);
    return size;
}
