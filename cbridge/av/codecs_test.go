package av_test

import (
	"crypto/sha256"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// framesOf decodes up to n frames of a file with a decoder of a pool. It returns the pts and a digest of the pixels of
// each.
func framesOf(t *testing.T, c *call.Call, codecs *av.Codecs, scaler *av.Scaler, file string, n int) (list []any,
	by *av.Decoder) {
	list = []any{}
	in := open(t, c, spool.File(file), av.InputOptions{})
	d := decode(t, c, in, av.Video, av.DecoderOptions{})
	require.NoError(t, d.decoder.Close())
	p, err := in.Parameters(d.stream)
	require.NoError(t, err)
	d.decoder, err = codecs.Get(c, p, av.DecoderOptions{})
	require.NoError(t, err)
	for i := 0; i < n && d.next(); i++ {
		list = append(list, d.frame.Guess, d.frame.Duration, d.frame.Key, d.frame.Corrupt,
			sha256.Sum256(rgb(t, c, scaler, d.frame)))
	}
	codecs.Put(d.decoder)
	by, d.decoder = d.decoder, nil
	d.frame.Release()
	return list, by
}

// A reused decoder gives the same frames as a new one, wherever its previous use stopped.
func TestCodecsGiveWhatNewDecodersGive(t *testing.T) {
	c := enter(t, t.Context())
	files, err := filepath.Glob(small + "*")
	require.NoError(t, err)
	damaged := []string{"damaged.mp4", "truncated.mp4", "truncated.ts"}
	var scaler av.Scaler
	defer scaler.Close()
	for _, file := range files {
		name := filepath.Base(file)
		if name == "noindex.mp4" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var codecs av.Codecs
			defer codecs.Close()
			want, first := framesOf(t, c, &codecs, &scaler, file, 1000)
			for _, n := range []int{1000, 1, 7, 0, 1000} {
				got, by := framesOf(t, c, &codecs, &scaler, file, n)
				require.Equal(t, want[:len(got)], got, "%d frames", n)
				assert.Equal(t, !slices.Contains(damaged, name), by == first, "the same decoder serves all, unless it met damage")
			}
		})
	}
}

func TestCodecsTellDecodersApart(t *testing.T) {
	c := enter(t, t.Context())
	var codecs av.Codecs
	defer codecs.Close()
	parameters := func(name string) av.Parameters {
		in := open(t, c, spool.File(small+name), av.InputOptions{})
		p, err := in.Parameters(in.Best(av.Video, -1))
		require.NoError(t, err)
		return p
	}
	first := parameters("bframes.mp4")
	a, err := codecs.Get(c, first, av.DecoderOptions{})
	require.NoError(t, err)
	codecs.Put(a)
	other := first
	other.BitRate, other.TimeBase = 12345, av.Ratio{Num: 1, Den: 1000}
	b, err := codecs.Get(c, other, av.DecoderOptions{Threads: 1})
	require.NoError(t, err)
	assert.Same(t, a, b)
	codecs.Put(b)
	for name, get := range map[string]func() (*av.Decoder, error){
		"codec": func() (*av.Decoder, error) { return codecs.Get(c, parameters("mpeg4.avi"), av.DecoderOptions{}) },
		"data":  func() (*av.Decoder, error) { return codecs.Get(c, parameters("yuv422.mp4"), av.DecoderOptions{}) },
		"options": func() (*av.Decoder, error) {
			return codecs.Get(c, first, av.DecoderOptions{Options: map[string]string{"flags": "gray"}})
		},
		"threads": func() (*av.Decoder, error) { return codecs.Get(c, first, av.DecoderOptions{Threads: 2}) },
	} {
		d, err := get()
		require.NoError(t, err, name)
		assert.NotSame(t, a, d, name)
		codecs.Put(d)
	}
	again, err := codecs.Get(c, first, av.DecoderOptions{})
	require.NoError(t, err)
	assert.Same(t, a, again)
	require.NoError(t, again.Close())
	codecs.Put(again) // closed: not kept
	require.NoError(t, codecs.Close())
}

func TestDecoderOptions(t *testing.T) {
	c := enter(t, t.Context())
	in := open(t, c, spool.File(small+"bframes.mp4"), av.InputOptions{})
	p, err := in.Parameters(0)
	require.NoError(t, err)
	for _, o := range []av.DecoderOptions{
		{Threads: -1}, {Threads: 1000}, {Name: "no such"}, {Name: "vp9"}, {Options: map[string]string{"no such": "1"}},
	} {
		_, err := av.NewDecoder(c, p, o)
		assert.ErrorIs(t, err, spool.ErrOptions, "%+v", o)
	}
	d, err := av.NewDecoder(c, p, av.DecoderOptions{Name: "h264", Threads: 3})
	require.NoError(t, err)
	assert.Equal(t, "h264", d.Name())
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	assert.ErrorIs(t, d.Send(c, nil), spool.ErrClosed)

	_, err = av.NewDecoder(c, av.Parameters{Codec: "no such"}, av.DecoderOptions{})
	assert.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = av.NewDecoder(c, av.Parameters{}, av.DecoderOptions{})
	assert.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = in.Parameters(7)
	assert.ErrorIs(t, err, spool.ErrNoSuchFrame)
}

// A frame beyond MaxPixels is rejected, at the start and within the stream.
func TestMaxPixels(t *testing.T) {
	c := enter(t, t.Context())
	in := open(t, c, spool.File(small+"resized.ts"), av.InputOptions{MaxPixels: 100})
	d := decode(t, c, in, av.Video, av.DecoderOptions{MaxPixels: 64 * 48})
	frames := 0
	for ; d.next(); frames++ {
		require.Equal(t, 64, d.frame.Width)
	}
	assert.Equal(t, 25, frames)
	p, err := in.Parameters(d.stream)
	require.NoError(t, err)
	_, err = av.NewDecoder(c, p, av.DecoderOptions{MaxPixels: 64*48 - 1})
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}
