#include "entry.h"

#include "_cgo_export.h"

int32_t spool_list(const char *const *sources, size_t n, const char *options, spool_cancel *cancel,
                   spool_listing *listing, spool_error *error)
{
    SPOOL_ENTER(error);
    return goList((char **)sources, n, (char *)options, (uintptr_t)cancel, listing, error);
}

void spool_listing_release(spool_listing *listing)
{
    spool_array_release(listing->names);
    spool_array_release(listing->keys);
    spool_array_release(listing->labels);
    spool_array_release(listing->sizes);
    spool_array_release(listing->info);
    *listing = (spool_listing){.count = 0};
}
