package audio_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
)

// openAudio opens an audio file for the duration of a test.
func openAudio(t testing.TB, d *decoders.Set, path string) *audio.Audio {
	t.Helper()
	a, err := d.Audios.Open(ctx, spool.File(path), audio.OpenOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

// readAudio decodes audio to numbers.
func readAudio[T float32 | int16 | int32](t testing.TB, a *audio.Audio, spec audio.Spec) ([]T, audio.Report) {
	t.Helper()
	s, err := a.Read(ctx, spec)
	require.NoError(t, err)
	defer s.Release()
	require.Equal(t, s.Report.Desc, s.Buffer.Desc())
	return numbers[T](t, s.Bytes()), s.Report
}

func numbers[T float32 | int16 | int32](t testing.TB, b []byte) []T {
	t.Helper()
	var zero T
	values := make([]T, len(b)/binary.Size(zero))
	_, err := binary.Decode(b, binary.NativeEndian, values)
	require.NoError(t, err)
	return values
}

// ffmpegAudio is a file as decoded by the ffmpeg command, interleaved.
func ffmpegAudio[T float32 | int16 | int32](t testing.TB, path string, arguments ...string) []T {
	t.Helper()
	ffmpeg := need.Command(t, "ffmpeg")
	var zero T
	format := map[any]string{float32(0): "f32le", int16(0): "s16le", int32(0): "s32le"}[any(zero)]
	var complaint bytes.Buffer
	command := exec.CommandContext(t.Context(), ffmpeg,
		append(append([]string{"-v", "error", "-i", path}, arguments...), "-f", format, "-")...)
	command.Stderr = &complaint
	out, err := command.Output()
	require.NoError(t, err, complaint.String())
	return numbers[T](t, out)
}

// expectedAudioFiles are the results of torchcodec for the shared media: the first quarter of a second, and the first
// half at 16 kHz in mono.
func expectedAudioFiles(t testing.TB) map[string]expectedAudio {
	text, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var index map[string]struct{ Audio *expectedAudio }
	require.NoError(t, json.Unmarshal(text, &index))
	all := map[string]expectedAudio{}
	for name, file := range index {
		if file.Audio != nil {
			all[name] = *file.Audio
		}
	}
	require.NotEmpty(t, all)
	return all
}

type expectedAudio struct {
	Rate        int
	Shape       []int
	NPY         string
	Mono16kNPY  string `json:"mono16k_npy"`
	Mono16Shape []int  `json:"mono16k_shape"`
}

// npyFloats reads a NumPy file with a two-dimensional array of float32.
func npyFloats(t testing.TB, name string) []float32 {
	t.Helper()
	data := decodetest.ReadFile(t, shared, "expected", name)
	header := int(binary.LittleEndian.Uint16(data[8:]))
	require.Contains(t, string(data[:10+header]), "'<f4'")
	return numbers[float32](t, data[10+header:])
}

func TestExpectedAudio(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name, want := range expectedAudioFiles(t) {
		t.Run(name, func(t *testing.T) {
			a := openAudio(t, d, filepath.Join(shared, name))
			got, report := readAudio[float32](t, a, audio.Spec{})
			channels, n := want.Shape[0], want.Shape[1]
			if name == "audio/a.m4a" {
				n -= 480 // torchcodec returns more than the stream's duration
			}
			assert.Equal(t, spool.Desc{Shape: spool.Shape{channels, n}, DType: spool.Float32, Layout: spool.CT}, report.Desc)
			assert.Equal(t, want.Rate, report.Rate)
			reference := npyFloats(t, want.NPY)
			k := len(reference) / channels
			for c := range channels {
				assert.LessOrEqual(t, largest(reference[c*k:][:k], got[c*n:][:k]), 1e-3, "channel %d", c)
			}

			got, report = readAudio[float32](t, a, audio.Spec{Rate: 16000, Channels: 1})
			assert.Equal(t, (n*16000+want.Rate-1)/want.Rate, report.Samples, "rounded up")
			if name != "audio/a.m4a" { // libswresample's result may be one sample shorter
				assert.InDelta(t, want.Mono16Shape[1], report.Samples, 1)
			}
			reference = npyFloats(t, want.Mono16kNPY)
			assert.LessOrEqual(t, rms(reference, got[:len(reference)]), 3e-3)
		})
	}
}

func largest(a, b []float32) (d float64) {
	for i, v := range a {
		d = max(d, math.Abs(float64(v-b[i])))
	}
	return d
}

func rms(a, b []float32) (sum float64) {
	for i, v := range a {
		sum += float64(v-b[i]) * float64(v-b[i])
	}
	return math.Sqrt(sum / float64(len(a)))
}

// Closing the handle during Chunks ends the loop with an error.
func TestCloseEndsChunks(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"s16.wav", "flac.flac", "mp3.mp3"} {
		a, err := d.Audios.Open(ctx, spool.File(filepath.Join(media, "audio", name)), audio.OpenOptions{})
		require.NoError(t, err)
		var last error
		for part, err := range a.Chunks(ctx, 100, audio.Spec{Rate: 11025}) {
			if last = err; err == nil {
				part.Release()
				require.NoError(t, a.Close())
			}
		}
		assert.ErrorIs(t, last, spool.ErrClosed)
	}
}
