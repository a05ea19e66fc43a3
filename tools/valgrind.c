/* Reads all pixels of a file with libvips, as cbridge/vips does. Exits with 1 if libvips refuses the file. */
#include <stdio.h>
#include <vips/vips.h>

enum { MOST = 1000000 }; /* pixels: memcheck takes about a minute for them */

int main(int count, char **arguments)
{
    if (count != 2 || VIPS_INIT(arguments[0]) != 0)
        return 2;
    vips_cache_set_max(0);
    vips_concurrency_set(1);
    vips_operation_block_set("VipsForeignLoadJp2k", TRUE); /* libopenjp2 is called directly */

    VipsImage *image = vips_image_new_from_file(arguments[1], "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    double average = 0;
    int code = image == NULL;
    if (image != NULL && (int64_t)image->Xsize * image->Ysize > MOST)
        fprintf(stderr, "%s: more than a million pixels, only the header was read\n", arguments[1]);
    else if (image != NULL)
        code = vips_avg(image, &average, NULL) != 0;
    if (image != NULL)
        g_object_unref(image);
    vips_shutdown();
    return code;
}
