package audio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/internal/timing"
)

// ours is the path of one of the project's own audio files.
func ours(name string) string { return filepath.Join(media, "audio", name) }

// Each file gives the samples of the ffmpeg command, as floats and as integers. For MP4 the command returns the whole
// last packet, so that only the beginning is compared.
func TestAudioIsFFmpegs(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	files := short.Of(audioFiles(t), []string{ours("aac.m4a"), ours("flac.flac"), ours("s24.wav")})
	for _, name := range files {
		if damaged(name) {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			a := openAudio(t, d, name)
			compareAudio[float32](t, a, name, audio.Spec{Layout: spool.TC})
			if !strings.HasPrefix(name, media) {
				return // the command is slow
			}
			compareAudio[int16](t, a, name, audio.Spec{Layout: spool.TC, DType: spool.Int16})
			compareAudio[int32](t, a, name, audio.Spec{Layout: spool.TC, DType: spool.Int32})
		})
	}
}

func compareAudio[T float32 | int16 | int32](t *testing.T, a *audio.Audio, name string, spec audio.Spec) {
	t.Helper()
	want := ffmpegAudio[T](t, name)
	got, report := readAudio[T](t, a, spec)
	if filepath.Ext(name) == ".m4a" {
		require.LessOrEqual(t, len(got), len(want))
		want = want[:len(got)]
	}
	require.Len(t, got, len(want))
	channels := report.Desc.Shape[1]
	worst := 0.0
	for i, v := range want {
		worst = max(worst, float64(max(v, got[i]))-float64(min(v, got[i])))
	}
	limit := 0.0
	if _, integers := any(want).([]int32); integers && a.Info().Bits == 0 {
		limit = 128 // a float has 24 bits; the command's conversion to 32 rounds differently at full scale
	}
	assert.LessOrEqual(t, worst, limit, spec.DType)

	spec.Layout = spool.CT
	planar, _ := readAudio[T](t, a, spec)
	n := report.Samples
	for c := range channels {
		for i, v := range planar[c*n:][:n] {
			if v != got[i*channels+c] {
				t.Fatalf("sample %d of channel %d is %v planar and %v interleaved", i, c, v, got[i*channels+c])
			}
		}
	}
}

// Mixing to another number of channels gives the result of the command's -ac.
func TestChannelsAreFFmpegs(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	names := []string{"six.wav", "s16.wav", "mulaw.wav", "mp3.mp3", "flac.flac"}
	for _, name := range names[:short.Of(len(names), 2)] {
		for _, channels := range short.Some([]int{1, 2, 4, 6, 8}, 4) {
			t.Run(name+" "+strconv.Itoa(channels), func(t *testing.T) {
				a := openAudio(t, d, ours(name))
				floats, report := readAudio[float32](t, a, audio.Spec{Channels: channels, Layout: spool.TC})
				require.Equal(t, channels, report.Desc.Shape[1])
				want := ffmpegAudio[float32](t, ours(name), "-ac", strconv.Itoa(channels))
				require.Len(t, floats, len(want))
				assert.LessOrEqual(t, largest(want, floats), 1e-6)

				integers, _ := readAudio[int16](t, a, audio.Spec{Channels: channels, Layout: spool.TC, DType: spool.Int16})
				shorts := ffmpegAudio[int16](t, ours(name), "-ac", strconv.Itoa(channels))
				require.Len(t, integers, len(shorts))
				for i, v := range shorts {
					if d := int(v) - int(integers[i]); d < -1 || d > 1 {
						t.Fatalf("sample %d is %d, the command's %d", i, integers[i], v)
					}
				}
			})
		}
	}
}

