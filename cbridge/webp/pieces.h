/* Splits a file into pieces; decoding can stop between them. */
#ifndef SPOOL_WEBP_PIECES_H
#define SPOOL_WEBP_PIECES_H

#include <stddef.h>

/*
 * The size of a piece. With a new piece, a lossy image continues where it was, except for a macroblock. A lossless one
 * repeats up to eight rows. Chunks before the pixels are read again with every piece: the number of pieces must not
 * grow with the file.
 */
static inline size_t spool_webp_piece(size_t size, int lossless)
{
    const size_t piece = size / (lossless ? 8 : 16), least = lossless ? 24 << 10 : 2 << 10;
    return piece < least ? least : piece;
}

#endif
