package decode_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/mutate"
)

// flacFiles are all FLAC files at hand.
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

// flacEngines are a decoder with our engine for FLAC, and one without.
func flacEngines(t testing.TB, limits decode.Limits) (own, ffmpeg *decode.Decoder) {
	return newDecoder(t, decode.Options{Limits: limits}), newDecoder(t, decode.Options{Limits: limits, FLAC: decode.FLACFFmpeg})
}

// soundBytes is a result as it lies in memory.
func soundBytes(t testing.TB, a *decode.Audio, spec decode.AudioSpec) ([]byte, decode.SoundReport) {
	t.Helper()
	s, err := a.Read(ctx, spec)
	require.NoError(t, err)
	defer s.Release()
	return bytes.Clone(s.Bytes()), s.SoundReport
}

// Both engines say and give the same of each file.
func TestFLACEngines(t *testing.T) {
	own, ffmpeg := flacEngines(t, decode.Limits{})
	for _, name := range flacFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, b := openAudio(t, own, name), openAudio(t, ffmpeg, name)
			assert.Equal(t, b.Info(), a.Info())
			assert.Equal(t, "own", a.Road().Engine)
			for _, spec := range []decode.AudioSpec{{}, {DType: spool.Int16}, {DType: spool.Int32, Layout: spool.TC}, {Rate: 16000, Channels: 1}} {
				spec.OnDamage = decode.MarkDamage
				ours, report := soundBytes(t, a, spec)
				theirs, other := soundBytes(t, b, spec)
				assert.Equal(t, other, report)
				assert.True(t, bytes.Equal(theirs, ours), "%v", spec)
			}
		})
	}
	counts := own.FLAC()
	assert.Positive(t, counts.Own)
	assert.EqualValues(t, 1, counts.Left["end"], "the truncated file: %v", counts)
	assert.Zero(t, ffmpeg.FLAC().Own)
}

// Windows far from the front are found by the numbers in the frames, and are that part of the whole.
func TestFLACWindows(t *testing.T) {
	d := newDecoder(t, decode.Options{})
	for _, name := range flacFiles(t) {
		if damaged(name) || filepath.Base(name) == "truncated.flac" {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			for source, in := range sources(t, name) {
				if source == "stream" {
					continue
				}
				a, err := d.OpenAudio(ctx, in, decode.AudioOptions{})
				require.NoError(t, err)
				all, report := sound[float32](t, a, decode.AudioSpec{})
				n := report.Samples
				windows(rand.New(rand.NewPCG(3, uint64(n))), report.Rate, n, 100, func(start, end float64, first, last int) {
					got, report := sound[float32](t, a, decode.AudioSpec{Start: start, End: end})
					require.Equal(t, last-first, report.Samples)
					for c := range report.Desc.Shape[0] {
						same(t, all[c*n:][first:last], got[c*(last-first):][:last-first], "%s, [%v, %v)", source, start, end)
					}
				})
				require.NoError(t, a.Close())
			}
		})
	}
	assert.Zero(t, d.FLAC().FFmpeg)
}

// A handle that FFmpeg has taken over goes on with it, wherever its windows are.
func TestFLACDamageIsFFmpegs(t *testing.T) {
	own, ffmpeg := flacEngines(t, decode.Limits{})
	for _, name := range []string{"damaged.flac", "truncated.flac"} {
		a, b := openAudio(t, own, ours(name)), openAudio(t, ffmpeg, ours(name))
		spec := decode.AudioSpec{OnDamage: decode.MarkDamage}
		all, report := soundBytes(t, b, spec)
		var parts []byte
		for part, err := range a.Chunks(ctx, 100, decode.AudioSpec{OnDamage: decode.MarkDamage, Layout: spool.TC}) {
			require.NoError(t, err)
			parts = append(parts, part.Bytes()...)
			part.Release()
		}
		assert.Len(t, parts, len(all))
		assert.Equal(t, decode.AudioRoad{Engine: "ffmpeg", Reason: map[string]string{"damaged.flac": "header", "truncated.flac": "end"}[name]}, a.Road())
		assert.Equal(t, decode.AudioRoad{Engine: "ffmpeg"}, b.Road())
		again, second := soundBytes(t, a, spec)
		assert.True(t, bytes.Equal(all, again))
		assert.Equal(t, report, second)
	}
}

// Whatever the bytes: both engines give the same samples and find the same damage, or have the same class of error.
func FuzzFLACEngines(f *testing.F) {
	own, ffmpeg := flacEngines(f, fuzzLimits)
	mutate.Fuzz(f, flacSeeds(f), func(t testing.TB, data []byte, knobs uint64) {
		if knobs&2 != 0 {
			data = bytes.Clone(data)
			mendFLAC(data)
		}
		flacSame(t, own, ffmpeg, data, decode.Damage(knobs&1))
	})
}
