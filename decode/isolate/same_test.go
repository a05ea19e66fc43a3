package isolate_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

func isolation(t testing.TB, which decode.Isolate, processes int) decode.Isolation {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return decode.Isolation{Which: which, Helper: self, Processes: processes}
}

// TestFilterFiles checks that filters of helpers open no files, and say so.
func TestFilterFiles(t *testing.T) {
	isolated, here := both(t)
	table := filepath.Join(t.TempDir(), "black.cube")
	require.NoError(t, os.WriteFile(table, []byte("LUT_3D_SIZE 2\n"+strings.Repeat("0 0 0\n", 8)), 0o600))
	spec := video.Spec{Filters: "lut3d=file=" + table, FilterFiles: true}
	v := decodetest.OpenVideo(t, here, spool.File(media+"/video/bframes.mp4"), video.OpenOptions{})
	decodetest.Frames(t, v, []int{3}, spec)
	v = decodetest.OpenVideo(t, isolated, spool.File(media+"/video/bframes.mp4"), video.OpenOptions{})
	_, err := v.Frames(t.Context(), []int{3}, spec)
	require.ErrorIs(t, err, spool.ErrOptions)
	require.ErrorContains(t, err, "helpers open no files")
}

// both returns decoders that use helpers, and decoders that do not.
func both(t testing.TB) (isolated, here *decoders.Set) {
	t.Helper()
	return decodetest.New(t, decoders.Options{Isolate: isolation(t, decode.IsolateAll, 1)}),
		decodetest.New(t, decoders.Options{})
}

// filesIn are the files of the project's media and, unless the tests are short, of the shared media.
func filesIn(t testing.TB, folders ...string) (files []string) {
	t.Helper()
	for _, folder := range folders {
		for _, root := range []string{media, shared} {
			if root == shared && testing.Short() {
				continue
			}
			_ = filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
				if err == nil && entry.Type().IsRegular() {
					files = append(files, path)
				}
				return nil // shared media may be missing
			})
		}
	}
	require.NotEmpty(t, files)
	return files
}

// sameError compares errors, and reports whether there are none.
func sameError(t *testing.T, name string, want, got error) bool {
	t.Helper()
	if want == nil {
		return assert.NoError(t, got, name)
	}
	if assert.Error(t, got, name) {
		assert.Equal(t, want.Error(), got.Error(), name)
		assert.Equal(t, spool.ClassOf(want), spool.ClassOf(got), name)
	}
	return false
}

// sameClip compares clips, and releases them. Work depends on the path of the bytes.
func sameClip(t *testing.T, name string, want, got *video.Clip, wantErr, err error) {
	t.Helper()
	if sameError(t, name, wantErr, err) {
		assert.Equal(t, want.Desc(), got.Desc(), name)
		assert.True(t, bytes.Equal(want.Bytes(), got.Bytes()), "pixels of %s", name)
		want.Work, got.Work = video.Work{}, video.Work{}
		assert.Equal(t, fmt.Sprintf("%+v", want.Report), fmt.Sprintf("%+v", got.Report), name) // NaN equals itself
	}
	for _, c := range []*video.Clip{want, got} {
		if c != nil {
			c.Release()
		}
	}
}

// videoSpecs have each kind of result, damage, and functions.
func videoSpecs() []video.Spec {
	return []video.Spec{
		{OnDamage: decode.RepeatOnDamage},
		{Resize: resize.Spec{Width: 64, Height: 48, Profile: resize.Fast}, DType: spool.Float32, Layout: spool.CHW,
			Mean: []float32{0.4}, Std: []float32{0.2}},
		{OnDamage: decode.MarkDamage, Fill: &decode.RGB8{R: 1},
			Draw: func(width, height int) (resize.Spec, error) {
				return resize.Spec{Width: 32, Height: 24, FlipX: true, Box: resize.Rect{Width: width / 2, Height: height / 2}}, nil
			},
			Adjust: func(int, int) []augment.Step {
				return []augment.Step{{Kind: augment.StepInvert}, {Kind: augment.StepHue, Value: 0.1}}
			}},
		{Planes: video.SemiPlanar},
		{Filters: "hflip,crop=16:16", Chroma: video.BilinearChroma},
	}
}

