/*
 * Encodes RGBA of 8 bits from stdin as AVIF, with alpha, of 10 or 12 bits or as a grid of 2x2 pictures: what
 * Pillow and ffmpeg cannot.
 * encode WIDTH HEIGHT DEPTH FORMAT PREMULTIPLIED GRID
 */
#include <stdio.h>
#include <stdlib.h>

#include <avif/avif.h>

int main(int argc, char **argv)
{
    if (argc != 7)
        return 2;
    int width = atoi(argv[1]), height = atoi(argv[2]), depth = atoi(argv[3]), samples = width * height * 4;
    uint16_t *pixels = malloc(samples * sizeof *pixels);
    uint8_t *narrow = (uint8_t *)pixels;
    for (int i = 0; i < samples; i++) {
        if (depth == 8)
            narrow[i] = getchar();
        else /* the low bits are not to be zero */
            pixels[i] = getchar() << (depth - 8) | ((i * 7) & ((1 << (depth - 8)) - 1));
    }

    avifImage *image = avifImageCreate(width, height, depth, atoi(argv[4]));
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    image->alphaPremultiplied = atoi(argv[5]);
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.pixels = (uint8_t *)pixels;
    rgb.rowBytes = width * 4 * (depth == 8 ? 1 : 2);
    avifEncoder *encoder = avifEncoderCreate();
    encoder->speed = 9;
    encoder->minQuantizer = encoder->maxQuantizer = 30;
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = 30;
    if (avifImageRGBToYUV(image, &rgb) != AVIF_RESULT_OK)
        return 1;

    const avifImage *cells[4] = {image};
    int across = atoi(argv[6]) ? 2 : 1;
    for (int i = 0; across == 2 && i < 4; i++) {
        avifCropRect part = {i % 2 * width / 2, i / 2 * height / 2, width / 2, height / 2};
        avifImage *cell = avifImageCreateEmpty();
        avifImageSetViewRect(cell, image, &part);
        cells[i] = cell;
    }
    avifRWData out = AVIF_DATA_EMPTY;
    if (avifEncoderAddImageGrid(encoder, across, across, cells, AVIF_ADD_IMAGE_FLAG_SINGLE) != AVIF_RESULT_OK ||
        avifEncoderFinish(encoder, &out) != AVIF_RESULT_OK)
        return 1;
    return fwrite(out.data, 1, out.size, stdout) != out.size;
}
