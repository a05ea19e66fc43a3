#include <string.h>

#include "gif.h"

enum {
    MAX_WIDTH = 12,
    TABLE = 1 << MAX_WIDTH,
    POLL = 1 << 13, /* indices between two polls of the flag: microseconds */
    WORD = 8,
};

/*
 * The string of indices of a code. It is the previously written string and the index after it. The output already has
 * both, so only their position is stored.
 */
typedef struct {
    uint32_t start, length;
} string;

/* Reads codes from sub-blocks of up to 255 bytes, lowest bits first. */
typedef struct {
    const uint8_t *next, *end;
    size_t block; /* bytes left in the sub-block */
    uint64_t bits;
    int have;
} code_reader;

/* Returns the next code, or -1 at the end of the data or of the sub-blocks. */
static inline int read_code(code_reader *in, int width)
{
    while (in->have < width) {
        if (in->block == 0) {
            if (in->next == in->end || *in->next == 0)
                return -1;
            in->block = *in->next++;
        }
        if (in->next == in->end)
            return -1;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        if (in->block >= 6 && in->end - in->next >= WORD) {
            uint64_t word;
            memcpy(&word, in->next, WORD);
            in->bits |= (word & 0xFFFFFFFFFFFF) << in->have; /* six bytes; at most 11 bits were left */
            in->have += 48;
            in->next += 6;
            in->block -= 6;
            continue;
        }
#endif
        in->bits |= (uint64_t)*in->next++ << in->have;
        in->have += 8;
        in->block--;
    }
    int code = in->bits & ((1u << width) - 1);
    in->bits >>= width;
    in->have -= width;
    return code;
}

/* Copies length bytes from earlier output. If the ranges overlap, bytes just written are read again. */
static inline void repeat(uint8_t *to, const uint8_t *from, size_t length, size_t room)
{
    if (to - from >= WORD && room - length >= WORD) {
        for (size_t i = 0; i < length; i += WORD) /* writes up to 7 bytes too many, overwritten later */
            memcpy(to + i, from + i, WORD);
        return;
    }
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
}

int spool_gif_unpack(const uint8_t *data, size_t size, int bits, uint8_t *indices, size_t n, const int32_t *flag,
                     size_t *count)
{
    string table[TABLE];
    string last = {0, 0}; /* the previous string; empty after a clear code */
    code_reader in = {.next = data, .end = data + size};
    const int clear = 1 << bits, end = clear + 1;
    int width = bits + 1, next = end + 1;

    *count = 0;
    for (size_t done = 0, poll = POLL; done < n; *count = done) {
        if (done >= poll) {
            if (spool_cancelled(flag))
                return SPOOL_CANCELLED;
            poll = done + POLL;
        }
        int code = read_code(&in, width);
        if (code < 0 || code == end)
            return SPOOL_GIF_TRUNCATED;
        if (code == clear) {
            last.length = 0;
            width = bits + 1;
            next = end + 1;
            continue;
        }
        int grows = last.length > 0 && next < TABLE;
        if (grows)
            table[next] = (string){last.start, last.length + 1}; /* the current code may be this entry */
        else if (last.length == 0 && code > clear)
            return SPOOL_GIF_CORRUPT;
        if (code > next)
            return SPOOL_GIF_CORRUPT;
        last = (string){done, 1};
        if (code < clear) {
            indices[done++] = code;
        } else {
            string s = table[code];
            last.length = s.length < n - done ? s.length : n - done;
            repeat(indices + done, indices + s.start, last.length, n - done);
            done += last.length;
        }
        next += grows;
        if (next >> width != 0 && width < MAX_WIDTH)
            width++;
    }
    return SPOOL_GIF_OK;
}
