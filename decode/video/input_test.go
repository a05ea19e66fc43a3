package video_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/timing"
)

// forward hides all methods of a reader but Read.
type forward struct{ io.Reader }

// A video is the same from a path, from memory, from an object, and as a stream, which is read once and forwards.
func TestVideoInputs(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"bframes.mp4", "bframes.ts", "av1.mkv", "altref.webm", "raw.h264", "opengop.mp4",
		"interlaced.mp4", "edited.mp4"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(media, "video", name)
			data := decodetest.ReadFile(t, path)
			v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
			want, states := whole(t, v, small)
			for _, in := range []spool.Object{spool.Bytes{Data: data},
				spool.NewObject(bytes.NewReader(data), spool.ObjectInfo{Size: int64(len(data))})} {
				other := decodetest.OpenVideo(t, d, in, video.OpenOptions{})
				got, _ := whole(t, other, small)
				require.Equal(t, want, got)
				assert.Equal(t, v.Index().Packets, other.Index().Packets)
			}
			if name == "edited.mp4" || name == "bframes.mp4" { // the index at the end cannot be reached
				return
			}
			stream := decodetest.OpenVideo(t, d, spool.Stream{Reader: forward{bytes.NewReader(data)}}, video.OpenOptions{})
			assert.Zero(t, stream.Len())
			assert.Nil(t, stream.Index())
			_, err := stream.Frames(ctx, []int{0}, small)
			require.ErrorIs(t, err, spool.ErrUnsupported)
			got, came := whole(t, stream, small)
			require.Len(t, got, len(want))
			for n := range want {
				require.Equal(t, want[n], got[n], "frame %d", n)
			}
			assert.Equal(t, states, came)
			for _, err := range stream.Chunks(ctx, 4, small) {
				require.ErrorIs(t, err, spool.ErrUnsupported, "a stream is read once")
			}
		})
	}
}

// Probe gives the same for a path, for memory and for an object; it refuses a stream.
func TestProbeInputs(t *testing.T) {
	for _, name := range []string{"video/bframes.mp4", "video/opengop.mp4", "audio/mp3.mp3", "audio/s16.wav",
		"photos/animal/00.jpg", "hard/bad/bomb.png", "hard/bad/text.jpg"} {
		path := filepath.Join(media, name)
		data := decodetest.ReadFile(t, path)
		want, failed := probe.Probe(ctx, spool.File(path), decode.Limits{})
		for _, in := range []spool.Object{spool.Bytes{Data: data, Name: path},
			spool.NewObject(bytes.NewReader(data), spool.ObjectInfo{Name: path, Size: int64(len(data))})} {
			got, err := probe.Probe(ctx, in, decode.Limits{})
			assert.Equal(t, want, got, name)
			assert.Equal(t, spool.ClassOf(failed), spool.ClassOf(err), name)
			if failed != nil {
				assert.EqualError(t, err, failed.Error())
			}
		}
	}
	for _, in := range []spool.Object{nil, spool.Stream{}, spool.Stream{Reader: forward{}}} {
		_, err := probe.Probe(ctx, in, decode.Limits{})
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
	_, err := probe.Probe(ctx, spool.Bytes{Data: []byte{}, Name: "none"}, decode.Limits{})
	assert.ErrorIs(t, err, spool.ErrEmpty)
	gone := spool.NewObject(bytes.NewReader(nil), spool.ObjectInfo{Name: "gone", Size: 10})
	_, err = probe.Probe(ctx, gone, decode.Limits{})
	assert.ErrorIs(t, err, spool.ErrIO)
}

// Times of a stream's frames are those of its index.
func TestStreamTimes(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	path := filepath.Join(media, "video", "bframes.ts")
	v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
	stream := decodetest.OpenVideo(t, d, spool.Stream{Reader: forward{bytes.NewReader(decodetest.ReadFile(t, path))}},
		video.OpenOptions{})
	n := 0
	for clip, err := range stream.Chunks(ctx, 7, small) {
		require.NoError(t, err)
		assert.LessOrEqual(t, len(clip.Frames), 7)
		require.Equal(t, clip.Report.Desc, clip.Buffer.Desc())
		for _, f := range clip.Frames {
			assert.Equal(t, n, f.Index)
			assert.InDelta(t, v.Index().Time(n), f.PTS, 1e-9)
			assert.InDelta(t, v.Index().Duration(n), f.Duration, 1e-9)
			n++
		}
		clip.Release()
	}
	assert.Equal(t, v.Len(), n)
}

// A saved index is found, and gives the same frames; an index that does not fit the file is not used.
func TestSavedIndex(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"bframes.mp4", "altref.webm", "bframes.ts", "raw.h264", "mpeg4.avi", "opengop.mp4",
		"languages.mkv"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			data := decodetest.ReadFile(t, media, "video", name)
			require.NoError(t, os.WriteFile(path, data, 0o600))
			v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
			assert.False(t, v.Info().Saved)
			want, _ := whole(t, v, small)

			beside, err := v.SaveIndex("")
			require.NoError(t, err)
			assert.Equal(t, path+".spoolidx", beside)
			elsewhere, err := v.SaveIndex(filepath.Join(dir, "in", "dices"))
			require.NoError(t, err)
			for _, o := range []video.OpenOptions{{}, {IndexDir: filepath.Dir(elsewhere)}, {Index: v.Index(), NoIndex: true}} {
				saved := decodetest.OpenVideo(t, d, spool.File(path), o)
				require.True(t, saved.Info().Saved, "%+v", o)
				was, is := v.Info(), saved.Info()
				was.Saved = true
				assert.Equal(t, was, is)
				got, _ := whole(t, saved, small)
				require.Equal(t, want, got)
				for n := v.Len() - 1; n >= 0; n -= 5 {
					one, _ := decodetest.Frames(t, saved, []int{n}, small)
					require.Equal(t, want[n], one, "frame %d", n)
				}
			}
			assert.False(t, decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{NoIndex: true}).Info().Saved)

			// Another time, another size, a damaged index.
			require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)))
			assert.False(t, decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{}).Info().Saved)
			require.NoError(t, os.WriteFile(beside, []byte("spoolidx rubbish"), 0o600))
			assert.False(t, decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{}).Info().Saved)
			other := append(bytes.Clone(data), 0)
			x, err := index.Unmarshal(must(v.Index().MarshalBinary()))
			require.NoError(t, err)
			assert.False(t, decodetest.OpenVideo(t, d, spool.Bytes{Data: other}, video.OpenOptions{Index: x}).Info().Saved)
		})
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Indices of data and of objects are distinguished by digest and version.
func TestIndexOfData(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, media, "video", "bframes.mp4")
	v := decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{})
	assert.True(t, decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{Index: v.Index()}).Info().Saved)
	object := func(version string) spool.Object {
		return spool.NewObject(bytes.NewReader(data), spool.ObjectInfo{Size: int64(len(data)), Version: version})
	}
	first := decodetest.OpenVideo(t, d, object("1"), video.OpenOptions{})
	assert.True(t, decodetest.OpenVideo(t, d, object("1"), video.OpenOptions{Index: first.Index()}).Info().Saved)
	assert.False(t, decodetest.OpenVideo(t, d, object("2"), video.OpenOptions{Index: first.Index()}).Info().Saved)
	assert.False(t, decodetest.OpenVideo(t, d, object(""), video.OpenOptions{Index: first.Index()}).Info().Saved)
	_, err := v.SaveIndex(t.TempDir())
	assert.ErrorIs(t, err, spool.ErrOptions)
}

