/* What an MP4 claims in its tables, before FFmpeg makes its own tables of it. */
#ifndef SPOOL_AV_TABLES_H
#define SPOOL_AV_TABLES_H

#include <libavformat/avio.h>

/* Counts the samples that the boxes of a file claim, and returns their number where the file cannot hold as many: each
 * takes a byte at least, and about 64 bytes of memory. Otherwise, and for inputs without a size, it returns 0. A
 * damaged file is left to the demuxer. The position in pb is the same afterwards. */
int64_t spool_av_overclaims(AVIOContext *pb);

#endif
