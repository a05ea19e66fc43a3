#ifndef SPOOL_FLOOR_VIPS_H
#define SPOOL_FLOOR_VIPS_H

#include <stddef.h>

/* Loads the first page into memory with the named operation, and discards it. Returns nonzero on failure. */
int spool_floor_vips(const char *loader, const void *data, size_t size);

#endif
