/* Loads images: epochs with their batches, states, selected samples, timeouts, and closing in the middle. */
#include "check.h"

#include <pthread.h>

static spool_loader *opened(const char *folder, const char *options)
{
    spool_loader *loader;
    DO(spool_loader_open("images", &folder, 1, options, NULL, &loader, &failure));
    return loader;
}

static unsigned long long sum(const spool_array *pixels)
{
    spool_array_view view;
    unsigned long long h = 14695981039346656037ull; /* FNV-1a */
    spool_array_describe(pixels, &view);
    EXPECT(view.ndim == 4 && view.shape[1] == 16 && view.shape[2] == 24 && view.shape[3] == 3);
    EXPECT((uintptr_t)view.data % 64 == 0);
    for (int64_t i = 0; i < view.size; i++)
        h = (h ^ ((const unsigned char *)view.data)[i]) * 1099511628211ull;
    return h;
}

/* Prints one line for each batch of an epoch. */
static void epoch(spool_loader *loader, int most)
{
    spool_batch batch;
    while (most--) {
        int32_t status = spool_loader_next(loader, -1, &batch, &failure);
        if (status == SPOOL_END)
            return;
        DO(status);
        printf("%d %d %llx", (int)batch.epoch, (int)batch.index, sum(batch.pixels));
        for (int i = 0; i < batch.count; i++)
            printf(" %d:%d", (int)batch.samples[i].id, (int)batch.samples[i].label);
        printf(" %s\n", batch.samples[0].name);
        EXPECT(batch.frames == NULL && batch.padded == 0 && batch.samples[0].key[0] == 0);
        EXPECT(batch.samples[0].region.width > 0 && batch.samples[0].state == SPOOL_SAMPLE_WHOLE);
        spool_batch_release(&batch);
    }
}

static void *closes(void *loader)
{
    spool_loader_close(loader);
    return NULL;
}

