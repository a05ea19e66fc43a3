/*
 * Batches: policies for bad images, memory of the caller, random choices. The arguments are good images, and a bad
 * image as the last.
 */
#include "check.h"

#define SIZE (8 * 6 * 3)

static spool_image_spec *spec;
static spool_source *sources;
static int64_t n;

/* Decodes an image alone, into its row of a batch. */
static void alone(int64_t i, unsigned char *row)
{
    DO(spool_decode_image_into(spec, &sources[i], NULL, row, SIZE, NULL, &failure));
}

static void whole(void)
{
    spool_array *pixels, *failures = (spool_array *)&n;
    spool_array_view view;
    unsigned char row[SIZE];
    DO(spool_decode_images(spec, sources, n - 1, NULL, &pixels, &failures, &failure));
    EXPECT(failures == NULL);
    spool_array_describe(pixels, &view);
    EXPECT(view.ndim == 4 && view.shape[0] == n - 1 && view.shape[1] == 6 && view.shape[2] == 8 && view.shape[3] == 3);
    EXPECT(strcmp(view.layout, "NHWC") == 0 && view.size == (n - 1) * SIZE);
    for (int64_t i = 0; i < n - 1; i++) {
        alone(i, row);
        EXPECT(memcmp(row, (char *)view.data + i * SIZE, SIZE) == 0);
    }
    spool_array_release(pixels);
    DO(spool_decode_images(spec, NULL, 0, NULL, &pixels, NULL, &failure));
    spool_array_describe(pixels, &view);
    EXPECT(view.ndim == 4 && view.shape[0] == 0 && view.size == 0);
    spool_array_release(pixels);
}

static void damaged(void)
{
    /* The bad image is the second. */
    spool_source second = sources[1];
    sources[1] = sources[n - 1];
    sources[n - 1] = second;
    spool_array *pixels = NULL, *failures = NULL;
    spool_array_view view;
    int32_t statuses[64];
    spool_images_options options = {.struct_size = sizeof options, .threads = 3, .statuses = statuses};
    REFUSED(SPOOL_TRUNCATED, "truncated",
            spool_decode_images(spec, sources, n, &options, &pixels, &failures, &failure));
    EXPECT(strcmp(failure.file, sources[1].path) == 0 && pixels == NULL && failures == NULL);
    EXPECT(statuses[0] == SPOOL_OK && statuses[1] == SPOOL_TRUNCATED);
    for (int64_t i = 2; i < n; i++)
        EXPECT(statuses[i] == SPOOL_OK || statuses[i] == SPOOL_CANCELED);

    unsigned char row[SIZE], zero[SIZE] = {0};
    for (int32_t errors = SPOOL_SKIP; errors <= SPOOL_PLACEHOLDER; errors++) {
        options.on_error = errors;
        DO(spool_decode_images(spec, sources, n, &options, &pixels, &failures, &failure));
        spool_array_describe(failures, &view);
        EXPECT(strncmp(view.data, "[{\"index\":1,\"file\":\"", 20) == 0 &&
               strstr(view.data, "\"class\":\"truncated\",\"status\":7"));
        EXPECT(strlen(view.data) == (size_t)view.size);
        spool_array_release(failures);
        spool_array_describe(pixels, &view);
        EXPECT(view.shape[0] == (errors == SPOOL_SKIP ? n - 1 : n));
        for (int64_t i = 0, at = 0; i < n; i++) {
            EXPECT(statuses[i] == (i == 1 ? SPOOL_TRUNCATED : SPOOL_OK));
            if (i == 1 && errors == SPOOL_SKIP)
                continue;
            if (i != 1)
                alone(i, row);
            EXPECT(memcmp(i == 1 ? zero : row, (char *)view.data + at++ * SIZE, SIZE) == 0);
        }
        spool_array_release(pixels);
    }
    sources[n - 1] = sources[1];
    sources[1] = second;
}

static void own_memory(void)
{
    size_t size = (size_t)(n - 1) * SIZE;
    unsigned char *out = malloc(size + 1), row[SIZE];
    spool_images_options options = {.struct_size = sizeof options, .out = out, .out_size = size, .threads = 1};
    EXPECT(out != NULL);
    out[size] = 0x5a;
    DO(spool_decode_images(spec, sources, n - 1, &options, NULL, NULL, &failure));
    for (int64_t i = 0; i < n - 1; i++) {
        alone(i, row);
        EXPECT(memcmp(row, out + i * SIZE, SIZE) == 0);
    }
    EXPECT(out[size] == 0x5a);
    options.out_size++;
    REFUSED(SPOOL_SHAPE, "shape", spool_decode_images(spec, sources, n - 1, &options, NULL, NULL, &failure));
    free(out);
}

