#ifndef SPOOL_CAPI_HANDOFF_H
#define SPOOL_CAPI_HANDOFF_H

#include "spool.h"

/*
 * Batches that Go has put where spool_loader_next finds them. Entering Go takes longer than taking a batch that is
 * ready, since an idle runtime wakes threads of its own. A loader, named by its handle, has one place; it may share it
 * with another loader, of which one then goes without.
 */

/* Puts a loader's next batch into its place. Returns 0 if the place is taken. */
int32_t spool_handoff_put(uintptr_t loader, const spool_batch *batch);

/* Takes the batch of a loader. Returns 0 if there is none. */
int32_t spool_handoff_take(uintptr_t loader, spool_batch *batch);

/* Reports whether a loader's batch is in its place. */
int32_t spool_handoff_holds(uintptr_t loader);

#endif
