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
    tensors(argv[1]);
    spool_array *json;
    DO(spool_doctor(&json, &failure));
    EXPECT(strstr(text(json), "\"FFmpeg\":\"") && strstr(text(json), "\"formats\":{"));
    spool_array_release(json);
    nothing_left();
    return 0;
}
