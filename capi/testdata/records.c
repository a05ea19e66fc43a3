/*
 * Batches of records: an image, and a number that may be absent. The arguments are good images, and a bad image as the
 * last.
 */
#include "check.h"

#define SIZE (8 * 6 * 3)

static const char fields[] = "{\"fields\": {\"image\": {\"kind\": \"image\", \"input\": \"jpg\", \"size\": \"8x6\"},"
                             "\"n\": {\"kind\": \"number\", \"dtype\": \"int64\", \"optional\": true, \"default\": -3},"
                             "\"t\": {\"kind\": \"text\", \"optional\": true}}}";

static spool_record_spec *spec;
static spool_image_spec *images;
static spool_source *sources; /* the image, the number and the text of each record */
static int64_t n;

/* Checks the slot of record i. */
static void check(const spool_batch *batch, int64_t slot, int64_t i)
{
    spool_array_view view;
    spool_array *numbers;
    unsigned char row[SIZE];
    DO(spool_decode_image_into(images, &sources[3 * i], NULL, row, SIZE, NULL, &failure));
    spool_array_describe(batch->pixels, &view);
    EXPECT(view.shape[0] == batch->count && view.shape[1] == 6 && view.shape[2] == 8);
    EXPECT(memcmp(row, (char *)view.data + slot * SIZE, SIZE) == 0);
    DO(spool_batch_array(batch->pixels, 1, &numbers, &failure));
    spool_array_describe(numbers, &view);
    EXPECT(view.ndim == 1 && ((int64_t *)view.data)[slot] == (sources[3 * i + 1].data ? 7 : -3));
    spool_array_release(numbers);
    EXPECT(batch->field_count == 3 && strcmp(batch->fields[2].name, "t") == 0 && batch->fields[2].array == -1);
    const spool_value *text = &batch->fields[2].values[slot];
    EXPECT(i % 2 ? text->data == NULL : text->size == 3 && memcmp(text->data, "abc", 3) == 0);
    EXPECT(batch->samples[slot].id == i && batch->samples[slot].state == SPOOL_SAMPLE_WHOLE);
    EXPECT(strcmp(batch->absent[slot], i % 2 ? "n\nt" : "") == 0);
}

static void whole(void)
{
    spool_batch batch;
    spool_array *failures = (spool_array *)&n;
    DO(spool_decode_records(spec, sources, n - 1, NULL, &batch, &failures, &failure));
    EXPECT(failures == NULL && batch.count == n - 1 && batch.padded == 0);
    for (int64_t i = 0; i < n - 1; i++)
        check(&batch, i, i);
    spool_batch_release(&batch);
    DO(spool_decode_records(spec, NULL, 0, NULL, &batch, NULL, &failure));
    EXPECT(batch.count == 0 && batch.pixels == NULL);
    spool_batch_release(&batch);
}

static void damaged(void)
{
    /* The bad record is the first. */
    spool_source first = sources[0];
    sources[0] = sources[3 * (n - 1)];
    spool_batch batch;
    spool_array *failures;
    spool_array_view view;
    int32_t statuses[64];
    spool_images_options options = {.struct_size = sizeof options, .threads = 3, .statuses = statuses};
    REFUSED(SPOOL_TRUNCATED, "truncated",
            spool_decode_records(spec, sources, n - 1, &options, &batch, &failures, &failure));
    EXPECT(strncmp(failure.text, "field image: ", 13) == 0);
    for (int32_t errors = SPOOL_SKIP; errors <= SPOOL_PLACEHOLDER; errors++) {
        int skip = errors == SPOOL_SKIP;
        options.on_error = errors;
        DO(spool_decode_records(spec, sources, n - 1, &options, &batch, &failures, &failure));
        spool_array_describe(failures, &view);
        EXPECT(strncmp(view.data, "[{\"index\":0,", 12) == 0 && strstr(view.data, "\"class\":\"truncated\""));
        spool_array_release(failures);
        EXPECT(statuses[0] == SPOOL_TRUNCATED && statuses[1] == SPOOL_OK && batch.count == n - 1 - skip);
        for (int64_t i = 1; i < n - 1; i++)
            check(&batch, i - skip, i);
        if (!skip) {
            spool_array_describe(batch.pixels, &view);
            EXPECT(batch.samples[0].state == SPOOL_SAMPLE_PLACEHOLDER && ((unsigned char *)view.data)[5] == 0x80);
            EXPECT(batch.fields[2].values[0].data == NULL);
        }
        spool_batch_release(&batch);
    }
    options.on_error = SPOOL_SKIP;
    DO(spool_decode_records(spec, sources, 1, &options, &batch, NULL, &failure));
    EXPECT(batch.count == 0 && batch.pixels == NULL);
    sources[0] = first;
}

static void misused(void)
{
    spool_batch batch;
    spool_record_spec *other;
    REFUSED(SPOOL_OPTIONS, "options", spool_record_spec_new("{}", &other, &failure));
    REFUSED(SPOOL_OPTIONS, "options",
            spool_record_spec_new("{\"fields\": {\"t\": {\"kind\": \"txt\"}}}", &other, &failure));
    EXPECT(strstr(failure.text, "did you mean text?"));
    spool_images_options options = {.struct_size = sizeof options, .on_error = 7, .threads = -1, .out = &batch};
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_records(spec, NULL, -1, &options, &batch, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_records(spec, NULL, 2, NULL, &batch, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_records(spec, sources, INT64_MAX, NULL, &batch, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_records(NULL, sources, 1, NULL, &batch, NULL, &failure));
    spool_source absent = {.size = 0};
    spool_source record[3] = {absent, absent, absent};
    REFUSED(SPOOL_NOT_FOUND, "not-found", spool_decode_records(spec, record, 1, NULL, &batch, NULL, &failure));
    spool_cancel *cancel;
    DO(spool_cancel_new(&cancel, &failure));
    DO(spool_cancel_set(cancel, &failure));
    options = (spool_images_options){.struct_size = sizeof options, .cancel = cancel};
    REFUSED(SPOOL_CANCELED, "canceled", spool_decode_records(spec, sources, 2, &options, &batch, NULL, &failure));
    spool_cancel_release(cancel);
}

int main(int argc, char **argv)
{
    n = argc - 1;
    EXPECT(n > 3 && n < 64);
    sources = calloc((size_t)n * 3, sizeof *sources);
    EXPECT(sources != NULL);
    for (int64_t i = 0; i < n; i++) {
        sources[3 * i].path = argv[i + 1];
        if (i % 2 == 0) {
            sources[3 * i + 1].data = (const void *)"7", sources[3 * i + 1].size = 1;
            sources[3 * i + 2].data = (const void *)"abc", sources[3 * i + 2].size = 3;
        }
    }
    DO(spool_record_spec_new(fields, &spec, &failure));
    DO(spool_image_spec_new("{\"size\": \"8x6\"}", &images, &failure));
    spool_array *json;
    spool_array_view view;
    DO(spool_record_spec_inputs(spec, &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(strcmp(view.data, "[{\"name\":\"jpg\",\"value\":false,\"optional\":false},"
                             "{\"name\":\"n\",\"value\":true,\"optional\":true},"
                             "{\"name\":\"t\",\"value\":true,\"optional\":true}]") == 0);
    spool_array_release(json);
    whole();
    damaged();
    misused();
    spool_record_spec_release(spec);
    spool_image_spec_release(images);
    free(sources);
    nothing_left();
    return 0;
}
