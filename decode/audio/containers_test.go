package audio_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
)

// containerCase is a codec, and containers for it. Lossless codecs (exact) give the same integers in each.
type containerCase struct {
	codec      string
	arguments  []string
	rate       int
	exact      bool
	containers []string
}

var containerCases = []containerCase{
	{"mp3", []string{"-c:a", "libmp3lame", "-b:a", "96k"}, 44100, false,
		[]string{"mp3", "mkv", "mp4", "mov", "ts", "avi", "wav"}},
	{"aac", []string{"-c:a", "aac", "-b:a", "96k"}, 44100, false, []string{"m4a", "mov", "mkv", "ts", "aac", "avi"}},
	{"opus", []string{"-c:a", "libopus", "-b:a", "64k"}, 48000, false,
		[]string{"opus", "webm", "mka", "mp4", "ts", "caf"}},
	{"opus-voip", []string{"-c:a", "libopus", "-b:a", "16k", "-application", "voip", "-frame_duration", "60"}, 16000,
		false, []string{"ogg", "webm"}},
	{"vorbis", []string{"-c:a", "libvorbis", "-q:a", "2"}, 44100, false, []string{"ogg", "webm", "mkv", "mp4", "avi"}},
	{"speex", []string{"-c:a", "libspeex"}, 16000, false, []string{"ogg"}},
	{"flac", []string{"-c:a", "flac", "-strict", "-2"}, 44100, true, []string{"flac", "ogg", "mkv", "mp4"}},
	{"alac", []string{"-c:a", "alac"}, 44100, true, []string{"m4a", "mov", "mkv", "caf"}},
	{"ac3", []string{"-c:a", "ac3", "-b:a", "128k"}, 48000, false, []string{"ac3", "mkv", "mp4", "ts", "avi", "wav"}},
	{"mp2", []string{"-c:a", "mp2", "-b:a", "128k"}, 48000, false, []string{"mp2", "mkv", "ts", "mpg"}},
	{"wma", []string{"-c:a", "wmav2", "-b:a", "96k"}, 44100, false, []string{"wma", "mkv", "avi"}},
	{"pcm", []string{"-c:a", "pcm_s16le"}, 44100, true, []string{"wav", "w64", "mkv", "mov", "caf", "avi"}},
	{"mulaw", []string{"-c:a", "pcm_mulaw"}, 8000, true, []string{"wav", "mov", "mkv", "au"}},
	{"wavpack", []string{"-c:a", "wavpack"}, 44100, true, []string{"wv", "mkv"}},
}

// cuts are changes without re-encoding: a beginning that edit lists or time stamps skip, and shifted time stamps.
var cuts = map[string][]string{
	"begun":   {"-ss", "0.513"},
	"shifted": {"-itsoffset", "1.5"},
}

// Every codec in every container gives the samples of the ffmpeg command, begins at the time of the first decoded
// frame, and its windows equal the same range of the whole.
func TestAudioOfContainers(t *testing.T) {
	for _, tool := range []string{"ffmpeg", "ffprobe"} {
		need.Command(t, tool)
	}
	for i, k := range containerCases {
		if testing.Short() && i%10 != 1 {
			continue
		}
		folder := t.TempDir()
		var whole, cut, samples []conversion
		source := "anoisesrc=seed=5:amplitude=0.3:duration=2:sample_rate=" + strconv.Itoa(k.rate)
		for _, container := range short.Some(k.containers, 6) {
			output := slices.Concat(k.arguments, []string{"-bitexact"})
			whole = append(whole, conversion{[]string{"-f", "lavfi", "-i", source}, output,
				filepath.Join(folder, k.codec+"."+container)})
		}
		files := ffmpegMade(t, whole)
		for _, file := range files {
			for name, arguments := range cuts {
				input := slices.Concat(arguments, []string{"-i", file})
				cut = append(cut, conversion{input, []string{"-c", "copy", "-strict", "-2", "-bitexact"},
					filepath.Join(folder, name+"-"+filepath.Base(file))})
			}
		}
		files = append(files, ffmpegMade(t, cut)...)
		for _, file := range files {
			samples = append(samples, conversion{[]string{"-i", file}, []string{"-f", "f32le"}, file + ".samples"})
		}
		require.Len(t, ffmpegMade(t, samples), len(samples))
		for _, c := range append(whole, cut...) {
			t.Run(filepath.Base(c.path), func(t *testing.T) {
				if !slices.Contains(files, c.path) {
					need.Skip(t, need.System, "this FFmpeg does not make it")
				}
				compareWithFFmpeg(t, c.path, k.exact)
			})
		}
	}
}

// conversion is a file that the ffmpeg command makes from the audio of an input.
type conversion struct {
	input, output []string
	path          string
}

