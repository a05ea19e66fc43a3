#ifndef SPOOL_ARROW_EXPORT_H
#define SPOOL_ARROW_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#include "interface.h"

/*
 * Allocates memory that the structures of one export share, at a multiple of 64 bytes, zeroed; or returns NULL. It has
 * one holder. The last one frees it.
 */
void *spool_arrow_alloc(size_t bytes);

/* Releases the memory. */
void spool_arrow_free(void *memory);

/* Sets the release function of a structure, which becomes a holder of the memory. */
void spool_arrow_hold_schema(struct ArrowSchema *schema, void *memory);
void spool_arrow_hold_array(struct ArrowArray *array, void *memory);

/* Calls the release functions. */
void spool_arrow_release(struct ArrowSchema *schema, struct ArrowArray *array);

/* The number of exports in memory. */
int64_t spool_arrow_count(void);

#endif