// Length cuts or pads with silence, in all layouts and types.
func TestLength(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"s16.wav", "mp3.mp3"} {
		for _, spec := range []audio.Spec{{}, {Layout: spool.TC}, {DType: spool.Int16}, {Rate: 16000, Channels: 1},
			{Start: 0.05, End: 0.15, DType: spool.Int32}} {
			a := openAudio(t, d, ours(name))
			plain, err := a.Read(ctx, spec)
			require.NoError(t, err)
			n, channels := plain.Samples, a.Info().Channels
			if spec.Channels > 0 {
				channels = spec.Channels
			}
			for _, length := range []int{1, n - 1, n, n + 1, 2*n + 77} {
				t.Run(fmt.Sprintf("%s %v %d of %d", name, spec.DType, length, n), func(t *testing.T) {
					spec.Length = length
					s, err := a.Read(ctx, spec)
					require.NoError(t, err)
					defer s.Release()
					assert.Equal(t, min(n, length), s.Samples)
					assert.Equal(t, n > length, s.Cut)
					assert.Equal(t, plain.First, s.First)
					dst := bytes.Repeat([]byte{0xaa}, s.Len())
					report, err := a.ReadInto(ctx, dst, spec)
					require.NoError(t, err)
					assert.Equal(t, s.Report, report)
					assert.Equal(t, s.Bytes(), dst)

					size := s.Desc().DType.Size()
					at := func(b []byte, length, c, i int) []byte {
						if s.Desc().Layout == spool.TC {
							return b[(i*channels+c)*size:][:size]
						}
						return b[(c*length+i)*size:][:size]
					}
					for c := range channels {
						for i := range length {
							want := make([]byte, size)
							if i < n {
								want = at(plain.Bytes(), n, c, i)
							}
							if !bytes.Equal(want, at(s.Bytes(), length, c, i)) {
								t.Fatalf("sample %d of channel %d", i, c)
							}
						}
					}
				})
			}
			plain.Release()
		}
	}
}

// sources are a file's bytes as every kind of object.
func sources(t testing.TB, path string) map[string]spool.Object {
	data := decodetest.ReadFile(t, path)
	return map[string]spool.Object{
		"path":   spool.File(path),
		"data":   spool.Bytes{Data: data},
		"object": spool.NewObject(bytes.NewReader(data), spool.ObjectInfo{Size: int64(len(data))}),
		"stream": spool.Stream{Reader: io.MultiReader(bytes.NewReader(data))},
	}
}

// The samples do not depend on the kind of object, nor on reading in chunks.
func TestSourcesAndChunks(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range short.Some([]string{"s16.wav", "s24.wav", "mp3.mp3", "opus.opus", "vorbis.ogg", "flac.flac",
		"aac.mkv", "aac.aac", "mp3.ts", "truncated.wav"}, 3) {
		for _, spec := range []audio.Spec{{}, {Rate: 16000, Channels: 1},
			{Start: 0.03, Rate: 48000, DType: spool.Int16, Layout: spool.TC}, {End: 0.07}} {
			whole, err := openAudio(t, d, ours(name)).Read(ctx, spec)
			require.NoError(t, err)
			for source := range sources(t, ours(name)) {
				if source == "stream" && name == "mp3.mp3" && spec.End == 0 {
					continue // FFmpeg keeps the padding at the end of an MP3 that it cannot seek in
				}
				for _, n := range short.Some([]int{0, 1000, 333}, 2) {
					t.Run(fmt.Sprintf("%s %d %s %d", name, spec.Rate, source, n), func(t *testing.T) {
						a, err := d.Audios.Open(ctx, sources(t, ours(name))[source], audio.OpenOptions{})
						require.NoError(t, err)
						defer a.Close()
						if n == 0 {
							s, err := a.Read(ctx, spec)
							require.NoError(t, err)
							assert.Equal(t, whole.Report, s.Report)
							assert.True(t, bytes.Equal(whole.Bytes(), s.Bytes()))
							s.Release()
							return
						}
						compareChunks(t, a, n, spec, whole)
					})
				}
			}
			whole.Release()
		}
	}
}

// compareChunks compares the chunks with the whole.
func compareChunks(t *testing.T, a *audio.Audio, n int, spec audio.Spec, whole *audio.Samples) {
	t.Helper()
	at, step := 0, whole.Desc().DType.Size()
	channels := whole.Desc().Shape[0]
	if spec.Layout == spool.TC {
		channels = whole.Desc().Shape[1]
	}
	for part, err := range a.Chunks(ctx, n, spec) {
		require.NoError(t, err)
		require.Equal(t, min(n, whole.Samples-at), part.Samples)
		require.Equal(t, whole.First+int64(at), part.First)
		for c := range channels {
			want, got := whole.Bytes()[(c*whole.Samples+at)*step:], part.Bytes()[c*part.Samples*step:]
			length := part.Samples * step
			if spec.Layout == spool.TC {
				want, got, length = whole.Bytes()[at*channels*step:], part.Bytes(), part.Samples*step*channels
			}
			require.True(t, bytes.Equal(want[:length], got[:length]), "from sample %d", at)
		}
		at += part.Samples
		part.Release()
	}
	require.Equal(t, whole.Samples, at)
}

