package image_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

// stored is an object in a store: it is opened by a request, and counts who has it open.
type stored struct {
	spool.Bytes
	opened, open atomic.Int64
	size         int64 // that it claims to have, where that is not 0
}

func (s *stored) OpenParts(context.Context, int, int) (spool.Object, error) {
	s.opened.Add(1)
	s.open.Add(1)
	return &storedHandle{s}, nil
}

type storedHandle struct{ *stored }

func (h *storedHandle) Close() error {
	h.open.Add(-1)
	return nil
}

func (h *storedHandle) Info() spool.ObjectInfo {
	info := h.Bytes.Info()
	if h.size != 0 {
		info.Size = h.size
	}
	return info
}

// TestImageFromObjects decodes the same image from each kind of object.
func TestImageFromObjects(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	path := filepath.Join(media, "photos", "object", "03.jpg")
	data := decodetest.ReadFile(t, path)
	want, report := decodetest.Image(t, d, data, image.Spec{})
	store := &stored{Bytes: spool.Bytes{Data: data, Name: "s3://bucket/image.gif"}}
	for name, object := range map[string]func() spool.Object{
		"file":   func() spool.Object { return spool.File(path) },
		"bytes":  func() spool.Object { return spool.Bytes{Data: data} },
		"stream": func() spool.Object { return spool.Stream{Reader: bytes.NewReader(data)} },
		"slow stream": func() spool.Object {
			return spool.Stream{Reader: io.MultiReader(bytes.NewReader(data[:7]), bytes.NewReader(data[7:]))}
		},
		"store": func() spool.Object { return store },
		"open object": func() spool.Object {
			o, err := spool.File(path).Open()
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, o.Close()) })
			return o
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, got, err := d.Images.Decode(t.Context(), object(), image.Spec{})
			require.NoError(t, err)
			assert.Equal(t, want, b.Bytes())
			assert.Equal(t, report.Info, got.Info)
			b.Release()

			dst := make([]byte, len(want))
			_, err = d.Images.DecodeInto(t.Context(), object(), dst, image.Spec{})
			require.NoError(t, err)
			assert.Equal(t, want, dst)

			frames, _, err := d.Images.DecodeFrames(t.Context(), object(), image.Spec{}, 1)
			require.NoError(t, err)
			assert.Equal(t, want, frames.Bytes())
			frames.Release()

			clear(dst)
			_, err = d.Images.DecodeFramesInto(t.Context(), object(), dst, image.Spec{}, 1)
			require.NoError(t, err)
			assert.Equal(t, want, dst)

			info, err := image.Probe(t.Context(), object(), decode.Limits{})
			require.NoError(t, err)
			assert.Equal(t, report.Info.Width, info.Width)
		})
	}
	assert.EqualValues(t, 5, store.opened.Load(), "once a call")
	assert.Zero(t, store.open.Load(), "what was opened is closed")
}

// TestImageObjectErrors checks that an error has the class of its cause, and names the object.
func TestImageObjectErrors(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxBytes: 1000}})
	long := bytes.Repeat([]byte{1}, 1001)
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.png")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))
	large := filepath.Join(folder, "large.png")
	require.NoError(t, os.WriteFile(large, long, 0o644))
	blocked, writer := io.Pipe()
	defer writer.Close()
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	claims := func(size int64) spool.Object { return &stored{Bytes: spool.Bytes{Name: "s3://b/x"}, size: size} }
	for _, c := range []struct {
		name   string
		ctx    context.Context
		object spool.Object
		class  error
		text   string
	}{
		{"nil", t.Context(), nil, spool.ErrOptions, "no object"},
		{"missing", t.Context(), spool.File(filepath.Join(folder, "missing.png")), spool.ErrNotFound, "missing.png"},
		{"a folder", t.Context(), spool.File(folder), spool.ErrNotAFile, filepath.Base(folder)},
		{"empty file", t.Context(), spool.File(empty), spool.ErrEmpty, "empty.png"},
		{"empty bytes", t.Context(), spool.Bytes{Name: "upload"}, spool.ErrEmpty, "upload"},
		{"large file", t.Context(), spool.File(large), spool.ErrTooLarge, "large.png"},
		{"large bytes", t.Context(), spool.Bytes{Data: long}, spool.ErrTooLarge, "1001"},
		{"large stream", t.Context(), spool.Stream{Reader: bytes.NewReader(long), Name: "upload"}, spool.ErrTooLarge,
			"upload"},
		{"no reader", t.Context(), spool.Stream{}, spool.ErrOptions, "without a reader"},
		{"stream that stalls", late, spool.Stream{Reader: blocked, Name: "upload"}, spool.ErrTimeout, "upload"},
		{"a size below zero", t.Context(), claims(-1), spool.ErrOptions, "-1"},
		{"a size that is not true", t.Context(), claims(10), spool.ErrIO, "s3://b/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := d.Images.Decode(c.ctx, c.object, image.Spec{Resize: resize.Spec{Width: 2, Height: 2}})
			require.ErrorIs(t, err, c.class)
			assert.ErrorContains(t, err, c.text)
			if c.object != nil && c.name != "stream that stalls" {
				if s, ok := c.object.(spool.Stream); ok && s.Reader != nil {
					_, _ = s.Reader.(io.Seeker).Seek(0, io.SeekStart)
				}
				_, err = image.Probe(c.ctx, c.object, decode.Limits{MaxBytes: 1000})
				assert.ErrorIs(t, err, c.class)
			}
		})
	}
}

// TestInfoOwnsItsMemory checks that an Info does not refer to the bytes of the file. Those are lent, or in a buffer
// that is released.
func TestInfoOwnsItsMemory(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"icc.jpg", "icc.png", "icc.webp", "icc.tiff"} {
		file := spool.File(filepath.Join(media, "hard", "good", name))
		only := func(i image.Info) image.Info {
			return image.Info{Format: i.Format, Frame: i.Frame, Frames: i.Frames, Animated: i.Animated, Width: i.Width,
				Height:   i.Height,
				Channels: i.Channels, Bits: i.Bits, Alpha: i.Alpha, Orientation: i.Orientation}
		}
		b, report, err := d.Images.Decode(t.Context(), file, image.Spec{})
		require.NoError(t, err, name)
		b.Release()
		assert.Equal(t, only(report.Info), report.Info, name)
		b, report, err = d.Images.DecodeFrames(t.Context(), file, image.Spec{}, 1)
		require.NoError(t, err, name)
		b.Release()
		assert.Equal(t, only(report.Info), report.Info, name)
		info, err := image.Probe(t.Context(), file, decode.Limits{})
		require.NoError(t, err, name)
		assert.Equal(t, only(info), info, name)
		found, err := probe.Probe(t.Context(), file, decode.Limits{})
		require.NoError(t, err, name)
		assert.Equal(t, only(found.Image), found.Image, name)
	}
}
