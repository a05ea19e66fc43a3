/* Encodes RGBA of 8 bits from stdin as AVIF of 10 or 12 bits with alpha, which Pillow and ffmpeg cannot. */
#include <stdio.h>
#include <stdlib.h>

#include <avif/avif.h>

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    int width = atoi(argv[1]), height = atoi(argv[2]), depth = atoi(argv[3]), samples = width * height * 4;
    uint16_t *pixels = malloc(samples * sizeof *pixels);
    for (int i = 0; i < samples; i++) /* the low bits are not to be zero */
        pixels[i] = getchar() << (depth - 8) | ((i * 7) & ((1 << (depth - 8)) - 1));

    avifImage *image = avifImageCreate(width, height, depth, atoi(argv[4]));
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    image->alphaPremultiplied = atoi(argv[5]);
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.pixels = (uint8_t *)pixels;
    rgb.rowBytes = width * 4 * sizeof *pixels;
    avifEncoder *encoder = avifEncoderCreate();
    encoder->speed = 9;
    encoder->minQuantizer = encoder->maxQuantizer = 30;
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = 30;
    avifRWData out = AVIF_DATA_EMPTY;
    if (avifImageRGBToYUV(image, &rgb) != AVIF_RESULT_OK || avifEncoderWrite(encoder, image, &out) != AVIF_RESULT_OK)
        return 1;
    return fwrite(out.data, 1, out.size, stdout) != out.size;
}