// A stream gives windows only in increasing order.
func TestStreamGoesForward(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"s16.wav", "mp3.mp3"} {
		all, report := readAudio[float32](t, openAudio(t, d, ours(name)), audio.Spec{})
		a, err := d.Audios.Open(ctx, sources(t, ours(name))["stream"], audio.OpenOptions{})
		require.NoError(t, err)
		rate := float64(report.Rate)
		for _, first := range []int{100, 300, 700} {
			got, report := readAudio[float32](t, a, audio.Spec{Start: float64(first) / rate, End: float64(first+100) / rate})
			require.Equal(t, int64(first), report.First)
			same(t, all[first:][:100], got[:100], "%s from %d", name, first)
		}
		_, err = a.Read(ctx, audio.Spec{})
		assert.ErrorIs(t, err, spool.ErrUnsupported, "what has passed is gone")
		require.NoError(t, a.Close())
	}
}

// Consecutive windows continue where the last one ended; a stream allows this at another sample rate, too.
func TestStreamOfWindows(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"s16.wav", "mp3.mp3", "opus.opus", "aac.aac"} {
		for _, spec := range []audio.Spec{{Channels: 1}, {Rate: 16000, Channels: 1}, {Rate: 48000, Channels: 1}} {
			all, report := readAudio[float32](t, openAudio(t, d, ours(name)), spec)
			a, err := d.Audios.Open(ctx, sources(t, ours(name))["stream"], audio.OpenOptions{})
			require.NoError(t, err)
			rate := float64(report.Rate)
			for first, length := 0, 10; first+length < report.Samples/2; first, length = first+length, length*2 {
				spec.Start, spec.End = float64(first)/rate, float64(first+length)/rate
				got, report := readAudio[float32](t, a, spec)
				require.Equal(t, int64(first), report.First)
				same(t, all[first:][:length], got, "%s at %d: %d from %d", name, report.Rate, length, first)
			}
			require.NoError(t, a.Close())
		}
	}
}

func TestWindowsOutside(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"s16.wav", "mp3.mp3", "aac.m4a"} {
		a := openAudio(t, d, ours(name))
		for _, rate := range []int{0, 16000} {
			for _, spec := range []audio.Spec{{Start: 100}, {Start: 100, End: 200}, {Start: 1, End: 1}, {Start: 0.1, End: 0.1}} {
				spec.Rate = rate
				s, err := a.Read(ctx, spec)
				require.NoError(t, err)
				assert.Zero(t, s.Samples, "%s %+v", name, spec)
				assert.Empty(t, s.Bytes())
				s.Release()
			}
			all, report := readAudio[float32](t, a, audio.Spec{Rate: rate})
			last, tail := readAudio[float32](t, a,
				audio.Spec{Rate: rate, Start: float64(report.Samples-3) / float64(report.Rate), End: 1000})
			assert.Equal(t, 3, tail.Samples)
			same(t, all[report.Samples-3:report.Samples], last[:3], "%s", name)
		}
	}
}

// With the container's clock the audio begins at the time of its first sample, with silence before it.
func TestClock(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, spec := range []audio.Spec{{}, {Rate: 16000, Channels: 1}, {Layout: spool.TC}} {
		a := openAudio(t, d, ours("mp3.mp3"))
		all, report := readAudio[float32](t, a, spec)
		lead := int(math.Round(a.Info().Start * float64(report.Rate)))
		require.Greater(t, lead, 100)
		n, channels := report.Samples, len(all)/report.Samples
		for _, w := range [][2]float64{{0, 0.01}, {0, 0.2}, {0.01, 0.3}, {0.2, 0.5}, {0.06, 0}, {0.02, 0}} {
			part := spec
			part.Clock, part.Start, part.End = true, w[0], w[1]
			got, report := readAudio[float32](t, a, part)
			first := int(report.First)
			assert.InDelta(t, w[0]*float64(report.Rate)-float64(lead), first, 1)
			length := n - first
			if w[1] > 0 {
				assert.InDelta(t, (w[1]-w[0])*float64(report.Rate), report.Samples, 1)
				length = report.Samples
			}
			require.Equal(t, length, report.Samples)
			for c := range channels {
				for i := range length {
					at, from := c*length+i, c*n+first+i
					if spec.Layout == spool.TC {
						at, from = i*channels+c, (first+i)*channels+c
					}
					want := float32(0)
					if first+i >= 0 {
						want = all[from]
					}
					if got[at] != want {
						t.Fatalf("%v: sample %d of channel %d", w, i, c)
					}
				}
			}
		}
	}
}

