/* Decodes windows of a WAV file with 16-bit samples. */
#include "check.h"

#include <math.h>

static void windows(const char *file)
{
    spool_audio_spec *spec;
    spool_audio *audio;
    spool_array *info;
    spool_array_view view, part;
    spool_audio_samples whole, window;
    DO(spool_audio_spec_new("{\"dtype\": \"s16\", \"layout\": \"tc\"}", &spec, &failure));
    DO(spool_audio_open(spec, &(spool_source){.path = file}, NULL, &audio, &failure));
    DO(spool_audio_info(audio, &info, &failure));
    spool_array_describe(info, &view);
    EXPECT(strstr(view.data, "\"codec\":\"pcm_s16le\"") && strstr(view.data, "\"rate\":8000") &&
           strstr(view.data, "\"channels\":2") && strstr(view.data, "\"exact\":true"));
    spool_array_release(info);

    DO(spool_audio_decode(audio, spec, NULL, NULL, &whole, &failure));
    spool_array_describe(whole.samples, &view);
    EXPECT(whole.rate == 8000 && whole.first == 0 && whole.damaged == 0);
    EXPECT(view.ndim == 2 && view.shape[1] == 2 && view.dtype_bits == 16 && strcmp(view.layout, "TC") == 0);
    const int64_t n = view.shape[0];
    EXPECT(n == 1600);

    const struct {
        double start, end;
        int64_t first, n;
    } wanted[] = {{0, 0.05, 0, 400},    {0.05, INFINITY, 400, n - 400}, {0, INFINITY, 0, n}, {0, 0, 0, 0},
                  {0.05, 0.05, 400, 0}, {0.15, 9, 1200, n - 1200},      {5, 6, 40000, 0},    {0.1, 0.10025, 800, 2}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const double bounds[] = {wanted[i].start, wanted[i].end};
        DO(spool_audio_decode(audio, spec, bounds, NULL, &window, &failure));
        spool_array_describe(window.samples, &part);
        EXPECT(part.shape[0] == wanted[i].n && part.shape[1] == 2 && window.first == wanted[i].first);
        EXPECT(wanted[i].n == 0 ||
               memcmp(part.data, (const char *)view.data + 4 * wanted[i].first, (size_t)part.size) == 0);
        spool_array_release(window.samples);
    }
    spool_array_release(whole.samples);

    const double wrong[][2] = {{1, 0.5}, {-1, 1}, {NAN, 1}, {0, NAN}, {INFINITY, INFINITY}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        REFUSED(SPOOL_OPTIONS, "options", spool_audio_decode(audio, spec, wrong[i], NULL, &window, &failure));
    spool_cancel *cancel;
    DO(spool_cancel_new(&cancel, &failure));
    DO(spool_cancel_set(cancel, &failure));
    REFUSED(SPOOL_CANCELED, "canceled", spool_audio_decode(audio, spec, NULL, cancel, &window, &failure));
    spool_cancel_release(cancel);
    spool_audio_close(audio);
    spool_audio_close(NULL);
    REFUSED(SPOOL_CLOSED, "closed", spool_audio_decode(audio, spec, NULL, NULL, &window, &failure));
    spool_audio_spec_release(spec);
}

static void mistakes(const char *file, const char *silent)
{
    spool_audio_spec *spec;
    spool_audio *audio;
    REFUSED(SPOOL_OPTIONS, "options", spool_audio_spec_new("{\"rate\": 0, \"volume\": 2}", &spec, &failure));
    EXPECT(strstr(failure.text, "rate") && strstr(failure.text, "volume"));
    DO(spool_audio_spec_new("", &spec, &failure));
    REFUSED(SPOOL_NOT_MEDIA, "not-media",
            spool_audio_open(spec, &(spool_source){.path = silent}, NULL, &audio, &failure));
    EXPECT(strcmp(failure.file, silent) == 0);
    REFUSED(
        SPOOL_NOT_MEDIA, "not-media",
        spool_audio_open(spec, &(spool_source){.data = "no sound", .size = 8, .name = "x"}, NULL, &audio, &failure));
    EXPECT(strcmp(failure.file, "x") == 0);
    spool_audio_spec_release(spec);
    DO(spool_audio_spec_new("{\"stream\": 3}", &spec, &failure));
    REFUSED(SPOOL_NO_SUCH_FRAME, "no-such-frame",
            spool_audio_open(spec, &(spool_source){.path = file}, NULL, &audio, &failure));
    spool_audio_spec_release(spec);
}

int main(int argc, char **argv)
{
    EXPECT(argc == 3);
    windows(argv[1]);
    mistakes(argv[1], argv[2]);
    nothing_left();
    return 0;
}
