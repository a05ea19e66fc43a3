/* Copies of arrays to CUDA devices. Programs include spool.h. */
#ifndef SPOOL_DEVICE_H
#define SPOOL_DEVICE_H

#include <stddef.h>

#include "spool_media.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- device ---- */

/* A CUDA device that arrays are copied to. It may be used by any number of concurrent calls. */
typedef struct spool_device spool_device;

/*
 * Functions of the caller that allocate and free memory of a device, as CUDAPluggableAllocator of PyTorch has them. The
 * option allocator of devices and loaders has the addresses of both, like "0x7f00,0x7f80". The memory is aligned to 256
 * bytes, and used at once by work in the stream, a CUstream of the library's. It is freed after all work that uses it.
 * Any thread may call them, also later than the call that closes the device. NULL means that there is no memory.
 */
typedef void *spool_device_allocate(ptrdiff_t size, int device, void *stream);
typedef void spool_device_free(void *memory, ptrdiff_t size, int device, void *stream);

/*
 * Opens a CUDA device, and a stream for copies. Keys of the options, which may be NULL: device, cuda (the default) or
 * cuda:N; ring, the most copies on the device, those that the caller holds and those in flight (3); allocator, the
 * functions that allocate their memory; nvjpeg, the file of nvJPEG (the newest that the linker finds); and for images of
 * spool_device_decode size, mode, resize_shorter, max_size, crop and filter, as for an image spec. A device does not pad.
 * Errors: SPOOL_OPTIONS; SPOOL_DEVICE if there is no such device, or no driver.
 */
int32_t spool_device_open(const char *options, spool_device **device, spool_error *error);

/*
 * Copies n arrays in host memory to the device, in one copy from pinned memory, into which they are packed first. It
 * returns when the copy is queued, and then no longer needs the caller's memory. arrays has room for n results, whose
 * memory is used again when all of them are released. Pass them on by spool_array_dlpack_in or spool_array_cuda. Cancel
 * may be NULL. Errors: SPOOL_OPTIONS for views that are no arrays, and after some seconds if the caller holds the whole
 * ring; SPOOL_OUT_OF_MEMORY, SPOOL_DEVICE, SPOOL_CANCELED.
 */
int32_t spool_device_copy(spool_device *device, const spool_array_view *views, size_t n, spool_cancel *cancel,
                          spool_array **arrays, spool_error *error);

/*
 * Decodes n JPEG images by nvJPEG, each to uint8 [h w 3] of its own size, or of the size that the device's options ask for:
 * the device resizes and crops them, with the bytes that the host makes of the same pixels. The host decodes what nvJPEG does not take:
 * other formats, CMYK, and what the EXIF orientation turns. All arrays share one block of device memory, as those of
 * spool_device_copy do. The sources may go when it returns, while the device still works. The pixels are close to those
 * of the host, not equal.
 *
 * arrays has room for n results; that of an image that cannot be decoded is NULL. failures, if not NULL, then becomes
 * JSON as that of spool_decode_images, and otherwise NULL. Cancel may be NULL. Errors: SPOOL_OPTIONS, also after some
 * seconds if the caller holds the whole ring; SPOOL_DEVICE without nvJPEG; SPOOL_OUT_OF_MEMORY, SPOOL_CANCELED.
 */
int32_t spool_device_decode(spool_device *device, const spool_source *sources, size_t n, spool_cancel *cancel,
                            spool_array **arrays, spool_array **failures, spool_error *error);

/*
 * Counts the images of spool_device_decode as JSON: device, decoded there; host, decoded by the host, by reason;
 * failed; engine, whether the device has one for JPEG; nvjpeg, its version.
 */
int32_t spool_device_counts(spool_device *device, spool_array **json, spool_error *error);

/*
 * spool_video_decode to a device: pixels is on it. NVDEC decodes, and kernels make uint8 in NHWC, or floats in NCHW, at
 * the frames' own size; frames and everything else of the clip are as in spool_video_decode. What the device does not
 * decode, or what spec asks for beyond that, the host makes, and it is copied. why, if not NULL, is then the reason as
 * text, and is otherwise left as it is. 8-bit frames of even height have the bytes of profile exact. Errors: those of
 * spool_video_decode; SPOOL_OPTIONS after some seconds if the caller holds the whole ring; SPOOL_DEVICE.
 */
int32_t spool_video_decode_on(spool_video *video, spool_video_spec *spec, spool_device *device, const int64_t *frames,
                              size_t n, spool_cancel *cancel, spool_clip *clip, spool_array **why, spool_error *error);

/* Arrays on the device stay valid. */
void spool_device_close(spool_device *device);

#ifdef __cplusplus
}
#endif

#endif
