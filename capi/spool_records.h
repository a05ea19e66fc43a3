/* Batches of records that another program reads. Programs include spool.h. */
#ifndef SPOOL_RECORDS_H
#define SPOOL_RECORDS_H

#include "spool_loader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- records ---- */

/* The fields of records and their decoders. Functions may use one concurrently. */
typedef struct spool_record_spec spool_record_spec;

/*
 * Makes a spec. Keys: "fields" or "schema", as of spool_loader_open with kind "records"; jpeg, isolate, max_pixels,
 * max_bytes, max_frames, max_memory, max_cpu; and the keys for stores, see spool_source.
 */
int32_t spool_record_spec_new(const char *json, spool_record_spec **spec, spool_error *error);

void spool_record_spec_release(spool_record_spec *spec);

/*
 * Describes the inputs of a record, as JSON: [{"name", "value", "optional"}, ...]. Several fields may have one input,
 * which is listed once. With value, the input is the value itself, such as a number as text; otherwise it is a file.
 */
int32_t spool_record_spec_inputs(spool_record_spec *spec, spool_array **json, spool_error *error);

/*
 * Decodes n records into one batch, with the fields of a batch of spool_loader_next. Sources are the inputs of all
 * records, one record after the other, in the order of spool_record_spec_inputs. A source without path and data is
 * absent. Of the options, out and regions must be NULL; random choices depend on seed, epoch and id, as in a loader.
 *
 * Bad records are listed in failures, which may be NULL, as by spool_decode_images. With SPOOL_SKIP the others fill the
 * first slots, in order; with SPOOL_PLACEHOLDER the slot of a bad record has the fields' fill colors and defaults, and
 * the state SPOOL_SAMPLE_PLACEHOLDER. The batch is empty, with pixels NULL, if there is no record, or all are left out.
 * Errors: SPOOL_OPTIONS and SPOOL_CANCELED, and with SPOOL_FAIL those of the records.
 */
int32_t spool_decode_records(spool_record_spec *spec, const spool_source *sources, int64_t n,
                             const spool_images_options *options, spool_batch *batch, spool_array **failures,
                             spool_error *error);

#ifdef __cplusplus
}
#endif

#endif