func TestVideoStreams(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	in := spool.File(filepath.Join(media, "video", "languages.mkv"))
	number := func(n int) *int { return &n }
	best := decodetest.OpenVideo(t, d, in, video.OpenOptions{})
	assert.Equal(t, 1, best.Info().Stream, "the default one")
	assert.Equal(t, 0, decodetest.OpenVideo(t, d, in, video.OpenOptions{Stream: number(0)}).Info().Stream)
	assert.Equal(t, 1, decodetest.OpenVideo(t, d, in, video.OpenOptions{Language: "fra"}).Info().Stream)
	for _, o := range []video.OpenOptions{{Stream: number(2)}, {Stream: number(9)}, {Language: "nld"}} {
		_, err := d.Videos.Open(ctx, in, o)
		require.ErrorIs(t, err, spool.ErrNoSuchFrame)
		var e *spool.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, string(in), e.File)
	}
	// An index of one stream is not used for another.
	other := decodetest.OpenVideo(t, d, in, video.OpenOptions{Stream: number(0)})
	assert.False(t, decodetest.OpenVideo(t, d, in, video.OpenOptions{Index: other.Index()}).Info().Saved)
	assert.False(t, decodetest.OpenVideo(t, d, in,
		video.OpenOptions{Stream: number(1), Index: other.Index()}).Info().Saved)
	assert.True(t, decodetest.OpenVideo(t, d, in, video.OpenOptions{Stream: number(0), Index: other.Index()}).Info().Saved)
}

