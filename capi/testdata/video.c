/*
 * Videos. "decode" prints the info of a video and the frames that a spec selects, and writes their pixels. "calls"
 * makes valid and invalid calls on a video of 25 frames of 64 x 48.
 */
#include "check.h"

#include <pthread.h>

static void decode(const char *file, const char *json, const char *out)
{
    spool_video_spec *spec;
    spool_video *video;
    spool_array *info;
    spool_array_view view;
    spool_clip clip;
    DO(spool_video_spec_new(json, &spec, &failure));
    DO(spool_video_open(spec, &(spool_source){.path = file}, NULL, &video, &failure));
    DO(spool_video_info(video, &info, &failure));
    spool_array_describe(info, &view);
    printf("%s\n", (const char *)view.data);
    spool_array_release(info);
    DO(spool_video_decode(video, spec, NULL, 0, NULL, &clip, &failure));
    spool_video_close(video);
    spool_video_spec_release(spec);

    spool_array_describe(clip.frames, &view);
    EXPECT(view.ndim == 2 && view.shape[1] == sizeof(spool_frame) && view.size == view.shape[0] * view.shape[1]);
    const spool_frame *frames = view.data;
    for (int64_t i = 0; i < view.shape[0]; i++)
        printf("%d %.17g %.17g %d\n", (int)frames[i].index, frames[i].pts, frames[i].duration, frames[i].state);
    spool_array_describe(clip.pixels, &view);
    EXPECT(view.data == clip.view.data && view.size == clip.view.size && strcmp(view.layout, clip.view.layout) == 0);
    FILE *f = fopen(out, "wb");
    EXPECT(f && fwrite(view.data, 1, (size_t)view.size, f) == (size_t)view.size && fclose(f) == 0);
    spool_array_release(clip.frames);
    spool_array_release(clip.pixels);
    nothing_left();
}

static void release(spool_clip *clip)
{
    spool_array_release(clip->frames);
    spool_array_release(clip->pixels);
}

