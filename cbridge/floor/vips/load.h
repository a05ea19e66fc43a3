#ifndef SPOOL_FLOOR_VIPS_H
#define SPOOL_FLOOR_VIPS_H

#include <stddef.h>

/* Loads the first page into memory of its own by the named operation, and throws it away. Not 0: it failed. */
int spool_floor_vips(const char *loader, const void *data, size_t size);

#endif
