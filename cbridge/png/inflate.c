#include "inflate.h"

#include <libdeflate.h>
#include <string.h>

#include "inflate_table.h"

enum { AT_STREAM, AT_HEADER, IN_STORED, IN_CODES, AT_END };
enum { STORED, FIXED, DYNAMIC };
enum { SYMBOLS = 286, DISTANCES = 30, LENGTH_CODES = 19, LENGTH_BITS = 7 };

/* Table entries without the length of their code: a base, and the number of extra bits that are added to it. */
#define BASE(base, extra) ((uint32_t)(base) << 16 | (extra))
#define BASES2(base, extra) BASE(base, extra), BASE((base) + (1 << (extra)), extra)
#define BASES4(base, extra) BASES2(base, extra), BASES2((base) + (2 << (extra)), extra)

static const uint32_t length_kinds[] = {
    BASES4(3, 0),  BASES4(7, 0),   BASES4(11, 1), BASES4(19, 2), BASES4(35, 3),
    BASES4(67, 4), BASES2(131, 5), BASE(195, 5),  BASE(227, 5),  BASE(258, 0), /* 285 */
    ENTRY_ODD,     ENTRY_ODD,                                                  /* of the fixed code only */
};

static const uint32_t distance_kinds[] = {
    BASES4(1, 0),     BASES2(5, 1),      BASES2(9, 2),   BASES2(17, 3),   BASES2(33, 4),    BASES2(65, 5),
    BASES2(129, 6),   BASES2(257, 7),    BASES2(513, 8), BASES2(1025, 9), BASES2(2049, 10), BASES2(4097, 11),
    BASES2(8193, 12), BASES2(16385, 13), ENTRY_ODD,      ENTRY_ODD,
};

/* The symbols of the code for code lengths: the symbol itself. */
static const uint32_t code_kinds[LENGTH_CODES] = {
    BASE(0, 0),  BASE(1, 0),  BASE(2, 0),  BASE(3, 0),  BASE(4, 0),  BASE(5, 0),  BASE(6, 0),
    BASE(7, 0),  BASE(8, 0),  BASE(9, 0),  BASE(10, 0), BASE(11, 0), BASE(12, 0), BASE(13, 0),
    BASE(14, 0), BASE(15, 0), BASE(16, 0), BASE(17, 0), BASE(18, 0),
};

static void symbol_kinds(uint32_t kinds[MAX_SYMBOLS])
{
    for (int i = 0; i < 256; i++)
        kinds[i] = ENTRY_LITERAL | (uint32_t)i << 16;
    kinds[256] = ENTRY_ODD | ENTRY_END;
    memcpy(kinds + 257, length_kinds, sizeof length_kinds);
}

void spool_inflate_init(spool_inflater *s, const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
    s->codes = spool_inflate_codes_at(spool_inflate_levels() - 1);
    s->in = in;
    s->in_end = in + in_size;
    s->start = s->out = s->summed = out;
    s->end = out + out_size;
    s->bits = s->left = s->missing = 0;
    s->sum = 1;
    s->state = AT_STREAM;
    s->last = 0;
}

/* Returns the next n bits, at most 16. Bits beyond the end are zeros, and their bytes are counted as missing. */
static unsigned peek(spool_inflater *s, unsigned n)
{
    for (; s->left < n; s->left += 8) {
        if (s->in < s->in_end)
            s->bits |= (uint64_t)*s->in++ << s->left;
        else
            s->missing++;
    }
    return s->bits & ((1u << n) - 1);
}

static unsigned take(spool_inflater *s, unsigned n)
{
    const unsigned bits = peek(s, n);
    s->bits >>= n;
    s->left -= n;
    return bits;
}

/* Drops the bits up to the next byte, and returns bytes that were read ahead. Returns 0 if the input had ended. */
static int align(spool_inflater *s)
{
    const size_t ahead = s->left / 8;
    if (s->missing > ahead)
        return 0;
    s->in -= ahead - s->missing;
    s->bits = s->left = s->missing = 0;
    return 1;
}

static int read_zlib_header(spool_inflater *s)
{
    enum { DEFLATE = 8, DICTIONARY = 1 << 5, MAX_WINDOW = 7 };
    const unsigned method = take(s, 8), flags = take(s, 8);
    if ((method << 8 | flags) % 31 != 0 || (method & 15) != DEFLATE || method >> 4 > MAX_WINDOW || flags & DICTIONARY)
        return SPOOL_INFLATE_ERROR;
    s->state = AT_HEADER;
    return SPOOL_INFLATE_MORE;
}

static int read_stored(spool_inflater *s)
{
    if (!align(s) || s->in_end - s->in < 4)
        return SPOOL_INFLATE_ERROR;
    const unsigned n = s->in[0] | s->in[1] << 8, inverse = s->in[2] | s->in[3] << 8;
    s->in += 4;
    if (n != (inverse ^ 0xFFFF) || n > (size_t)(s->in_end - s->in) || n > (size_t)(s->end - s->out))
        return SPOOL_INFLATE_ERROR;
    s->stored = n;
    s->state = IN_STORED;
    return SPOOL_INFLATE_MORE;
}

/* Builds the tables of a block from the code lengths of its symbols and distances. */
static int build_tables(spool_inflater *s, const uint8_t *lengths, int symbols, int distances)
{
    enum { END = 256 };
    uint32_t kinds[MAX_SYMBOLS];
    symbol_kinds(kinds);
    if (lengths[END] == 0 || !spool_inflate_build(s->symbols, SPOOL_INFLATE_SYMBOL_BITS, lengths, kinds, symbols, 1) ||
        !spool_inflate_build(s->distances, SPOOL_INFLATE_DISTANCE_BITS, lengths + symbols, distance_kinds, distances,
                             1))
        return SPOOL_INFLATE_ERROR;
    s->state = IN_CODES;
    return SPOOL_INFLATE_MORE;
}

