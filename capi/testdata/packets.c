/* Packets and filter graphs. The arguments are a video in H.264, an audio file, and an output folder. */
#include "check.h"

#include <math.h>

static const char *text(spool_array *json)
{
    spool_array_view view;
    spool_array_describe(json, &view);
    return view.data;
}

/* The table of packets is in decoding order, and payloads stay valid with the packets. */
static int64_t total(spool_packets *packets, int64_t *n, int32_t *outside)
{
    spool_array *list;
    spool_array_view view;
    int64_t bytes = 0, last = INT64_MIN;
    DO(spool_packets_list(packets, &list, &failure));
    spool_array_describe(list, &view);
    EXPECT(view.ndim == 2 && view.shape[1] == (int64_t)sizeof(spool_packet));
    const spool_packet *p = view.data;
    *n = view.shape[0];
    *outside = 0;
    EXPECT(*n > 0 && p->flags & SPOOL_PACKET_KEY);
    for (int64_t i = 0; i < *n; i++) {
        EXPECT(p[i].dts > last && p[i].pts >= p[i].dts && p[i].duration > 0 && p[i].size > 0);
        last = p[i].dts;
        bytes += p[i].size;
        *outside += (p[i].flags & SPOOL_PACKET_DISCARD) != 0;
        volatile unsigned char first = *(const unsigned char *)p[i].data;
        (void)first;
    }
    spool_array_release(list);
    return bytes;
}