// TestVideosAreTheSame decodes all videos of the test media, the damaged ones too, in a helper and here.
func TestVideosAreTheSame(t *testing.T) {
	isolated, here := both(t)
	count := 0
	for _, file := range short.Some(filesIn(t, "video", "hard"), 4) {
		want, wantErr := here.Videos.Open(t.Context(), spool.File(file), video.OpenOptions{NoIndex: true})
		got, err := isolated.Videos.Open(t.Context(), spool.File(file), video.OpenOptions{NoIndex: true})
		if !sameError(t, file, wantErr, err) {
			count++
			continue
		}
		assert.Equal(t, want.Info(), got.Info(), file)
		assert.Equal(t, want.Index(), got.Index(), file)
		n := want.Len()
		for i, spec := range videoSpecs() {
			for _, frames := range [][]int{{0}, {n - 1, 0, n / 2, n / 2, n / 3}, {n}} {
				a, wantErr := want.Frames(t.Context(), frames, spec)
				b, err := got.Frames(t.Context(), frames, spec)
				sameClip(t, fmt.Sprintf("%s, spec %d, frames %v", file, i, frames), a, b, wantErr, err)
				count++
			}
		}
		assert.Equal(t, want.Info(), got.Info(), file)
		require.NoError(t, want.Close())
		require.NoError(t, got.Close())
		require.NoError(t, got.Close())
		_, err = got.Frames(t.Context(), []int{0}, video.Spec{})
		require.ErrorIs(t, err, spool.ErrClosed)
	}
	t.Log(count, "results compared")
}

// TestChunksAreTheSame reads all frames of videos, two videos in turn, so that the helper opens each anew.
func TestChunksAreTheSame(t *testing.T) {
	isolated, here := both(t)
	files := filesIn(t, "video")
	for i, file := range files {
		if testing.Short() && i%8 > 0 {
			continue
		}
		want, err := here.Videos.Open(t.Context(), spool.File(file), video.OpenOptions{})
		if err != nil {
			continue // the test before compares the errors
		}
		other, err := isolated.Videos.Open(t.Context(), spool.File(media+"/video/vfr.mp4"), video.OpenOptions{})
		require.NoError(t, err)
		got, err := isolated.Videos.Open(t.Context(), spool.File(file), video.OpenOptions{})
		require.NoError(t, err)
		spec := video.Spec{Resize: resize.Spec{Width: 64, Height: 48}, OnDamage: decode.MarkDamage}
		var all [2][]byte
		for k, v := range []*video.Video{want, got} {
			for clip, err := range v.Chunks(t.Context(), 40, spec) {
				require.NoError(t, err, file)
				all[k] = append(all[k], clip.Bytes()...)
				clip.Release()
				if k == 1 && len(all[k])%3 == 0 {
					clip, err := other.Frames(t.Context(), []int{0}, spec)
					require.NoError(t, err)
					clip.Release()
				}
			}
		}
		assert.True(t, bytes.Equal(all[0], all[1]), file)
		for _, v := range []*video.Video{want, got, other} {
			require.NoError(t, v.Close())
		}
	}
}

// TestGatherIsTheSame has several requests of two videos, good and bad ones, from bytes and with a known index.
func TestGatherIsTheSame(t *testing.T) {
	isolated, here := both(t)
	file := media + "/video/bframes.mp4"
	var answers [2][]video.Answer
	var results [2][][]byte
	for k, d := range []*decoders.Set{here, isolated} {
		first, err := d.Videos.Open(t.Context(), spool.File(file), video.OpenOptions{})
		require.NoError(t, err)
		second, err := d.Videos.Open(t.Context(), spool.Bytes{Data: decodetest.ReadFile(t, file)},
			video.OpenOptions{Index: first.Index()})
		require.NoError(t, err)
		var requests []video.Request
		for i, v := range []*video.Video{first, second, first, first} {
			spec := video.Spec{Resize: resize.Spec{Width: 16 + i, Height: 16}}
			if i == 2 {
				spec.Resize.Profile = resize.Fast
			}
			r := video.Request{Video: v, Frames: []int{i, 3, 7}, Spec: spec, Dst: make([]byte, 3*(16+i)*16*3)}
			if i == 3 {
				r.Frames = []int{1 << 20, 0, 0}
			}
			requests = append(requests, r)
			results[k] = append(results[k], r.Dst)
		}
		answers[k] = video.Gather(t.Context(), requests)
		require.NoError(t, first.Close())
		require.NoError(t, second.Close())
	}
	for i := range answers[0] {
		want, got := answers[0][i], answers[1][i]
		if sameError(t, fmt.Sprint(i), want.Err, got.Err) {
			assert.Equal(t, want.Report.Frames, got.Report.Frames)
			assert.Equal(t, results[0][i], results[1][i])
		}
	}
}

