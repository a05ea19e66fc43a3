/*
 * Decodes images. Each input line has options, file and destination of the pixels, separated by tabs. Prints the
 * results.
 */
#include "check.h"

static void decode(const char *options, const char *path, const char *out)
{
    spool_image_spec *spec;
    spool_array *array, *again;
    spool_image_report report, other;
    spool_array_view view, second;
    DO(spool_image_spec_new(options, &spec, &failure));

    spool_source file = {.path = path};
    if (spool_decode_image(spec, &file, NULL, &array, &report, &failure)) {
        printf("%d %s %s\n", failure.status, failure.error_class, failure.file);
        spool_image_spec_release(spec);
        return;
    }
    spool_array_describe(array, &view);
    printf("%d %d %s", view.dtype_code, view.dtype_bits, view.layout);
    long long stride = 1, size = view.dtype_bits / 8;
    for (int i = view.ndim - 1; i >= 0; i--) {
        EXPECT(view.strides[i] == stride && report.shape[i] == view.shape[i]);
        stride *= view.shape[i];
        size *= view.shape[i];
    }
    for (int i = 0; i < view.ndim; i++)
        printf(" %lld", (long long)view.shape[i]);
    printf("; %dx%d\n", report.width, report.height);
    EXPECT(report.ndim == view.ndim && view.size == size && (uintptr_t)view.data % 64 == 0);
    EXPECT(view.device_type == SPOOL_CPU && view.device_id == 0);

    /* From memory, and into memory that is not aligned. */
    FILE *in = fopen(path, "rb");
    char *bytes = malloc(1 << 24);
    EXPECT(in != NULL && bytes != NULL);
    spool_source memory = {.data = bytes, .size = fread(bytes, 1, 1 << 24, in)};
    fclose(in);
    DO(spool_decode_image(spec, &memory, NULL, &again, NULL, &failure));
    spool_array_describe(again, &second);
    EXPECT(second.size == view.size && memcmp(second.data, view.data, (size_t)view.size) == 0);
    spool_array_release(again);
    char *room = malloc((size_t)view.size + 3);
    EXPECT(room != NULL);
    memset(room, 0x5a, (size_t)view.size + 3);
    DO(spool_decode_image_into(spec, &memory, NULL, room + 1, (size_t)view.size, &other, &failure));
    EXPECT(room[0] == 0x5a && room[view.size + 1] == 0x5a && room[view.size + 2] == 0x5a);
    EXPECT(memcmp(room + 1, view.data, (size_t)view.size) == 0 && memcmp(&other, &report, sizeof report) == 0);
    REFUSED(SPOOL_SHAPE, "shape",
            spool_decode_image_into(spec, &memory, NULL, room, (size_t)view.size + 1, NULL, &failure));
    free(room);
    free(bytes);

    FILE *pixels = fopen(out, "wb");
    EXPECT(pixels != NULL && fwrite(view.data, 1, (size_t)view.size, pixels) == (size_t)view.size &&
           fclose(pixels) == 0);
    spool_array_release(array);
    spool_image_spec_release(spec);
}

int main(void)
{
    static char line[1 << 14];
    while (fgets(line, sizeof line, stdin)) {
        char *options = strtok(line, "\t"), *path = strtok(NULL, "\t"), *out = strtok(NULL, "\t\n");
        EXPECT(out != NULL);
        decode(options, path, out);
    }
    nothing_left();
    return 0;
}