/* Bytes stay in the caller's memory, pixels are written to it, and frame numbers are in any order. */
static void memory(const char *file)
{
    static char data[1 << 20];
    FILE *f = fopen(file, "rb");
    EXPECT(f != NULL);
    spool_source source = {.data = data, .size = fread(data, 1, sizeof data, f)};
    fclose(f);
    spool_video_spec *spec;
    spool_video *video;
    spool_array *table;
    spool_array_view view;
    spool_clip clip, other;
    DO(spool_video_spec_new("", &spec, &failure));
    DO(spool_video_open(spec, &source, NULL, &video, &failure));

    DO(spool_video_frames(video, &table, &failure));
    spool_array_describe(table, &view);
    const spool_frame *frames = view.data;
    EXPECT(view.shape[0] == 25 && frames[0].key == 1 && frames[1].key == 0 && frames[24].index == 24);

    const int64_t wanted[] = {7, 0, 7};
    DO(spool_video_decode(video, spec, wanted, 3, NULL, &clip, &failure));
    EXPECT(clip.view.shape[0] == 3 && clip.view.shape[1] == 48 && clip.view.shape[2] == 64 && clip.decoded > 0);
    static unsigned char out[3 * 64 * 48 * 3 + 1]; /* one byte more, and unaligned */
    DO(spool_video_decode_into(video, spec, wanted, 3, NULL, out + 1, sizeof out - 1, &other, &failure));
    EXPECT(other.pixels == NULL && other.view.data == out + 1);
    EXPECT(memcmp(out + 1, clip.view.data, sizeof out - 1) == 0);
    EXPECT(memcmp(out + 1, out + 1 + 2 * 64 * 48 * 3, 64 * 48 * 3) == 0);
    release(&other);
    release(&clip);
    DO(spool_video_decode(video, spec, wanted, 0, NULL, &clip, &failure));
    EXPECT(clip.view.shape[0] == 0 && clip.view.shape[1] == 48);
    release(&clip);

    const int64_t beyond[] = {0, 25};
    REFUSED(SPOOL_NO_SUCH_FRAME, "no-such-frame", spool_video_decode(video, spec, beyond, 2, NULL, &clip, &failure));
    EXPECT(strstr(failure.text, "25"));
    REFUSED(SPOOL_SHAPE, "shape", spool_video_decode_into(video, spec, wanted, 3, NULL, out, 5, &clip, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_video_decode_into(video, spec, wanted, 3, NULL, NULL, 0, &clip, &failure));
    spool_array_release(table);
    spool_video_close(video);
    spool_video_spec_release(spec);
}

static void mistakes(const char *file)
{
    spool_video_spec *spec;
    spool_video *video;
    spool_array *array;
    spool_clip clip;
    spool_source source = {.path = file};
    REFUSED(SPOOL_OPTIONS, "options",
            spool_video_spec_new("{\"size\": \"0x1\", \"fps\": 3, \"sample\": 1, \"frames\": [1]}", &spec, &failure));
    EXPECT(strstr(failure.text, "size") && strstr(failure.text, "fps") && strstr(failure.text, "exclude"));
    DO(spool_video_spec_new("{\"max_pixels\": 100}", &spec, &failure));
    REFUSED(SPOOL_TOO_LARGE, "too-large", spool_video_open(spec, &source, NULL, &video, &failure));
    spool_video_spec_release(spec);
    REFUSED(SPOOL_CLOSED, "closed", spool_video_open(spec, &source, NULL, &video, &failure));

    DO(spool_video_spec_new(NULL, &spec, &failure));
    REFUSED(SPOOL_NOT_FOUND, "not-found",
            spool_video_open(spec, &(spool_source){.path = "none"}, NULL, &video, &failure));
    REFUSED(SPOOL_EMPTY, "empty", spool_video_open(spec, &(spool_source){.name = "x"}, NULL, &video, &failure));
    EXPECT(strcmp(failure.file, "x") == 0);
    REFUSED(SPOOL_OPTIONS, "options", spool_video_open(spec, NULL, NULL, &video, &failure));
    DO(spool_video_open(spec, &source, NULL, &video, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_video_info((spool_video *)spec, &array, &failure)); /* of another type */
    spool_cancel *cancel;
    DO(spool_cancel_new(&cancel, &failure));
    DO(spool_cancel_set(cancel, &failure));
    REFUSED(SPOOL_CANCELED, "canceled", spool_video_decode(video, spec, NULL, 0, cancel, &clip, &failure));
    spool_cancel_release(cancel);
    spool_video_close(video);
    spool_video_close(NULL);
    REFUSED(SPOOL_CLOSED, "closed", spool_video_frames(video, &array, &failure));
    spool_video_spec_release(spec);
}

static void *work(void *argument)
{
    void **handles = argument;
    spool_error told;
    spool_clip clip;
    int32_t status;
    for (int64_t i = 0;
         !(status = spool_video_decode(handles[0], handles[1], &(int64_t){i % 25}, 1, NULL, &clip, &told)); i++)
        release(&clip);
    EXPECT(status == SPOOL_CLOSED || status == SPOOL_CANCELED);
    return NULL;
}

/* A video may be closed while threads use it. Their calls fail. */
static void threads(const char *file)
{
    for (int round = 0; round < 10; round++) {
        spool_video_spec *spec;
        spool_video *video;
        pthread_t users[4];
        DO(spool_video_spec_new(NULL, &spec, &failure));
        DO(spool_video_open(spec, &(spool_source){.path = file}, NULL, &video, &failure));
        void *handles[] = {video, spec};
        for (int i = 0; i < 4; i++)
            EXPECT(pthread_create(&users[i], NULL, work, handles) == 0);
        spool_clip clip;
        DO(spool_video_decode(video, spec, NULL, 0, NULL, &clip, &failure));
        release(&clip);
        spool_video_close(video);
        for (int i = 0; i < 4; i++)
            pthread_join(users[i], NULL);
        spool_video_spec_release(spec);
    }
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "decode") == 0) {
        decode(argv[2], argv[3], argv[4]);
        return 0;
    }
    EXPECT(argc == 3 && strcmp(argv[1], "calls") == 0);
    memory(argv[2]);
    mistakes(argv[2]);
    threads(argv[2]);
    nothing_left();
    return 0;
}
