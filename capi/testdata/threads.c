/*
 * Many threads with the same handles: they decode single images and batches, cancel calls, and release handles that
 * others use. The arguments are seed, rounds and files.
 */
#include "check.h"

#include <pthread.h>

enum { THREADS = 32 };

static int rounds;
static int64_t files;
static spool_source *sources;
static spool_image_spec *shared;
static uint64_t want[64]; /* a sum of the pixels of each file */

static uint64_t sum_of(const void *data, int64_t size)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (int64_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    return sum;
}

/* xorshift64* */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u >> 32;
}

typedef struct {
    spool_cancel *cancel;
    spool_image_spec *spec;
} given;

/* Cancels or releases what another thread uses. */
static void *meddle(void *arg)
{
    given *g = arg;
    if (g->cancel)
        EXPECT(spool_cancel_set(g->cancel, NULL) == SPOOL_OK);
    else
        spool_image_spec_release(g->spec);
    return NULL;
}

static void one(uint64_t *state)
{
    int64_t i = (int64_t)(draw(state) % (uint64_t)files);
    spool_array *array;
    spool_array_view view;
    EXPECT(spool_decode_image(shared, &sources[i], NULL, &array, NULL, NULL) == SPOOL_OK);
    spool_array_describe(array, &view);
    EXPECT(sum_of(view.data, view.size) == want[i]);
    spool_array_retain(array);
    spool_array_release(array);
    spool_array_release(array);
}

static void several(uint64_t *state, given *g, pthread_t *other)
{
    spool_source some[8];
    int64_t which[8];
    int32_t statuses[8];
    for (int k = 0; k < 8; k++) {
        which[k] = (int64_t)(draw(state) % (uint64_t)files);
        some[k] = sources[which[k]];
    }
    spool_images_options options = {.struct_size = sizeof options,
                                    .threads = (int32_t)(draw(state) % 4),
                                    .statuses = statuses,
                                    .cancel = g->cancel};
    if (other)
        EXPECT(pthread_create(other, NULL, meddle, g) == 0);
    spool_array *pixels;
    spool_array_view view;
    int32_t status = spool_decode_images(g->spec, some, 8, &options, &pixels, NULL, NULL);
    EXPECT(status == SPOOL_OK || (other && (status == SPOOL_CANCELED || status == SPOOL_CLOSED)));
    if (status == SPOOL_OK) {
        spool_array_describe(pixels, &view);
        for (int k = 0; k < 8; k++)
            EXPECT(sum_of((char *)view.data + k * view.size / 8, view.size / 8) == want[which[k]]);
        spool_array_release(pixels);
    }
    if (other)
        EXPECT(pthread_join(*other, NULL) == 0);
}

static void *work(void *arg)
{
    uint64_t state = *(uint64_t *)arg;
    for (int round = 0; round < rounds; round++) {
        pthread_t other;
        given g = {.spec = shared};
        switch (draw(&state) % 8) {
        case 0:
            several(&state, &g, NULL);
            break;
        case 1:
            EXPECT(spool_cancel_new(&g.cancel, NULL) == SPOOL_OK);
            several(&state, &g, &other);
            spool_cancel_release(g.cancel);
            break;
        case 2:
            EXPECT(spool_image_spec_new("{\"size\": \"32x24\"}", &g.spec, NULL) == SPOOL_OK);
            several(&state, &g, &other);
            break;
        case 3:
            EXPECT(spool_image_spec_new("{\"size\": \"0x0\"}", &g.spec, NULL) == SPOOL_OPTIONS);
            break;
        default:
            one(&state);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    files = argc - 3;
    EXPECT(files > 0 && files <= 64);
    rounds = atoi(argv[2]);
    sources = calloc((size_t)files, sizeof *sources);
    EXPECT(sources != NULL);
    DO(spool_image_spec_new("{\"size\": \"32x24\"}", &shared, &failure));
    for (int64_t i = 0; i < files; i++) {
        unsigned char pixels[24 * 32 * 3];
        sources[i].path = argv[i + 3];
        DO(spool_decode_image_into(shared, &sources[i], NULL, pixels, sizeof pixels, NULL, &failure));
        want[i] = sum_of(pixels, sizeof pixels);
    }
    pthread_t threads[THREADS];
    uint64_t seeds[THREADS];
    for (int i = 0; i < THREADS; i++) {
        seeds[i] = strtoull(argv[1], NULL, 10) * THREADS + (uint64_t)i + 1;
        EXPECT(pthread_create(&threads[i], NULL, work, &seeds[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        EXPECT(pthread_join(threads[i], NULL) == 0);
    spool_image_spec_release(shared);
    free(sources);
    nothing_left();
    EXPECT(stat_of("goroutines") < 20);
    return 0;
}