func TestVideoRefusals(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	small := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxPixels: 1000}})
	path := filepath.Join(media, "video", "bframes.mp4")
	for name, test := range map[string]struct {
		in    spool.Object
		o     video.OpenOptions
		class error
	}{
		"nothing":   {nil, video.OpenOptions{}, spool.ErrOptions},
		"no reader": {spool.Stream{}, video.OpenOptions{}, spool.ErrOptions},
		"threads":   {spool.File(path), video.OpenOptions{Threads: -1}, spool.ErrOptions},
		"not there": {spool.File(path + "x"), video.OpenOptions{}, spool.ErrNotFound},
		"a folder":  {spool.File(media), video.OpenOptions{}, spool.ErrNotAFile},
		"empty":     {spool.Bytes{Data: []byte{}}, video.OpenOptions{}, spool.ErrEmpty},
		"text":      {spool.Bytes{Data: bytes.Repeat([]byte("no video "), 1000)}, video.OpenOptions{}, spool.ErrNotMedia},
		"no index":  {spool.File(filepath.Join(media, "video", "noindex.mp4")), video.OpenOptions{}, spool.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := d.Videos.Open(ctx, test.in, test.o)
			require.ErrorIs(t, err, test.class)
			assert.Nil(t, v)
		})
	}
	_, err := small.Videos.Open(ctx, spool.File(path), video.OpenOptions{})
	require.ErrorIs(t, err, spool.ErrTooLarge)
	_, err = small.Videos.Open(ctx, spool.File(path), video.OpenOptions{Codec: "no such codec"})
	require.Error(t, err)

	v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
	for _, n := range []int{-1, 25, 1 << 40} {
		_, err := v.Frames(ctx, []int{0, n}, video.Spec{})
		require.ErrorIs(t, err, spool.ErrNoSuchFrame)
		assert.ErrorContains(t, err, "the video's frame count is 25")
	}
	_, err = v.FramesInto(ctx, make([]byte, 10), []int{0}, video.Spec{})
	require.ErrorIs(t, err, spool.ErrShape)
	_, err = v.Frames(ctx, []int{0}, video.Spec{OnDamage: 9, Color: 77})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, err := range v.Chunks(ctx, 0, video.Spec{}) {
		require.ErrorIs(t, err, spool.ErrOptions)
	}
	require.NoError(t, v.Close())
	require.NoError(t, v.Close())
	_, err = v.Frames(ctx, []int{0}, video.Spec{})
	require.ErrorIs(t, err, spool.ErrClosed)
}

// stuck is an object whose reads do not return, even when the context ends.
type stuck struct{ reading, release chan struct{} }

func (s stuck) ReadAt(context.Context, []byte, int64) (int, error) {
	close(s.reading)
	<-s.release
	return 0, io.EOF
}
func (s stuck) Info() spool.ObjectInfo { return spool.ObjectInfo{Size: 1 << 20} }
func (s stuck) Close() error           { return nil }

// A call ends soon after its context, and the video can still be used.
func TestVideoCancelled(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	in := spool.File(filepath.Join(media, "video", "bframes.mp4"))
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err := d.Videos.Open(done, in, video.OpenOptions{})
	require.ErrorIs(t, err, context.Canceled)
	v := decodetest.OpenVideo(t, d, in, video.OpenOptions{})
	_, err = v.Frames(done, []int{3}, small)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, spool.ErrCanceled, spool.ClassOf(err))
	want, _ := whole(t, v, small)
	got, _ := decodetest.Frames(t, v, []int{3}, small)
	assert.Equal(t, want[3], got)

	object := stuck{make(chan struct{}), make(chan struct{})}
	t.Cleanup(func() { close(object.release) })
	done, cancel = context.WithCancel(ctx)
	var began time.Time
	go func() {
		<-object.reading
		began = time.Now()
		cancel()
	}()
	_, err = d.Videos.Open(done, object, video.OpenOptions{})
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "abandoned")
	timing.Within(t, time.Since(began), time.Second, "a call whose context has ended")
	assert.NotErrorIs(t, err, spool.ErrInternal)
}

// A missing device is reported, and the CPU decodes; a present device gives nearly the same pixels.
func TestVideoDevice(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	in := spool.File(filepath.Join(media, "video", "bframes.mp4"))
	v := decodetest.OpenVideo(t, d, in, video.OpenOptions{})
	want, _ := decodetest.Frames(t, v, []int{4, 9}, video.Spec{})
	require.NoError(t, v.Fallback())
	for _, device := range []string{"cuda", "vaapi:/dev/null"} {
		v := decodetest.OpenVideo(t, d, in, video.OpenOptions{Device: device})
		got, _ := decodetest.Frames(t, v, []int{4, 9}, video.Spec{})
		if err := v.Fallback(); err != nil {
			require.ErrorIs(t, err, spool.ErrDevice)
			require.Equal(t, want, got)
			continue
		}
		_, mean := decodetest.Worst(t, want, got)
		assert.Less(t, mean, 1.0)
	}
	for _, device := range []string{"abacus:1", "cuda:x"} {
		_, err := d.Videos.Open(ctx, in, video.OpenOptions{Device: device})
		require.ErrorIs(t, err, spool.ErrOptions)
	}
}
