#ifndef SPOOL_VIPS_NOTE_H
#define SPOOL_VIPS_NOTE_H

#include "load.h"

/*
 * What libvips says during a call. Warnings come to the thread they are about. Errors are appended to one
 * buffer of the process: when two pictures fail at the same moment, one text may hold the words of both.
 */

void spool_vips_silence(void);
void spool_vips_note_begin(void);
void spool_vips_note_end(spool_vips_note *note, int failed);

#endif
