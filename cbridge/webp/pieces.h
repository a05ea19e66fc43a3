/* A file in pieces, between which its decoder can be stopped. */
#ifndef SPOOL_WEBP_PIECES_H
#define SPOOL_WEBP_PIECES_H

#include <stddef.h>

/*
 * The size of a piece. A lossy picture goes on where it was, except for a macroblock. A lossless one goes back by up
 * to eight rows each time. Chunks before the pixels are read again with every piece: the number of pieces must not
 * grow with the file.
 */
static inline size_t spool_webp_piece(size_t size, int lossless)
{
    const size_t piece = size / (lossless ? 8 : 16), least = lossless ? 24 << 10 : 2 << 10;
    return piece < least ? least : piece;
}

#endif
