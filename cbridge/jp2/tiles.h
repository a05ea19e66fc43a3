#ifndef SPOOL_JP2_TILES_H
#define SPOOL_JP2_TILES_H

#include "codec.h"
#include "samples.h"

/* Decodes the wanted tiles in the codestream's order, and pushes each row of tiles once it is complete. */
int spool_jp2_tiles(spool_jp2_codec *codec, const spool_jp2_options *options, spool_sink *sink);

#endif
