package audio_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/short"
)

// flacFiles are all available FLAC files.
func flacFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{filepath.Join(media, "audio/*.flac"), filepath.Join(shared, "*/*.flac")} {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, some...)
	}
	require.NotEmpty(t, files)
	return files
}

// flacEngines are a decoder with our FLAC engine, and one without.
func flacEngines(t testing.TB, limits decode.Limits) (own, ffmpeg *decoders.Set) {
	return decodetest.New(t, decoders.Options{Limits: limits}), decodetest.New(t,
		decoders.Options{Limits: limits, FLAC: audio.FLACFFmpeg})
}

// audioBytes is a result as bytes.
func audioBytes(t testing.TB, a *audio.Audio, spec audio.Spec) ([]byte, audio.Report) {
	t.Helper()
	s, err := a.Read(ctx, spec)
	require.NoError(t, err)
	defer s.Release()
	return bytes.Clone(s.Bytes()), s.Report
}

// Both engines give the same information and the same samples for each file.
func TestFLACEngines(t *testing.T) {
	own, ffmpeg := flacEngines(t, decode.Limits{})
	for _, name := range flacFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, b := openAudio(t, own, name), openAudio(t, ffmpeg, name)
			assert.Equal(t, b.Info(), a.Info())
			assert.Equal(t, "own", a.Trace().Engine)
			for _, spec := range []audio.Spec{{}, {DType: spool.Int16}, {DType: spool.Int32, Layout: spool.TC},
				{Rate: 16000, Channels: 1}} {
				spec.OnDamage = decode.MarkDamage
				ours, report := audioBytes(t, a, spec)
				theirs, other := audioBytes(t, b, spec)
				assert.Equal(t, other, report)
				assert.True(t, bytes.Equal(theirs, ours), "%v", spec)
			}
		})
	}
	counts := own.Audios.FLAC()
	assert.Positive(t, counts.Own)
	assert.EqualValues(t, 1, counts.Left["end"], "the truncated file: %v", counts)
	assert.Zero(t, ffmpeg.Audios.FLAC().Own)
}

// Distant windows are found by the sample numbers in frame headers, and equal the same range of the whole.
func TestFLACWindows(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	count := short.Of(100, 10)
	for _, name := range flacFiles(t) {
		if damaged(name) || filepath.Base(name) == "truncated.flac" {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			for source, in := range sources(t, name) {
				if source == "stream" {
					continue
				}
				a, err := d.Audios.Open(ctx, in, audio.OpenOptions{})
				require.NoError(t, err)
				all, report := readAudio[float32](t, a, audio.Spec{})
				n := report.Samples
				windows(rand.New(rand.NewPCG(3, uint64(n))), report.Rate, n, count, func(start, end float64, first, last int) {
					got, report := readAudio[float32](t, a, audio.Spec{Start: start, End: end})
					require.Equal(t, last-first, report.Samples)
					for c := range report.Desc.Shape[0] {
						same(t, all[c*n:][first:last], got[c*(last-first):][:last-first], "%s, [%v, %v)", source, start, end)
					}
				})
				require.NoError(t, a.Close())
			}
		})
	}
	assert.Zero(t, d.Audios.FLAC().FFmpeg)
}

// After FFmpeg has taken over, a handle continues with it for all windows.
func TestFLACDamageIsFFmpegs(t *testing.T) {
	own, ffmpeg := flacEngines(t, decode.Limits{})
	for _, name := range []string{"damaged.flac", "truncated.flac"} {
		a, b := openAudio(t, own, ours(name)), openAudio(t, ffmpeg, ours(name))
		spec := audio.Spec{OnDamage: decode.MarkDamage}
		all, report := audioBytes(t, b, spec)
		var parts []byte
		for part, err := range a.Chunks(ctx, 100, audio.Spec{OnDamage: decode.MarkDamage, Layout: spool.TC}) {
			require.NoError(t, err)
			parts = append(parts, part.Bytes()...)
			part.Release()
		}
		assert.Len(t, parts, len(all))
		assert.Equal(t, audio.Trace{Engine: "ffmpeg",
			Reason: map[string]string{"damaged.flac": "header", "truncated.flac": "end"}[name]}, a.Trace())
		assert.Equal(t, audio.Trace{Engine: "ffmpeg"}, b.Trace())
		again, second := audioBytes(t, a, spec)
		assert.True(t, bytes.Equal(all, again))
		assert.Equal(t, report, second)
	}
}

// For any bytes, both engines give the same samples and find the same damage, or return the same class of error.
func FuzzFLACEngines(f *testing.F) {
	own, ffmpeg := flacEngines(f, fuzzLimits)
	mutate.Fuzz(f, flacSeeds(f), func(t testing.TB, data []byte, knobs uint64) {
		if knobs&2 != 0 {
			data = mutate.Sealed(data)
		}
		flacSame(t, own, ffmpeg, data, decode.Damage(knobs&1))
	})
}