static void read_packets(const char *video, const char *folder)
{
    spool_packets *packets, *window, *filtered, *again;
    spool_array *json, *saved;
    spool_array_view view;
    char path[4096], expected[64];
    int64_t n, few;
    int32_t outside;
    DO(spool_packets_read(&(spool_source){.path = video}, NULL, NULL, &packets, &failure));
    int64_t bytes = total(packets, &n, &outside);
    EXPECT(outside == 0);
    DO(spool_packets_info(packets, &json, &failure));
    snprintf(expected, sizeof expected, "\"bytes\":%lld,", (long long)bytes);
    EXPECT(strstr(text(json), expected) && strstr(text(json), "\"codec\":\"h264\"") &&
           strstr(text(json), "\"start_s\":null"));
    spool_array_release(json);

    DO(spool_packets_read(&(spool_source){.path = video}, "{\"start\": 0.6, \"end\": 0.9}", NULL, &window, &failure));
    total(window, &few, &outside);
    EXPECT(few < n && outside < few);
    spool_video_spec *spec;
    spool_video *opened;
    spool_clip clip;
    DO(spool_video_spec_new(NULL, &spec, &failure));
    DO(spool_video_open_packets(spec, window, NULL, &opened, &failure));
    spool_packets_release(window); /* the video stays valid */
    DO(spool_video_decode(opened, spec, NULL, 0, NULL, &clip, &failure));
    EXPECT(clip.view.shape[0] == few - outside);
    spool_array_release(clip.pixels);
    spool_array_release(clip.frames);
    spool_video_close(opened);

    DO(spool_packets_filter(packets, "h264_mp4toannexb", NULL, &filtered, &failure));
    EXPECT(total(filtered, &few, &outside) > bytes && few == n);
    REFUSED(SPOOL_OPTIONS, "options", spool_packets_filter(packets, "no_such", NULL, &again, &failure));
    REFUSED(SPOOL_UNSUPPORTED, "unsupported",
            spool_packets_filter(packets, "hevc_mp4toannexb", NULL, &again, &failure));

    DO(spool_packets_save(packets, &saved, &failure));
    spool_array_describe(saved, &view);
    DO(spool_packets_load(view.data, (size_t)view.size, &again, &failure));
    EXPECT(total(again, &few, &outside) == bytes && few == n);
    spool_packets_release(again);
    REFUSED(SPOOL_NOT_MEDIA, "not-media", spool_packets_load("nothing at all", 14, &again, &failure));
    spool_array_release(saved);

    snprintf(path, sizeof path, "%s/packets.mkv", folder);
    DO(spool_mux(path, (spool_packets *[]){packets, filtered}, 2, NULL, NULL, &failure));
    DO(spool_probe(&(spool_source){.path = path}, NULL, NULL, &json, &failure));
    EXPECT(strstr(text(json), "\"index\":1"));
    spool_array_release(json);
    REFUSED(SPOOL_OPTIONS, "options", spool_mux(path, NULL, 0, NULL, NULL, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_mux(path, &packets, 1, "{\"fromat\": \"mp4\"}", NULL, &failure));
    REFUSED(SPOOL_UNSUPPORTED, "unsupported", spool_mux(path, &packets, 1, "{\"format\": \"nut2\"}", NULL, &failure));
    spool_cancel *cancel;
    DO(spool_cancel_new(&cancel, &failure));
    DO(spool_cancel_set(cancel, &failure));
    REFUSED(SPOOL_CANCELED, "canceled", spool_mux(path, &packets, 1, NULL, cancel, &failure));
    spool_cancel_release(cancel);

    spool_packets_release(packets);
    REFUSED(SPOOL_CLOSED, "closed", spool_mux(path, &packets, 1, NULL, NULL, &failure));
    REFUSED(SPOOL_CLOSED, "closed", spool_packets_list(packets, &json, &failure));
    REFUSED(SPOOL_OPTIONS, "options",
            spool_packets_read(&(spool_source){.path = video}, "{\"start\": 2, \"end\": 1}", NULL, &packets, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_video_open_packets(spec, (spool_packets *)spec, NULL, &opened, &failure));
    spool_packets_release(filtered);
    spool_packets_release(NULL);
    spool_video_spec_release(spec);
}

static void filter(const char *video, const char *audio)
{
    spool_graph_input inputs[] = {{{.path = video}, "{\"label\": \"v\", \"end\": 0.5}"},
                                  {{.path = audio}, "{\"label\": \"a\", \"medium\": \"audio\"}"}};
    spool_graph *graph;
    spool_graph_output output;
    spool_array *json;
    spool_array_view view;
    int frames = 0;
    int64_t samples = 0;
    DO(spool_graph_open("[v]scale=32:24[small];[a]aresample=8000[low]", inputs, 2,
                        "{\"color\": \"gray\", \"layout\": \"tc\", \"dtype\": \"s16\"}", NULL, &graph, &failure));
    DO(spool_graph_info(graph, &json, &failure));
    const int low = strcmp(text(json), "{\"outputs\":[\"low\",\"small\"]}") == 0 ? 0 : 1; /* FFmpeg orders them */
    spool_array_release(json);
    for (;;) {
        int32_t status = spool_graph_next(graph, NULL, &output, &failure);
        if (status == SPOOL_END)
            break;
        EXPECT(status == SPOOL_OK && !isnan(output.pts));
        spool_array_describe(output.data, &view);
        if (output.video) {
            EXPECT(output.output == 1 - low && view.shape[0] == 24 && view.shape[1] == 32 && view.shape[2] == 1);
            frames++;
        } else {
            EXPECT(output.output == low && output.rate == 8000 && view.dtype_bits == 16);
            samples += view.shape[0];
        }
        spool_array_release(output.data);
    }
    EXPECT(frames > 0 && samples > 0);
    EXPECT(spool_graph_next(graph, NULL, &output, NULL) == SPOOL_END);
    spool_graph_close(graph);
    REFUSED(SPOOL_CLOSED, "closed", spool_graph_next(graph, NULL, &output, &failure));

    DO(spool_graph_open("testsrc2=size=32x24:rate=5:duration=1", NULL, 0, NULL, NULL, &graph, &failure));
    spool_graph_close(graph); /* with frames that were not taken */
    REFUSED(SPOOL_OPTIONS, "options", spool_graph_open("[v]frobnicate", inputs, 1, NULL, NULL, &graph, &failure));
    REFUSED(SPOOL_OPTIONS, "options", spool_graph_open("[v]null", inputs, 2, NULL, NULL, &graph, &failure));
    REFUSED(SPOOL_OPTIONS, "options",
            spool_graph_open("[v]null", inputs, 1, "{\"dtype\": \"s64\"}", NULL, &graph, &failure));
    inputs[0].source.path = "missing.mp4";
    REFUSED(SPOOL_NOT_FOUND, "not-found", spool_graph_open("[v]null", inputs, 1, NULL, NULL, &graph, &failure));
}

int main(int argc, char **argv)
{
    EXPECT(argc == 4);
    read_packets(argv[1], argv[3]);
    filter(argv[1], argv[2]);
    nothing_left();
    return 0;
}
