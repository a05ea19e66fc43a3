/* Reads all pixels of files with libvips, as cbridge/vips does. Exits with 1 if libvips refuses one of them. */
#include <stdio.h>
#include <vips/vips.h>

enum { MOST = 1000000 }; /* pixels: memcheck takes about a minute for them */

static int refuses(const char *file)
{
    VipsImage *image = vips_image_new_from_file(file, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    double average = 0;
    int code = image == NULL;
    if (image != NULL && (int64_t)image->Xsize * image->Ysize > MOST)
        fprintf(stderr, "%s: more than a million pixels, only the header was read\n", file);
    else if (image != NULL)
        code = vips_avg(image, &average, NULL) != 0;
    if (image != NULL)
        g_object_unref(image);
    fprintf(stderr, "%s: %s\n", file, code == 0 ? "read" : "refused");
    return code;
}

int main(int count, char **arguments)
{
    if (count < 2 || VIPS_INIT(arguments[0]) != 0)
        return 2;
    vips_cache_set_max(0);
    vips_concurrency_set(1);
    vips_operation_block_set("VipsForeignLoadJp2k", TRUE); /* libopenjp2 is called directly */

    int code = 0;
    for (int i = 1; i < count; i++)
        code |= refuses(arguments[i]);
    vips_shutdown();
    return code;
}