static int read_fixed(spool_inflater *s)
{
    uint8_t lengths[MAX_SYMBOLS + 32];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    memset(lengths + MAX_SYMBOLS, 5, 32);
    return build_tables(s, lengths, MAX_SYMBOLS, 32);
}

/* Reads the lengths of n codes, coded by the table of code lengths. */
static int read_lengths(spool_inflater *s, const uint32_t *table, uint8_t *lengths, int n)
{
    enum { REPEAT = 16, ZEROS, MANY_ZEROS };
    for (int i = 0; i < n;) {
        const uint32_t entry = table[peek(s, LENGTH_BITS)];
        const int symbol = entry >> 16;
        take(s, entry & 63);
        if (symbol < REPEAT) {
            lengths[i++] = symbol;
            continue;
        }
        if (symbol == REPEAT && i == 0)
            return SPOOL_INFLATE_ERROR;
        const uint8_t length = symbol == REPEAT ? lengths[i - 1] : 0;
        const int times = symbol == REPEAT ? 3 + take(s, 2) : symbol == ZEROS ? 3 + take(s, 3) : 11 + take(s, 7);
        if (times > n - i)
            return SPOOL_INFLATE_ERROR;
        memset(lengths + i, length, times);
        i += times;
    }
    return s->missing > s->left / 8 ? SPOOL_INFLATE_ERROR : SPOOL_INFLATE_MORE;
}

static int read_dynamic(spool_inflater *s)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const int symbols = 257 + take(s, 5), distances = 1 + take(s, 5), codes = 4 + take(s, 4);
    uint8_t lengths[SYMBOLS + DISTANCES] = {0}, code_lengths[LENGTH_CODES] = {0};
    uint32_t table[1 << LENGTH_BITS];
    if (symbols > SYMBOLS || distances > DISTANCES)
        return SPOOL_INFLATE_ERROR;
    for (int i = 0; i < codes; i++)
        code_lengths[order[i]] = take(s, 3);
    if (!spool_inflate_build(table, LENGTH_BITS, code_lengths, code_kinds, LENGTH_CODES, 0) ||
        read_lengths(s, table, lengths, symbols + distances) != SPOOL_INFLATE_MORE)
        return SPOOL_INFLATE_ERROR;
    return build_tables(s, lengths, symbols, distances);
}

static int read_block_header(spool_inflater *s)
{
    s->last = take(s, 1);
    switch (take(s, 2)) {
    case STORED:
        return read_stored(s);
    case FIXED:
        return read_fixed(s);
    case DYNAMIC:
        return read_dynamic(s);
    }
    return SPOOL_INFLATE_ERROR;
}

static int copy_stored(spool_inflater *s, const uint8_t *stop)
{
    const size_t room = stop - s->out, n = s->stored < room ? s->stored : room;
    memcpy(s->out, s->in, n);
    s->in += n;
    s->out += n;
    s->stored -= n;
    return s->stored == 0 ? BLOCK_ENDS : SPOOL_INFLATE_MORE;
}

static void add_up(spool_inflater *s)
{
    s->sum = libdeflate_adler32(s->sum, s->summed, s->out - s->summed);
    s->summed = s->out;
}

static int check_sum(spool_inflater *s)
{
    add_up(s);
    if (s->out != s->end || !align(s) || s->in_end - s->in < 4)
        return SPOOL_INFLATE_ERROR;
    const uint32_t sum = (uint32_t)s->in[0] << 24 | s->in[1] << 16 | s->in[2] << 8 | s->in[3];
    s->in += 4;
    return sum == s->sum ? SPOOL_INFLATE_DONE : SPOOL_INFLATE_ERROR;
}

static int step(spool_inflater *s, uint8_t *stop)
{
    int status;
    switch (s->state) {
    case AT_STREAM:
        return read_zlib_header(s);
    case AT_HEADER:
        return read_block_header(s);
    case AT_END:
        return check_sum(s);
    case IN_STORED:
        status = copy_stored(s, stop);
        break;
    default:
        status = s->codes(s, stop);
    }
    if (status != BLOCK_ENDS)
        return status;
    s->state = s->last ? AT_END : AT_HEADER;
    return SPOOL_INFLATE_MORE;
}

int spool_inflate_run(spool_inflater *s, uint8_t *stop)
{
    enum { STEPS = 64 }; /* building a table takes a few microseconds */
    int status = SPOOL_INFLATE_MORE;
    for (int i = 0; i < STEPS && status == SPOOL_INFLATE_MORE && (s->out < stop || stop == s->end); i++)
        status = step(s, stop);
    add_up(s);
    return status;
}

int spool_inflate_all(int level, const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size, size_t step_size,
                      size_t *came)
{
    spool_inflater s;
    int status = SPOOL_INFLATE_MORE;
    spool_inflate_init(&s, in, in_size, out, out_size);
    s.codes = spool_inflate_codes_at(level);
    while (status == SPOOL_INFLATE_MORE)
        status = spool_inflate_run(&s, (size_t)(s.end - s.out) > step_size + SPOOL_INFLATE_BEYOND ? s.out + step_size
                                                                                                  : s.end);
    *came = s.out - s.start;
    return status;
}
