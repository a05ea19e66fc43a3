/* Checks the number of samples in an MP4's tables, before FFmpeg allocates its own tables. */
#ifndef SPOOL_AV_TABLES_H
#define SPOOL_AV_TABLES_H

#include <libavformat/avio.h>

/*
 * Counts the samples in the boxes of a file. Returns their number if the file cannot hold them: each needs at least a
 * byte, and about 64 bytes of memory. Otherwise, and for inputs of unknown size, returns 0. The demuxer reports other
 * damage. The position in pb is restored.
 */
int64_t spool_av_overclaims(AVIOContext *pb);

#endif