static void misused(void)
{
    spool_array *pixels;
    spool_images_options options = {.struct_size = sizeof options, .on_error = 3, .threads = -1};
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_images(spec, NULL, -1, &options, NULL, NULL, &failure));
    int lines = 1;
    for (const char *c = failure.text; *c; c++)
        lines += *c == '\n';
    EXPECT(lines == 4);
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_images(spec, NULL, 2, NULL, &pixels, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_images(spec, sources, INT64_MAX, NULL, &pixels, NULL, &failure));
    spool_source nothing = {.size = 3};
    options = (spool_images_options){.struct_size = sizeof options, .on_error = SPOOL_PLACEHOLDER};
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_images(spec, &nothing, 1, &options, &pixels, NULL, &failure));
    spool_image_spec *own;
    DO(spool_image_spec_new("{\"resize_shorter\": 20}", &own, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_images(own, sources, 1, NULL, &pixels, NULL, &failure));
    spool_image_spec_release(own);
    spool_cancel *cancel;
    DO(spool_cancel_new(&cancel, &failure));
    DO(spool_cancel_set(cancel, &failure));
    options = (spool_images_options){.struct_size = sizeof options, .cancel = cancel};
    REFUSED(SPOOL_CANCELED, "canceled", spool_decode_images(spec, sources, n, &options, &pixels, NULL, &failure));
    spool_cancel_release(cancel);

    /* A program compiled with an older header, whose struct ended after threads. */
    int32_t *older = malloc(12);
    EXPECT(older != NULL);
    older[0] = 12, older[1] = SPOOL_PLACEHOLDER, older[2] = 1;
    DO(spool_decode_images(spec, sources, n, (void *)older, &pixels, NULL, &failure));
    free(older);
    spool_array_release(pixels);
}

/* Random choices depend only on seed, epoch and id. */
static void drawn(void)
{
    spool_image_spec *random;
    DO(spool_image_spec_new("{\"size\": \"8x6\", \"random_scale\": [0.1, 0.5], \"flip_x\": 0.5}", &random, &failure));
    spool_source twice[] = {sources[0], sources[0], sources[0], sources[0]};
    uint64_t ids[] = {7, 7, 8, 9};
    spool_region regions[4], again[4];
    spool_array *pixels;
    spool_array_view view;
    spool_images_options options = {
        .struct_size = sizeof options, .seed = 1, .epoch = 2, .ids = ids, .regions = regions};
    DO(spool_decode_images(random, twice, 4, &options, &pixels, NULL, &failure));
    spool_array_describe(pixels, &view);
    EXPECT(memcmp(view.data, (char *)view.data + SIZE, SIZE) == 0);
    EXPECT(memcmp(&regions[0], &regions[1], sizeof *regions) == 0);
    EXPECT(memcmp(&regions[0], &regions[2], sizeof *regions) != 0);
    EXPECT(memcmp(view.data, (char *)view.data + 2 * SIZE, SIZE) != 0);
    spool_array_release(pixels);

    /* The random crop, as a box. */
    char json[256];
    spool_region r = regions[2];
    snprintf(json, sizeof json, "{\"size\": \"8x6\", \"box\": [%.0f, %.0f, %.0f, %.0f], \"flip_x\": %d}", r.left, r.top,
             r.width, r.height, r.flip_x);
    spool_image_spec *box;
    unsigned char row[SIZE];
    DO(spool_image_spec_new(json, &box, &failure));
    DO(spool_decode_image_into(box, &twice[0], NULL, row, SIZE, NULL, &failure));
    options.regions = again;
    DO(spool_decode_images(random, twice, 4, &options, &pixels, NULL, &failure));
    spool_array_describe(pixels, &view);
    EXPECT(memcmp(row, (char *)view.data + 2 * SIZE, SIZE) == 0 && memcmp(regions, again, sizeof again) == 0);
    spool_array_release(pixels);
    options.epoch = 3;
    DO(spool_decode_images(random, twice, 4, &options, &pixels, NULL, &failure));
    EXPECT(memcmp(regions, again, sizeof again) != 0);
    spool_array_release(pixels);
    spool_image_spec_release(box);
    spool_image_spec_release(random);
}

int main(int argc, char **argv)
{
    n = argc - 1;
    EXPECT(n >= 4 && n <= 64);
    sources = calloc((size_t)n, sizeof *sources);
    EXPECT(sources != NULL);
    for (int64_t i = 0; i < n; i++)
        sources[i].path = argv[i + 1];
    DO(spool_image_spec_new("{\"size\": \"8x6\"}", &spec, &failure));
    whole();
    damaged();
    own_memory();
    misused();
    drawn();
    spool_image_spec_release(spec);
    free(sources);
    nothing_left();
    return 0;
}
