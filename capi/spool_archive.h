/* Members of archives: tar files, and the arrays of NPY and NPZ files. Programs include spool.h. */
#ifndef SPOOL_ARCHIVE_H
#define SPOOL_ARCHIVE_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- archive ---- */

/* An open archive. Any number of calls may read members at the same time. */
typedef struct spool_archive spool_archive;

typedef struct spool_member {
    const char *name; /* bytes that end with a NUL; of an array of NPZ without ".npy", of that of NPY empty */
    int64_t sample;   /* the number of its sample: members of tar with the same key, as of WebDataset, are one sample */
    int64_t size;     /* of a member of tar, in bytes; -1 for an array */
} spool_member;

/*
 * Opens a tar file, an NPZ or an NPY file, which are recognized by their content. Of tar the headers are read, of NPZ
 * the directory. A tar file that is compressed by gzip or zstd is decompressed into memory. Bytes in memory must stay
 * valid until spool_archive_close. Keys of the options, which may be NULL: max_bytes, of a member and of a file that is
 * read whole; and the keys for stores, see spool_source. Cancel may be NULL. Errors: SPOOL_OPTIONS; those of an input;
 * SPOOL_NOT_MEDIA for another file; SPOOL_CANCELED.
 */
int32_t spool_archive_open(const spool_source *source, const char *options, spool_cancel *cancel,
                           spool_archive **archive, spool_error *error);

/* Closes an archive. Arrays that were read stay valid. */
void spool_archive_close(spool_archive *archive);

/*
 * Describes an archive, as a JSON object with the keys format, "tar", "npz" or "npy", members and samples, which are
 * numbers. The key damage is an object with class and text, if a tar file is damaged after the last member.
 */
int32_t spool_archive_info(spool_archive *archive, spool_array **json, spool_error *error);

/*
 * Lists members in the order of the archive: an array of n spool_member, as bytes [n sizeof(spool_member)]. Names are
 * valid until the array is released.
 */
int32_t spool_archive_list(spool_archive *archive, spool_array **list, spool_error *error);

/*
 * Reads a member, by its position in the list. A member of tar is bytes [size]. An array of NPZ or NPY has its shape
 * and type, in C order; bool is uint8, int8 is int16, and uint32 is int64. Cancel may be NULL. Errors: SPOOL_OPTIONS
 * for a position that does not exist; those of an input; SPOOL_UNSUPPORTED for uint64, complex numbers, text and
 * objects; SPOOL_CANCELED.
 */
int32_t spool_archive_read(spool_archive *archive, int64_t member, spool_cancel *cancel, spool_array **array,
                           spool_error *error);

/*
 * Adds bytes to a CRC-64/NVME, which is 0 before the first of them. The manifests of spool pack have this checksum of
 * each shard, in hexadecimal. Errors: SPOOL_OPTIONS for data that is NULL.
 */
int32_t spool_crc64nvme(const void *data, size_t size, uint64_t *sum, spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