// A truncated file gives the samples that it has, and reports the damage.
func TestTruncatedAudio(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"truncated.wav", "truncated.flac", "truncated.mp3"} {
		whole, _ := readAudio[float32](t,
			openAudio(t, d, ours(map[string]string{"truncated.wav": "s16.wav", "truncated.flac": "flac.flac",
				"truncated.mp3": "mp3.mp3"}[name])), audio.Spec{Channels: 1})
		got, report := readAudio[float32](t, openAudio(t, d, ours(name)), audio.Spec{Channels: 1})
		assert.Greater(t, len(got), len(whole)/3, name)
		assert.Less(t, len(got), len(whole)*7/10, name)
		intact := len(got)
		if name == "truncated.mp3" {
			intact -= 1152 // the last packet is incomplete
		}
		same(t, whole[:intact], got[:intact], "%s", name)
		if name != "truncated.mp3" { // FFmpeg does not report this
			require.Len(t, report.Damage, 1, name)
			assert.InDelta(t, float64(report.Samples)/float64(report.Rate), report.Damage[0].PTS, 1e-9)
		}
	}
}

// Damage in the middle is an error, or silence if it is known how much is lost.
func TestDamagedAudio(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	a := openAudio(t, d, ours("damaged.m4a"))
	_, err := a.Read(ctx, audio.Spec{})
	require.ErrorIs(t, err, spool.ErrCorrupt)
	require.ErrorContains(t, err, "damaged.m4a")
	whole, want := readAudio[float32](t, openAudio(t, d, ours("aac.m4a")), audio.Spec{})
	got, report := readAudio[float32](t, a, audio.Spec{OnDamage: decode.MarkDamage})
	require.Equal(t, want.Samples, report.Samples)
	require.Len(t, report.Damage, 1)
	at := int(report.Damage[0].PTS*float64(report.Rate) + 0.5)
	assert.Equal(t, spool.ErrCorrupt, report.Damage[0].Class)
	same(t, whole[:at-1024], got[:at-1024], "before")
	same(t, whole[at+2048:report.Samples], got[at+2048:report.Samples], "behind")
	assert.True(t, slices.Equal(make([]float32, 1024), got[at:at+1024]), "silence in between")

	_, err = openAudio(t, d, ours("damaged.mka")).Read(ctx, audio.Spec{})
	require.ErrorIs(t, err, spool.ErrCorrupt)
	_, report = readAudio[float32](t, openAudio(t, d, ours("damaged.mka")), audio.Spec{OnDamage: decode.MarkDamage})
	assert.NotEmpty(t, report.Damage)
}

func TestOpenAudioRefuses(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	one := 1
	for _, tt := range []struct {
		name  string
		in    spool.Object
		o     audio.OpenOptions
		class error
	}{
		{"nothing there", spool.File(ours("none.wav")), audio.OpenOptions{}, spool.ErrNotFound},
		{"a folder", spool.File(media), audio.OpenOptions{}, spool.ErrNotAFile},
		{"nothing in it", spool.Bytes{Data: []byte{}}, audio.OpenOptions{}, spool.ErrEmpty},
		{"text", spool.Bytes{Data: []byte(strings.Repeat("no sound at all ", 100))}, audio.OpenOptions{}, spool.ErrNotMedia},
		{"no sound", spool.File(filepath.Join(media, "video", "bframes.mp4")), audio.OpenOptions{}, spool.ErrNotMedia},
		{"no such stream", spool.File(ours("mp3.mp3")), audio.OpenOptions{Stream: &one}, spool.ErrNoSuchFrame},
		{"no such stream of WAV", spool.File(ours("s16.wav")), audio.OpenOptions{Stream: &one}, spool.ErrNoSuchFrame},
		{"no such language", spool.File(ours("aac.m4a")), audio.OpenOptions{Language: "xyz"}, spool.ErrNoSuchFrame},
		{"no object", nil, audio.OpenOptions{}, spool.ErrOptions},
		{"no such decoder", spool.File(ours("mp3.mp3")), audio.OpenOptions{Codec: "none"}, spool.ErrOptions},
	} {
		_, err := d.Audios.Open(ctx, tt.in, tt.o)
		assert.ErrorIs(t, err, tt.class, tt.name)
	}
	a, err := d.Audios.Open(ctx, spool.File(filepath.Join(media, "video", "languages.mkv")),
		audio.OpenOptions{Language: "deu"})
	require.NoError(t, err)
	assert.Equal(t, "deu", a.Info().Language)
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	_, err = a.Read(ctx, audio.Spec{})
	assert.ErrorIs(t, err, spool.ErrClosed)
}

