/*
 * Measures the cost of a call: decodes an image in memory repeatedly, and prints the nanoseconds of this call and of a
 * call that does nothing.
 */
#include "spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int fail(const spool_error *error)
{
    fprintf(stderr, "%s: %s: %s\n", error->op, error->error_class, error->text);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    spool_error error;
    spool_image_spec *spec;
    if (spool_image_spec_new(argv[1], &spec, &error))
        return fail(&error);
    static char data[1 << 24];
    FILE *file = fopen(argv[2], "rb");
    spool_source source = {.data = data, .size = file ? fread(data, 1, sizeof data, file) : 0};
    int n = atoi(argv[3]);
    spool_array_view view;
    double begun = now();
    for (int i = 0; i < n; i++)
        if (spool_image_spec_describe(spec, &view, &error))
            return fail(&error);
    double entry = (now() - begun) / n;
    begun = now();
    for (int i = 0; i < n; i++) {
        spool_array *array;
        if (spool_decode_image(spec, &source, NULL, &array, NULL, &error))
            return fail(&error);
        spool_array_release(array);
    }
    printf("%.0f %.0f\n", (now() - begun) / n, entry);
    spool_image_spec_release(spec);
    return 0;
}