// ffmpegMade makes files by one run of the ffmpeg command, as starting it takes longer than one file. It returns those
// that were made.
func ffmpegMade(t testing.TB, conversions []conversion) (paths []string) {
	t.Helper()
	arguments := []string{"-v", "error", "-nostdin", "-y"}
	for _, c := range conversions {
		arguments = append(arguments, c.input...)
	}
	for i, c := range conversions {
		arguments = append(append(append(arguments, "-map", strconv.Itoa(i)+":a:0"), c.output...), c.path)
		paths = append(paths, c.path)
	}
	if exec.CommandContext(t.Context(), "ffmpeg", arguments...).Run() == nil {
		return paths
	}
	if len(conversions) == 1 {
		return nil
	}
	paths = nil
	for _, c := range conversions {
		paths = append(paths, ffmpegMade(t, []conversion{c})...)
	}
	return paths
}

// compareWithFFmpeg compares the audio of a file with the results of FFmpeg's commands.
func compareWithFFmpeg(t *testing.T, path string, exact bool) {
	d := decodetest.New(t, decoders.Options{})
	a := openAudio(t, d, path)
	info := a.Info()
	assert.InDelta(t, firstFrameTime(t, path), info.Start, 1e-6, "the first sample's time")
	all, report := readAudio[float32](t, a, audio.Spec{Layout: spool.TC, OnDamage: decode.MarkDamage})
	data, err := os.ReadFile(path + ".samples")
	require.NoError(t, err)
	want := numbers[float32](t, data)
	require.NotEmpty(t, want)
	if strings.HasPrefix(info.Format, "mov,") { // cut at the stream's duration; the command decodes the whole last packet
		require.InDelta(t, len(want), len(all), 2048)
		want = want[:min(int64(len(want)), info.Samples)]
	}
	require.Len(t, all, len(want))
	for i, v := range want {
		if d := math.Abs(float64(v - all[i])); exact && d != 0 || d > 1e-6 {
			require.Failf(t, "differs", "sample %d: %v, the command has %v", i, all[i], v)
		}
	}
	for _, jump := range []bool{false, true} {
		if jump && !a.Jump(-1) {
			continue // this codec or container is decoded from the beginning
		}
		windowsAreSlices(t, a, all, report)
	}
}

// windowsAreSlices reads windows at the beginning, in the middle, at the end and at random, with and without the
// container's clock.
func windowsAreSlices(t *testing.T, a *audio.Audio, all []float32, whole audio.Report) {
	n, channels, rate := whole.Samples, whole.Desc.Shape[1], float64(whole.Rate)
	for _, clock := range []bool{false, true} {
		check := func(start, end float64, first, last int) {
			spec := audio.Spec{Layout: spool.TC, Clock: clock, Start: start, End: end, OnDamage: decode.MarkDamage}
			if clock {
				spec.Start, spec.End = start+a.Info().Start, end+a.Info().Start
			}
			if spec.Start < 0 {
				return // negative times are invalid
			}
			got, report := readAudio[float32](t, a, spec)
			require.Equal(t, int64(first), report.First, "[%v, %v)", start, end)
			require.Equal(t, last-first, report.Samples, "[%v, %v)", start, end)
			same(t, all[first*channels:last*channels], got, "[%v, %v) clock %v", start, end, clock)
		}
		for _, w := range [][2]int{{0, 1}, {0, n / 3}, {n / 2, n/2 + 1}, {n / 2, n/2 + 5000}, {n - 1, n}, {n - 5000, n},
			{1, 2}, {n / 4, n}} {
			check(float64(w[0])/rate, float64(w[1])/rate, w[0], w[1])
		}
		windows(rand.New(rand.NewPCG(3, uint64(n))), whole.Rate, n, 6, check)
	}
}

// firstFrameTime is the time of the first frame that ffprobe decodes; 0 if it has no time.
func firstFrameTime(t testing.TB, path string) float64 {
	t.Helper()
	command := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-select_streams", "a:0", "-read_intervals",
		"%+2",
		"-show_entries", "frame=best_effort_timestamp_time", "-of", "json", path)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	require.NoError(t, err, complaint.String())
	var said struct {
		Frames []struct {
			Time string `json:"best_effort_timestamp_time"`
		}
	}
	require.NoError(t, json.Unmarshal(out, &said))
	require.NotEmpty(t, said.Frames)
	if said.Frames[0].Time == "" || said.Frames[0].Time == "N/A" {
		return 0
	}
	seconds, err := strconv.ParseFloat(said.Frames[0].Time, 64)
	require.NoError(t, err)
	return seconds
}

// The first sample of Opus in WebM is at 0, though its packet begins 7 ms earlier; windows are not late by that time.
func TestPrimingIsNotTime(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	a := openAudio(t, d, ours("opus.webm"))
	assert.Zero(t, a.Info().Start)
	all, report := readAudio[float32](t, a, audio.Spec{Layout: spool.TC})
	windowsAreSlices(t, a, all, report)
	got, _ := readAudio[float32](t, a, audio.Spec{Layout: spool.TC, Clock: true})
	same(t, all, got, "all by the clock")
}
