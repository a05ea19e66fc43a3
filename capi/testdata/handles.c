/* Errors of a call are reported, and an invalid handle is never dereferenced. */
#include "check.h"

#include <stdint.h>

static void options(void)
{
    spool_image_spec *spec = (spool_image_spec *)&failure;
    REFUSED(SPOOL_OPTIONS, "options",
            spool_image_spec_new("{\"size\": [0, \"x\"], \"no_such\": 1, \"dtype\": \"int3\", \"max_pixels\": -1}",
                                 &spec, &failure));
    EXPECT(strstr(failure.text, "size") && strstr(failure.text, "no_such") && strstr(failure.text, "dtype") &&
           strstr(failure.text, "max_pixels"));
    int lines = 1;
    for (const char *c = failure.text; *c; c++)
        lines += *c == '\n';
    EXPECT(lines == 4 && !strstr(failure.text, "--"));
    EXPECT(spec == (spool_image_spec *)&failure); /* untouched */

    static const char *const bad[] = {"[1]",
                                      "{",
                                      "nonsense",
                                      "{} {}",
                                      "{\"size\": {}}",
                                      "{\"size\": \"224x224\"",
                                      "\xff\xfe",
                                      "{\"resize-shorter\": 1}",
                                      "{\"random_scale\": [1]}",
                                      "{\"flip_x\": 2}",
                                      "{\"size\": \"9x9\", \"crop\": \"10x10\"}",
                                      "{\"mean\": [1, 2]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED(SPOOL_OPTIONS, "options", spool_image_spec_new(bad[i], &spec, &failure));
    static const char *const good[] = {
        NULL,
        "",
        "{}",
        " { } ",
        "{\"size\": null}",
        "{\"size\": [3, 4], \"mean\": [0.5], \"std\": 2, \"dtype\": \"float32\"}",
        "{\"box\": [1, 2, 3, 4], \"flip_y\": 1, \"orient\": false, \"allow\": [\"svg\", \"pdf\"]}"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        DO(spool_image_spec_new(good[i], &spec, &failure));
        spool_image_spec_release(spec);
    }
}

static void numbers(const char *path)
{
    spool_array_view view;
    spool_array *array;
    spool_image_spec *spec;
    spool_cancel *cancel;
    spool_source source = {.path = path};
    DO(spool_image_spec_new(NULL, &spec, &failure));
    DO(spool_cancel_new(&cancel, &failure));
    DO(spool_image_spec_describe(spec, &view, &failure));
    EXPECT(view.ndim == 0 && view.data == NULL);

    REFUSED(SPOOL_OPTIONS, "options", spool_image_spec_describe(NULL, &view, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_image(NULL, &source, NULL, &array, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_image((void *)cancel, &source, NULL, &array, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_image(spec, &source, (void *)spec, &array, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_image(spec, NULL, NULL, &array, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options",
            spool_decode_image(spec, &(spool_source){.size = 5}, NULL, &array, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options",
            spool_decode_image(spec, &(spool_source){.data = path, .size = SIZE_MAX}, NULL, &array, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_decode_image_into(spec, &source, NULL, NULL, 7, NULL, &failure));
    REFUSED(SPOOL_CLOSED, "closed", spool_image_spec_describe((void *)(uintptr_t)0x123456, &view, &failure));
    REFUSED(SPOOL_CLOSED, "closed", spool_image_spec_describe((void *)&view, &view, &failure));
    REFUSED(SPOOL_CLOSED, "closed", spool_image_spec_describe((void *)UINTPTR_MAX, &view, &failure));

    DO(spool_cancel_set(cancel, &failure));
    DO(spool_cancel_set(cancel, &failure));
    REFUSED(SPOOL_CANCELED, "canceled", spool_decode_image(spec, &source, cancel, &array, NULL, &failure));
    spool_cancel_release(cancel);
    spool_cancel_release(cancel);
    spool_image_spec_release((void *)cancel);
    REFUSED(SPOOL_CLOSED, "closed", spool_cancel_set(cancel, &failure));
    REFUSED(SPOOL_CLOSED, "closed", spool_decode_image(spec, &source, cancel, &array, NULL, &failure));

    spool_image_spec_release(spec);
    spool_image_spec_release(spec);
    spool_image_spec_release(NULL);
    spool_cancel_release(NULL);
    spool_array_release(NULL);
    REFUSED(SPOOL_CLOSED, "closed", spool_decode_image(spec, &source, NULL, &array, NULL, &failure));
}

static void files(const char *path, const char *folder)
{
    spool_array *array = (spool_array *)&failure;
    spool_image_spec *spec;
    DO(spool_image_spec_new("{\"max_pixels\": 16}", &spec, &failure));
    REFUSED(SPOOL_TOO_LARGE, "too-large",
            spool_decode_image(spec, &(spool_source){.path = path}, NULL, &array, NULL, &failure));
    EXPECT(strcmp(failure.file, path) == 0);
    REFUSED(SPOOL_NOT_FOUND, "not-found",
            spool_decode_image(spec, &(spool_source){.path = "/no/such.jpg"}, NULL, &array, NULL, &failure));
    EXPECT(strcmp(failure.file, "/no/such.jpg") == 0);
    REFUSED(SPOOL_NOT_A_FILE, "not-a-file",
            spool_decode_image(spec, &(spool_source){.path = folder, .name = "mine"}, NULL, &array, NULL, &failure));
    EXPECT(strcmp(failure.file, "mine") == 0);
    REFUSED(SPOOL_NOT_FOUND, "not-found",
            spool_decode_image(spec, &(spool_source){.path = ""}, NULL, &array, NULL, &failure));
    REFUSED(SPOOL_EMPTY, "empty", spool_decode_image(spec, &(spool_source){.size = 0}, NULL, &array, NULL, &failure));
    EXPECT(failure.file[0] == 0);
    REFUSED(SPOOL_NOT_MEDIA, "not-media",
            spool_decode_image(spec, &(spool_source){.data = "some text, and no picture", .size = 25}, NULL, &array,
                               NULL, &failure));

    /* A name that does not fit is truncated before a multi-byte character. */
    static char longest[8192];
    for (size_t i = 0; i + 3 < sizeof longest; i += 3)
        memcpy(longest + i, "\xe2\x82\xac", 3);
    spool_source named = {.data = "x", .size = 1, .name = longest};
    REFUSED(SPOOL_NOT_MEDIA, "not-media", spool_decode_image(spec, &named, NULL, &array, NULL, &failure));
    EXPECT(strlen(failure.file) == sizeof failure.file - 1); /* 4095 is 3 x 1365 */
    named.name = longest + 1;
    REFUSED(SPOOL_NOT_MEDIA, "not-media", spool_decode_image(spec, &named, NULL, &array, NULL, &failure));
    EXPECT(strlen(failure.file) == 4094 - 0 && memcmp(failure.file, longest + 1, 4094) == 0);

    /* The error argument may be NULL, and a successful call does not write to it. */
    EXPECT(spool_decode_image(spec, &(spool_source){.path = path}, NULL, &array, NULL, NULL) == SPOOL_TOO_LARGE);
    EXPECT(array == (spool_array *)&failure);
    spool_image_spec_release(spec);
    DO(spool_image_spec_new(NULL, &spec, &failure));
    memset(&failure, 0x55, sizeof failure);
    DO(spool_decode_image(spec, &(spool_source){.path = path}, NULL, &array, NULL, &failure));
    EXPECT(failure.status == 0x55555555 && failure.text[4095] == 0x55);

    /* Results of a spec stay valid after its release, until their last holder releases them. */
    spool_image_spec_release(spec);
    EXPECT(spool_array_retain(array) == array);
    spool_array_release(array);
    spool_array_view view;
    spool_array_describe(array, &view);
    volatile unsigned char sum = 0;
    for (int64_t i = 0; i < view.size; i++)
        sum += ((unsigned char *)view.data)[i];
    EXPECT(stat_of("arrays") == 1);
    spool_array_release(array);
}

int main(int argc, char **argv)
{
    EXPECT(argc == 3 && spool_abi() == SPOOL_ABI && spool_version()[0]);
    nothing_left();
    options();
    numbers(argv[1]);
    files(argv[1], argv[2]);
    nothing_left();
    return 0;
}
