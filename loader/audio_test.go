package loader_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
)

// audioFiles lists good files of several formats from the test data.
func audioFiles(t testing.TB) *source.Listing {
	t.Helper()
	var names []string
	for _, name := range []string{"mp3.mp3", "aac.m4a", "s16.wav", "opus.opus", "flac.flac", "six.wav", "alaw.wav",
		"vorbis.ogg"} {
		names = append(names, filepath.Join(media, "audio", name))
	}
	return source.Files(names...)
}

// loadAudio is load for audio.
func loadAudio[T any](t testing.TB, src source.Source, o loader.AudioOptions, take func(*batch.Batch) T) (got []T,
	failed error) {
	t.Helper()
	ld, err := loader.Audio(src, o)
	require.NoError(t, err)
	return drain(t, ld, take)
}

// read returns a file's audio from the decoder alone.
func read(t testing.TB, name string, spec audio.Spec) ([]byte, audio.Report) {
	t.Helper()
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	a, err := d.Audios.Open(context.Background(), spool.File(name), audio.OpenOptions{})
	require.NoError(t, err)
	defer a.Close()
	samples, err := a.Read(context.Background(), spec)
	require.NoError(t, err)
	defer samples.Release()
	return bytes.Clone(samples.Bytes()), samples.Report
}

// Each sample of a batch has the decoder's audio, trimmed or padded with silence, and its length.
func TestAudioIsWhatTheDecoderGives(t *testing.T) {
	src := audioFiles(t)
	spec := audio.Spec{Rate: 8000, Channels: 2, Length: 6000}
	n, cut, padded := 0, 0, 0
	_, err := loadAudio(t, src, loader.AudioOptions{Spec: spec, Options: loader.Options{Batch: 3, Workers: 3}},
		func(b *batch.Batch) bool {
			require.Equal(t, spool.Desc{Shape: spool.Shape{b.Len(), 2, 6000}, DType: spool.Float32, Layout: spool.NCT}, b.Desc())
			for i, s := range b.Samples {
				want, report := read(t, src.Item(n).Name, spec)
				require.Equal(t, src.Item(n).Name, s.Name)
				require.Equal(t, report.Samples, s.Length)
				require.Equal(t, want, b.Slot(i), s.Name)
				if s.Length < 6000 {
					padded++
					require.Equal(t, make([]byte, 4*(6000-s.Length)), b.Slot(i)[4*s.Length:4*6000])
				} else {
					cut++
				}
				n++
			}
			return true
		})
	require.NoError(t, err)
	require.Equal(t, src.Len(), n)
	require.Positive(t, cut)
	require.Positive(t, padded)
}

// Without Length, each file is a batch, in the order of the files.
func TestWholeAudio(t *testing.T) {
	src := audioFiles(t)
	for _, workers := range []int{1, 5} {
		n := 0
		_, err := loadAudio(t, src, loader.AudioOptions{Spec: audio.Spec{Rate: 16000},
			Options: loader.Options{Workers: workers, Epochs: 2}}, func(b *batch.Batch) bool {
			want, report := read(t, src.Item(n%src.Len()).Name, audio.Spec{Rate: 16000})
			require.Equal(t, append(spool.Shape{1}, report.Desc.Shape...), b.Desc().Shape)
			require.Equal(t, want, b.Bytes())
			require.Equal(t, report.Samples, b.Samples[0].Length)
			require.Equal(t, []int{n / src.Len(), n % src.Len()}, []int{b.Epoch, b.Index})
			n++
			return true
		})
		require.NoError(t, err)
		require.Equal(t, 2*src.Len(), n)
	}
}

// A random window is the same for any number of workers, differs between epochs and seeds, and is part of the file's
// audio.
func TestRandomWindows(t *testing.T) {
	type taken struct {
		id     int64
		start  float64
		digest string
	}
	windows := func(seed uint64, workers int) []taken {
		got, err := loadAudio(t, audioFiles(t),
			loader.AudioOptions{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 400}, Random: true,
				Options: loader.Options{Epochs: 3, Seed: seed, Workers: workers, Batch: 5}},
			func(b *batch.Batch) (list []taken) {
				for i, s := range b.Samples {
					list = append(list, taken{s.ID, s.Start, fmt.Sprintf("%x", sha256.Sum256(b.Slot(i)))})
				}
				return list
			})
		require.NoError(t, err)
		return slices.Concat(got...)
	}
	one := windows(1, 1)
	require.Equal(t, one, windows(1, 7))
	require.NotEqual(t, one, windows(2, 1))
	starts := map[float64]bool{}
	for _, w := range one {
		if w.id == 0 {
			starts[w.start] = true
			want, _ := read(t, media+"/audio/mp3.mp3", audio.Spec{Rate: 8000, Channels: 1, Length: 400, Start: w.start})
			assert.Equal(t, fmt.Sprintf("%x", sha256.Sum256(want)), w.digest)
		}
	}
	require.Len(t, starts, 3)
}

// A bad file is skipped or replaced by silence.
func TestBadAudio(t *testing.T) {
	src := source.Files(media+"/audio/s16.wav", media+"/hard/bad/text.jpg", media+"/video/bframes.mp4", "nowhere.mp3",
		media+"/audio/mp3.mp3")
	for _, o := range []loader.AudioOptions{
		{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 100}},
		{Spec: audio.Spec{Rate: 8000}},
		{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 100, DType: spool.Int16},
			Options: loader.Options{OnError: loader.Placeholder}},
	} {
		var ledger pipe.MemoryLedger
		o.Failures.Ledger = &ledger
		good, silent := 0, 0
		_, err := loadAudio(t, src, o, func(b *batch.Batch) bool {
			for i, s := range b.Samples {
				if s.State == batch.Placeholder {
					silent++
					require.Equal(t, make([]byte, 200), b.Slot(i))
				} else {
					good++
				}
			}
			return true
		})
		require.NoError(t, err)
		require.Equal(t, 2, good)
		require.Len(t, ledger.Failures(), 3)
		if o.OnError == loader.Placeholder {
			require.Equal(t, 3, silent)
		}
	}
}

func TestAudioOptionsReportEverything(t *testing.T) {
	_, err := loader.Audio(audioFiles(t),
		loader.AudioOptions{Spec: audio.Spec{Rate: -1, Length: 5}, Options: loader.Options{Workers: -2, OnError: 7}})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, words := range []string{"Workers -2", "Rate -1", "set Spec.Rate and Spec.Channels", "OnError 7"} {
		require.ErrorContains(t, err, words)
	}
	_, err = loader.Audio(audioFiles(t),
		loader.AudioOptions{Random: true, Options: loader.Options{OnError: loader.Placeholder}})
	require.ErrorContains(t, err, "Random needs Spec.Length")
	_, err = loader.Audio(source.Files(), loader.AudioOptions{})
	require.ErrorIs(t, err, spool.ErrEmpty)
}