func TestAudioSpecValidate(t *testing.T) {
	bad := audio.Spec{Rate: -1, Channels: -1, DType: spool.Int64, Layout: spool.NHWC, Start: -1, End: -2, Length: -1,
		Quality:  9,
		OnDamage: decode.RepeatOnDamage}
	err := bad.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.Len(t, strings.Split(err.Error(), "\n"), 9)
	require.NoError(t, audio.Spec{}.Validate())
	desc, ok := audio.Spec{Channels: 2, Length: 10, Layout: spool.TC, DType: spool.Int16}.Sample()
	assert.True(t, ok)
	assert.Equal(t, "int16 TC [10 2]", desc.String())
	_, ok = audio.Spec{Channels: 2}.Sample()
	assert.False(t, ok)
	d := decodetest.New(t, decoders.Options{})
	a := openAudio(t, d, ours("s16.wav"))
	_, err = a.ReadInto(ctx, make([]byte, 8), audio.Spec{})
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = a.ReadInto(ctx, make([]byte, 8), audio.Spec{Length: 3})
	require.ErrorIs(t, err, spool.ErrShape)
}

// blockingReader is a reader that blocks after some bytes until block is closed.
type blockingReader struct {
	data  []byte
	block chan struct{}
}

func (e *blockingReader) Read(p []byte) (int, error) {
	if len(e.data) == 0 {
		<-e.block
		return 0, io.EOF
	}
	n := copy(p, e.data)
	e.data = e.data[n:]
	return n, nil
}

// A reader that does not return is abandoned, and the end of a context ends the call.
func TestAudioIsCancelled(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"s16.wav", "mp3.mp3"} {
		data := decodetest.ReadFile(t, ours(name))
		stuck := &blockingReader{data: append(bytes.Clone(data[:len(data)-100]), make([]byte, 0)...),
			block: make(chan struct{})}
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		begun := time.Now()
		a, err := d.Audios.Open(short, spool.Stream{Reader: stuck, Name: name}, audio.OpenOptions{})
		if err == nil {
			_, err = a.Read(short, audio.Spec{})
			require.NoError(t, a.Close())
		}
		require.ErrorIs(t, err, spool.ErrTimeout, name)
		require.ErrorContains(t, err, name)
		timing.Within(t, time.Since(begun), 2*time.Second, "a call whose time is over")
		close(stuck.block)
		cancel()

		ended, cancel := context.WithCancel(ctx)
		b := openAudio(t, d, ours(name))
		cancel()
		_, err = b.Read(ended, audio.Spec{Rate: 16000})
		require.ErrorIs(t, err, spool.ErrCanceled)
		_, err = d.Audios.Open(ended, spool.File(ours(name)), audio.OpenOptions{})
		require.ErrorIs(t, err, spool.ErrCanceled)
	}
}

// failingObject is an object whose reads fail.
type failingObject struct {
	name string
	error
}

func (f failingObject) ReadAt(context.Context, []byte, int64) (int, error) { return 0, f.error }
func (f failingObject) Info() spool.ObjectInfo {
	return spool.ObjectInfo{Name: f.name,
		Size: 1000}
}
func (failingObject) Close() error { return nil }

func TestAudioOfFailingObjects(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	broken := errors.New("the store is gone")
	_, err := d.Audios.Open(ctx, failingObject{"s3://x", broken}, audio.OpenOptions{})
	require.ErrorIs(t, err, spool.ErrIO)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "s3://x")
	_, err = d.Audios.Open(ctx, failingObject{"", os.ErrPermission}, audio.OpenOptions{})
	require.ErrorIs(t, err, spool.ErrPermission)
}

// A header's sample count is not trusted, and the memory limit holds.
func TestAudioLimits(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxMemory: 1 << 16}})
	_, err := openAudio(t, d, ours("mp3.mp3")).Read(ctx, audio.Spec{Rate: 384000})
	require.ErrorIs(t, err, spool.ErrTooLarge)
}
