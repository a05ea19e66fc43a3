/* Probe, encode, doctor, tensors. The arguments are a photo, a video and an output folder. */
#include "check.h"

#include "../../cbridge/dlpack/dlpack.h"

static const char *text(spool_array *json)
{
    spool_array_view view;
    spool_array_describe(json, &view);
    EXPECT(view.ndim == 1 && view.dtype_bits == 8 && strlen(view.data) == (size_t)view.size);
    return view.data;
}

static void probe(const char *photo, const char *video)
{
    spool_array *json;
    DO(spool_probe(&(spool_source){.path = photo}, NULL, NULL, &json, &failure));
    EXPECT(strstr(text(json), "\"kind\":\"image\"") && strstr(text(json), photo));
    spool_array_release(json);
    DO(spool_probe(&(spool_source){.path = video}, "", NULL, &json, &failure));
    EXPECT(strstr(text(json), "\"kind\":\"video\"") && strstr(text(json), "\"streams\":["));
    spool_array_release(json);
    REFUSED(
        SPOOL_NOT_MEDIA, "not-media",
        spool_probe(&(spool_source){.data = "nothing at all", .size = 14, .name = "x"}, NULL, NULL, &json, &failure));
    EXPECT(strcmp(failure.file, "x") == 0);
    REFUSED(SPOOL_TOO_LARGE, "too-large",
            spool_probe(&(spool_source){.path = photo}, "{\"max_pixels\": 4}", NULL, &json, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_probe(&(spool_source){.path = photo}, "{\"a\": 4}", NULL, &json, &failure));
}

static void list(const char *photo)
{
    const char *sources[] = {photo, photo};
    spool_listing listing;
    spool_array_view view;
    DO(spool_list(sources, 2, NULL, NULL, &listing, &failure));
    EXPECT(listing.count == 2);
    spool_array_describe(listing.names, &view);
    size_t length = strlen(photo) + 1;
    EXPECT((size_t)view.size == 2 * length && strcmp(view.data, photo) == 0);
    EXPECT(strcmp((const char *)view.data + length, photo) == 0);
    spool_array_describe(listing.keys, &view);
    EXPECT(view.size == 2 && ((const char *)view.data)[0] == 0 && ((const char *)view.data)[1] == 0);
    spool_array_describe(listing.labels, &view);
    EXPECT(view.ndim == 1 && view.shape[0] == 2 && view.dtype_code == SPOOL_INT && view.dtype_bits == 64);
    EXPECT(((const int64_t *)view.data)[1] == -1);
    spool_array_describe(listing.sizes, &view);
    EXPECT(view.shape[0] == 2 && ((const int64_t *)view.data)[0] == -1);
    EXPECT(strstr(text(listing.info), "\"classes\":"));
    spool_listing_release(&listing);
    EXPECT(listing.names == NULL);
    spool_listing_release(&listing);

    REFUSED(SPOOL_OPTIONS, "options", spool_list(sources, 0, NULL, NULL, &listing, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_list(sources, 1, "{\"kind\": \"films\"}", NULL, &listing, &failure));
    sources[1] = "nowhere";
    REFUSED(SPOOL_NOT_FOUND, "not-found", spool_list(sources, 2, "", NULL, &listing, &failure));
    spool_cancel *cancel;
    DO(spool_cancel_new(&cancel, &failure));
    DO(spool_cancel_set(cancel, &failure));
    REFUSED(SPOOL_CANCELED, "canceled", spool_list(sources, 1, NULL, cancel, &listing, &failure));
    spool_cancel_release(cancel);
}

static void encode(const char *photo, const char *folder)
{
    spool_image_spec *spec;
    spool_array *pixels, *file, *again;
    spool_array_view view, bytes, second;
    DO(spool_image_spec_new(NULL, &spec, &failure));
    DO(spool_decode_image(spec, &(spool_source){.path = photo}, NULL, &pixels, NULL, &failure));
    spool_array_describe(pixels, &view);

    DO(spool_encode_image(&view, "{\"format\": \"png\", \"effort\": 1}", NULL, &file, &failure));
    spool_array_describe(file, &bytes);
    spool_source memory = {.data = bytes.data, .size = (size_t)bytes.size};
    DO(spool_decode_image(spec, &memory, NULL, &again, NULL, &failure));
    spool_array_describe(again, &second);
    EXPECT(second.size == view.size && memcmp(second.data, view.data, (size_t)view.size) == 0);
    spool_array_release(again);
    spool_array_release(file);

    char path[4096];
    snprintf(path, sizeof path, "%s/out.webp", folder);
    DO(spool_write_image(path, &view, "{\"lossless\": true, \"effort\": 1}", NULL, &failure));
    DO(spool_decode_image(spec, &(spool_source){.path = path}, NULL, &again, NULL, &failure));
    spool_array_describe(again, &second);
    EXPECT(second.size == view.size && memcmp(second.data, view.data, (size_t)view.size) == 0);
    spool_array_release(again);
    snprintf(path, sizeof path, "%s/out.xyz", folder);
    REFUSED(SPOOL_UNSUPPORTED, "unsupported", spool_write_image(path, &view, NULL, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_write_image(NULL, &view, NULL, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_encode_image(&view, NULL, NULL, &file, &failure)); /* no format */
    REFUSED(SPOOL_OPTIONS, "options",
            spool_encode_image(&view, "{\"format\": \"png\", \"quality\": 3}", NULL, &file, &failure));

    second = view;
    second.strides[0]++;
    REFUSED(SPOOL_SHAPE, "shape", spool_encode_image(&second, "{\"format\": \"jpeg\"}", NULL, &file, &failure));
    second = view;
    second.size--;
    REFUSED(SPOOL_SHAPE, "shape", spool_encode_image(&second, "{\"format\": \"jpeg\"}", NULL, &file, &failure));
    second = view;
    second.ndim = 9;
    REFUSED(SPOOL_SHAPE, "shape", spool_encode_image(&second, "{\"format\": \"jpeg\"}", NULL, &file, &failure));
    second = view;
    second.dtype_bits = 12;
    REFUSED(SPOOL_SHAPE, "shape", spool_encode_image(&second, "{\"format\": \"jpeg\"}", NULL, &file, &failure));
    second = view;
    second.shape[0] = -view.shape[0];
    second.shape[1] = -view.shape[1];
    REFUSED(SPOOL_SHAPE, "shape", spool_encode_image(&second, "{\"format\": \"jpeg\"}", NULL, &file, &failure));
    REFUSED(SPOOL_SHAPE, "shape", spool_encode_image(NULL, "{\"format\": \"jpeg\"}", NULL, &file, &failure));
    spool_array_release(pixels);
    spool_image_spec_release(spec);
}

static void write(const char *video, const char *folder)
{
    spool_writer *writer;
    spool_array *file;
    spool_array_view view, bytes;
    unsigned char pixels[2 * 8 * 8 * 3];
    int16_t samples[2 * 100] = {0};
    memset(pixels, 7, sizeof pixels);
    const char *options = "{\"size\": [8, 8], \"codec\": \"ffv1\", \"codec_option\": {\"level\": 3}, \"rate\": 8000,"
                          " \"channels\": 2, \"dtype\": \"s16\", \"audio_codec\": \"flac\", \"format\": \"matroska\"}";
    DO(spool_writer_open(NULL, options, NULL, &writer, &failure));
    view = (spool_array_view){.data = pixels,
                              .size = sizeof pixels,
                              .dtype_code = SPOOL_UINT,
                              .dtype_bits = 8,
                              .device_type = SPOOL_CPU,
                              .ndim = 4,
                              .shape = {2, 8, 8, 3},
                              .strides = {192, 24, 3, 1}};
    DO(spool_writer_frames(writer, &view, NULL, NULL, &failure));
    view.shape[1] = 7;
    view.size -= 2 * 24;
    REFUSED(SPOOL_SHAPE, "shape", spool_writer_frames(writer, &view, NULL, NULL, &failure));
    view = (spool_array_view){.data = samples,
                              .size = sizeof samples,
                              .dtype_code = SPOOL_INT,
                              .dtype_bits = 16,
                              .device_type = SPOOL_CPU,
                              .ndim = 2,
                              .shape = {2, 100},
                              .strides = {100, 1}};
    DO(spool_writer_samples(writer, &view, NULL, &failure));
    DO(spool_writer_finish(writer, NULL, &file, &failure));
    REFUSED(SPOOL_CLOSED, "closed", spool_writer_samples(writer, &view, NULL, &failure));
    spool_writer_close(writer);
    REFUSED(SPOOL_CLOSED, "closed", spool_writer_samples(writer, &view, NULL, &failure));
    spool_array_describe(file, &bytes);
    spool_source memory = {.data = bytes.data, .size = (size_t)bytes.size};
    spool_array *json;
    DO(spool_probe(&memory, NULL, NULL, &json, &failure));
    EXPECT(strstr(text(json), "\"ffv1\"") && strstr(text(json), "\"flac\""));
    spool_array_release(json);
    spool_array_release(file);

    char path[4096];
    snprintf(path, sizeof path, "%s/a.mkv", folder);
    DO(spool_writer_open(path, "{\"size\": \"8x8\", \"codec\": \"ffv1\", \"timed\": true}", NULL, &writer, &failure));
    view = (spool_array_view){.data = pixels,
                              .size = 192,
                              .dtype_code = SPOOL_UINT,
                              .dtype_bits = 8,
                              .device_type = SPOOL_CPU,
                              .ndim = 3,
                              .shape = {8, 8, 3},
                              .strides = {24, 3, 1}};
    double seconds = 0.5;
    DO(spool_writer_frames(writer, &view, &seconds, NULL, &failure));
    DO(spool_writer_finish(writer, NULL, &file, &failure));
    EXPECT(file == NULL);
    spool_writer_close(writer);
    REFUSED(SPOOL_OPTIONS, "options", spool_writer_open(NULL, "{\"size\": \"8x8\"}", NULL, &writer, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_writer_open(path, "{}", NULL, &writer, &failure));

    snprintf(path, sizeof path, "%s/b.mkv", folder);
    DO(spool_remux(path, &(spool_source){.path = video}, NULL, NULL, &failure));
    DO(spool_probe(&(spool_source){.path = path}, NULL, NULL, &json, &failure));
    EXPECT(strstr(text(json), "\"kind\":\"video\""));
    spool_array_release(json);
    REFUSED(SPOOL_OPTIONS, "options",
            spool_remux(path, &(spool_source){.path = video}, "{\"start\": 2, \"end\": 1}", NULL, &failure));
    REFUSED(SPOOL_NOT_FOUND, "not-found", spool_remux(path, &(spool_source){.path = "nowhere"}, "", NULL, &failure));
}

static void tensors(const char *photo)
{
    spool_image_spec *spec;
    spool_array *pixels;
    spool_array_view view;
    DO(spool_image_spec_new("{\"layout\": \"nchw\", \"dtype\": \"float16\"}", &spec, &failure));
    DO(spool_decode_image(spec, &(spool_source){.path = photo}, NULL, &pixels, NULL, &failure));
    spool_image_spec_release(spec);
    spool_array_describe(pixels, &view);

    void *made;
    DO(spool_array_dlpack(pixels, 0, 0, &made, &failure));
    DLManagedTensor *tensor = made;
    DO(spool_array_dlpack(pixels, 1, 1, &made, &failure));
    DLManagedTensorVersioned *versioned = made;
    spool_array_release(pixels); /* the tensors keep it */
    EXPECT(tensor->dl_tensor.data == view.data && versioned->dl_tensor.data == view.data);
    EXPECT(tensor->dl_tensor.ndim == 3 && tensor->dl_tensor.dtype.code == kDLFloat &&
           tensor->dl_tensor.dtype.bits == 16);
    EXPECT(memcmp(tensor->dl_tensor.shape, view.shape, 3 * sizeof *view.shape) == 0);
    EXPECT(memcmp(tensor->dl_tensor.strides, view.strides, 3 * sizeof *view.strides) == 0);
    EXPECT(tensor->dl_tensor.device.device_type == kDLCPU && tensor->dl_tensor.byte_offset == 0);
    EXPECT(versioned->version.major == 1 && versioned->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
    EXPECT(stat_of("arrays") == 1);
    tensor->deleter(tensor);
    EXPECT(stat_of("arrays") == 1);
    versioned->deleter(versioned);
}

int main(int argc, char **argv)
{
    EXPECT(argc == 4);
    probe(argv[1], argv[2]);
    list(argv[1]);
    encode(argv[1], argv[3]);
    write(argv[2], argv[3]);
    tensors(argv[1]);
    spool_array *json;
    DO(spool_doctor(&json, &failure));
    EXPECT(strstr(text(json), "\"FFmpeg\":\"") && strstr(text(json), "\"formats\":{"));
    spool_array_release(json);
    nothing_left();
    return 0;
}