int main(int argc, char **argv)
{
    EXPECT(argc == 3);
    const char *folder = argv[1], *options = argv[2];
    spool_loader *loader = opened(folder, options);
    spool_batch batch, kept[40];

    /* Two epochs, and nothing after the last. */
    epoch(loader, 100);
    epoch(loader, 100);
    REFUSED(SPOOL_END, "end", spool_loader_next(loader, -1, &batch, &failure));
    REFUSED(SPOOL_END, "end", spool_loader_next(loader, 0, &batch, &failure)); /* even with a timeout of 0 */

    /* Continues in the middle of an epoch, from a state; then starts another epoch. */
    spool_array *json, *earlier;
    spool_array_view view, first;
    spool_loader *other = opened(folder, options);
    epoch(other, 1);
    DO(spool_loader_state(other, &earlier, &failure));
    spool_array_describe(earlier, &first);
    epoch(other, 1);
    DO(spool_loader_state_before(other, &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(view.size == first.size && memcmp(view.data, first.data, first.size) == 0);
    spool_array_release(json);
    spool_array_release(earlier);
    DO(spool_loader_state(other, &json, &failure));
    spool_array_describe(json, &view);
    DO(spool_loader_resume(loader, view.data, &failure));
    spool_array_release(json);
    epoch(loader, 100);
    DO(spool_loader_start(other, 1, &failure));
    epoch(other, 1);
    REFUSED(SPOOL_CORRUPT, "corrupt", spool_loader_resume(loader, "{}", &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_loader_start(loader, -1, &failure));

    /* Selected samples. */
    const int64_t some[] = {5, 3, 5}, wrong[] = {1000};
    DO(spool_loader_choose(other, some, 3, 7, 1, &failure)); /* after the last epoch of the options */
    REFUSED(SPOOL_END, "end", spool_loader_next(other, -1, &batch, &failure));
    DO(spool_loader_choose(other, some, 3, 1, 0, &failure));
    epoch(other, 100);
    REFUSED(SPOOL_OPTIONS, "options", spool_loader_choose(other, wrong, 1, 0, 0, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_loader_bucket(other, (int64_t[]){1}, 1, 10, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_loader_weigh(other, (double[]){1}, 1, 0, &failure));

    /* A timeout, which loses no batch. */
    DO(spool_loader_start(loader, 0, &failure));
    int n = 0;
    for (;;) {
        int32_t status = spool_loader_next(loader, 0, &kept[n], &failure);
        if (status == SPOOL_END)
            break;
        EXPECT(status == SPOOL_OK || status == SPOOL_TIMEOUT);
        EXPECT(status == SPOOL_TIMEOUT || kept[n].index == n);
        n += status == SPOOL_OK;
    }
    EXPECT(n > 4);

    /* Info, report and failures. */
    DO(spool_loader_info(loader, &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(strstr(view.data, "\"batches\":6") && strstr(view.data, "\"epoch\":1") && strstr(view.data, "\"plant\""));
    spool_array_release(json);
    DO(spool_loader_report(loader, &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(strstr(view.data, "\"verdict\":\"") && strstr(view.data, "\"name\":\"decode\""));
    spool_array_release(json);
    DO(spool_loader_failures(loader, &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(view.size == 0);
    spool_array_release(json);

    /* What a server of the program passes on. */
    DO(spool_loader_page(loader, "metrics", &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(strstr(view.data, "\nspool_loader_batches_total ") && strstr(view.data, "\nprocess_cpu_seconds_total "));
    spool_array_release(json);
    DO(spool_loader_page(loader, "", &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(strstr(view.data, "<title>spool images</title>"));
    spool_array_release(json);
    DO(spool_loader_page(loader, "state", &json, &failure));
    spool_array_describe(json, &view);
    EXPECT(strstr(view.data, "\"verdict\":\"") && !strchr(view.data, '\n'));
    spool_array_release(json);
    REFUSED(SPOOL_NOT_FOUND, "not-found", spool_loader_page(loader, "thumbnail/0", &json, &failure));

    /* A trace of some time, and of less. */
    FILE *trace = tmpfile();
    EXPECT(trace);
    char traced[32];
    snprintf(traced, sizeof traced, "/proc/self/fd/%d", fileno(trace));
    DO(spool_loader_trace(loader, traced, 0.05, NULL, &failure));
    spool_cancel *cancel = NULL;
    DO(spool_cancel_new(&cancel, &failure));
    DO(spool_cancel_set(cancel, &failure));
    REFUSED(SPOOL_CANCELED, "canceled", spool_loader_trace(loader, traced, 3600, cancel, &failure));
    spool_cancel_release(cancel);
    char text[65536];
    size_t length = fread(text, 1, sizeof text - 1, trace);
    text[length] = 0;
    EXPECT(strstr(text, "\"traceEvents\":[") == text + strlen("{\"displayTimeUnit\":\"ms\","));
    EXPECT(strcmp(text + length - 3, "]}\n") == 0);
    fclose(trace);
    REFUSED(SPOOL_OPTIONS, "options", spool_loader_trace(loader, "/dev/null", 0, NULL, &failure));
    REFUSED(SPOOL_NOT_FOUND, "not-found", spool_loader_trace(loader, "/nothing/at/all", 1, NULL, &failure));

    /* Invalid arguments. */
    const char *nothing = "/nothing/at/all";
    REFUSED(SPOOL_NOT_FOUND, "not-found", spool_loader_open("images", &nothing, 1, NULL, NULL, &other, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_loader_open("words", &folder, 1, NULL, NULL, &other, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_loader_open("images", &folder, 0, NULL, NULL, &other, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_loader_open("video", &folder, 1, "{\"batch\": 0}", NULL, &other, &failure));

    /* Another thread closes the loader while this one waits. Delivered batches stay valid. */
    unsigned long long before = sum(kept[0].pixels);
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, closes, loader) == 0);
    int32_t status;
    while ((status = spool_loader_next(loader, -1, &batch, &failure)) == SPOOL_OK || status == SPOOL_END)
        if (status == SPOOL_OK)
            spool_batch_release(&batch);
    EXPECT(status == SPOOL_CANCELED || status == SPOOL_CLOSED);
    pthread_join(thread, NULL);
    REFUSED(SPOOL_CLOSED, "closed", spool_loader_state(loader, &json, &failure));
    EXPECT(sum(kept[0].pixels) == before);
    while (n--)
        spool_batch_release(&kept[n]);
    spool_loader_close(other);
    spool_loader_close(NULL);
    nothing_left();
    return 0;
}
