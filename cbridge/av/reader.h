/* FFmpeg's access to files, memory, and readers in Go. */
#ifndef SPOOL_AV_READER_H
#define SPOOL_AV_READER_H

#include <libavformat/avio.h>

#include "av.h"

int spool_av_reader(spool_av_input *input, AVIOContext **pb);
void spool_av_reader_close(AVIOContext **pb);

#endif
