/*
 * Loads folders of images in batches, as a training loop does, and prints the mean brightness of each:
 *
 *     loader FOLDER...
 */
#include <inttypes.h>
#include <spool.h>
#include <stdio.h>

static int failed(const spool_error *error)
{
    fprintf(stderr, "%s: %s\n", error->error_class, error->text);
    return 1;
}

static double mean(const spool_batch *batch)
{
    spool_array_view view;
    spool_array_describe(batch->pixels, &view);
    const uint8_t *bytes = view.data;
    uint64_t sum = 0;
    for (int64_t i = 0; i < view.size; i++)
        sum += bytes[i];
    return (double)sum / (double)view.size;
}

int main(int argc, char **argv)
{
    const char *options = "{\"batch\": 4, \"size\": 64, \"train\": true, \"shuffle\": true, \"seed\": 1}";
    spool_error error;
    spool_loader *loader;
    if (spool_abi() != SPOOL_ABI) {
        fprintf(stderr, "the program was compiled for another libspool\n");
        return 1;
    }
    if (spool_loader_open("images", (const char *const *)argv + 1, (size_t)argc - 1, options, NULL, &loader, &error))
        return failed(&error);

    spool_batch batch;
    int32_t status;
    while ((status = spool_loader_next(loader, -1, &batch, &error)) == SPOOL_OK) {
        printf("batch %" PRId64 ": %d images, mean %.1f, labels", batch.index, batch.count, mean(&batch));
        for (int32_t i = 0; i < batch.count; i++)
            printf(" %" PRId64, batch.samples[i].label);
        printf("\n");
        spool_batch_release(&batch);
    }
    spool_loader_close(loader);
    return status == SPOOL_END ? 0 : failed(&error);
}