// TestAudioIsTheSame decodes all audio of the test media in a helper and here.
func TestAudioIsTheSame(t *testing.T) {
	isolated, here := both(t)
	count := 0
	for _, file := range short.Some(filesIn(t, "audio", "hard", "video"), 4) {
		want, wantErr := here.Audios.Open(t.Context(), spool.File(file), audio.OpenOptions{})
		got, err := isolated.Audios.Open(t.Context(), spool.File(file), audio.OpenOptions{})
		count++
		if !sameError(t, file, wantErr, err) {
			continue
		}
		for i, spec := range []audio.Spec{{}, {Rate: 16000, Channels: 1, DType: spool.Int16, Layout: spool.TC},
			{Start: 0.1, End: 0.5, OnDamage: decode.MarkDamage}, {Start: 1e6}, {Start: 2, End: 1}} {
			name := fmt.Sprintf("%s, spec %d", file, i)
			a, wantErr := want.Read(t.Context(), spec)
			b, err := got.Read(t.Context(), spec)
			sameSamples(t, name, a, b, wantErr, err)
			count++
		}
		assert.Equal(t, want.Info(), got.Info(), file)
		assert.Equal(t, want.Trace(), got.Trace(), file)
		into := audio.Spec{Rate: 8000, Channels: 1, Length: 1000, Start: 0.05, OnDamage: decode.MarkDamage}
		x, y := make([]byte, 4000), make([]byte, 4000)
		_, wantErr = want.ReadInto(t.Context(), x, into)
		_, err = got.ReadInto(t.Context(), y, into)
		if sameError(t, file, wantErr, err) {
			assert.True(t, bytes.Equal(x, y), file)
		}
		_, err = got.ReadInto(t.Context(), y[1:], into)
		require.ErrorIs(t, err, spool.ErrShape)
		wantN, _ := want.Expected(into)
		n, err := got.Expected(into)
		require.NoError(t, err)
		assert.Equal(t, wantN, n)
		require.NoError(t, want.Close())
		require.NoError(t, got.Close())
		_, err = got.Read(t.Context(), audio.Spec{})
		require.ErrorIs(t, err, spool.ErrClosed)
	}
	assert.Equal(t, here.Audios.FLAC(), isolated.Audios.FLAC())
	t.Log(count, "results compared")
}

func sameSamples(t *testing.T, name string, want, got *audio.Samples, wantErr, err error) {
	t.Helper()
	if sameError(t, name, wantErr, err) {
		assert.True(t, bytes.Equal(want.Bytes(), got.Bytes()), "samples of %s", name)
		for _, r := range []*audio.Report{&want.Report, &got.Report} {
			for i := range r.Damage {
				if math.IsNaN(r.Damage[i].PTS) {
					r.Damage[i].PTS = -1
				}
			}
		}
		assert.Equal(t, want.Report, got.Report, name)
	}
	for _, s := range []*audio.Samples{want, got} {
		if s != nil {
			s.Release()
		}
	}
}

// TestAudioChunksAreTheSame reads audio in chunks, while the helper is asked for other audio.
func TestAudioChunksAreTheSame(t *testing.T) {
	isolated, here := both(t)
	for _, file := range filesIn(t, "audio") {
		want, wantErr := here.Audios.Open(t.Context(), spool.File(file), audio.OpenOptions{})
		if wantErr != nil {
			continue
		}
		got, err := isolated.Audios.Open(t.Context(), spool.File(file), audio.OpenOptions{})
		require.NoError(t, err)
		other, err := isolated.Audios.Open(t.Context(), spool.File(file), audio.OpenOptions{})
		require.NoError(t, err)
		spec := audio.Spec{Rate: 16000, End: 1.5, OnDamage: decode.MarkDamage}
		var all [2][]byte
		for k, a := range []*audio.Audio{want, got} {
			n := 0
			for part, err := range a.Chunks(t.Context(), 5000, spec) {
				require.NoError(t, err, file)
				all[k] = append(all[k], part.Bytes()...)
				part.Release()
				if n++; k == 1 && n == 2 {
					s, err := other.Read(t.Context(), audio.Spec{End: 0.1})
					require.NoError(t, err)
					s.Release()
				}
			}
		}
		assert.True(t, bytes.Equal(all[0], all[1]), file)
		for _, a := range []*audio.Audio{want, got, other} {
			require.NoError(t, a.Close())
		}
	}
}
