/* Listings of sources. Programs include spool.h. */
#ifndef SPOOL_SOURCE_H
#define SPOOL_SOURCE_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- list ---- */

/* The samples of sources, in their order. The position of a sample is its id in a loader of the same sources. */
typedef struct spool_listing {
    int64_t count;
    spool_array *names;  /* count file names, as of spool_sample, each of which ends with a NUL */
    spool_array *keys;   /* count keys, likewise; empty for none */
    spool_array *labels; /* int64 [count]; -1 for none */
    spool_array *sizes;  /* int64 [count]: bytes, as a store's listing has them; -1 for other samples */
    spool_array *info;   /* a JSON object, see spool_list */
} spool_listing;

/*
 * Lists n sources, as spool_loader_open does, without reading or decoding a sample. The rows of tables are read. Info
 * has the keys classes, the names of labels; notices, as of spool_loader_info; and left_out, the rows that "where"
 * leaves out. Keys of options, which may be NULL: kind images|video|audio, which chooses the files of folders; label
 * labels ignore_columns where index_dir; and the keys for stores, see spool_source. Cancel may be NULL. The caller
 * releases the listing. Errors: SPOOL_OPTIONS; SPOOL_EMPTY if there are no samples; those of sources; SPOOL_CANCELED.
 */
int32_t spool_list(const char *const *sources, size_t n, const char *options, spool_cancel *cancel,
                   spool_listing *listing, spool_error *error);

/* Releases the arrays of a listing. */
void spool_listing_release(spool_listing *listing);

#ifdef __cplusplus
}
#endif

#endif
