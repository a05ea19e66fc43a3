#ifndef SPOOL_VIPS_NOTE_H
#define SPOOL_VIPS_NOTE_H

#include "load.h"

/*
 * The messages of libvips during a call. Warnings are recorded on the thread that caused them. Errors are appended to
 * one buffer of the process: if two images fail at the same moment, one text may hold the messages of both.
 */

void spool_vips_silence(void);
void spool_vips_note_begin(void);
void spool_vips_note_end(spool_vips_note *note, int failed);

#endif
