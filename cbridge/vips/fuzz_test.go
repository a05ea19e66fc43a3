package vips_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
)

func FuzzTIFF(f *testing.F) { fuzz(f, vips.TIFF) }
func FuzzHEIF(f *testing.F) { fuzz(f, vips.HEIF) }
func FuzzJXL(f *testing.F)  { fuzz(f, vips.JXL) }
func FuzzHDR(f *testing.F)  { fuzz(f, vips.HDR) }

// fuzz: any bytes give an image or an error with a class, and nothing is written outside the destination. Loaders for
// trusted input are not fuzzed, except libvips' own.
func fuzz(f *testing.F, format vips.Format) {
	const small = 5000 // bytes
	var files [][]byte
	for name, want := range images(f) {
		if data := lanetest.Read(f, name); extensions[want.Format] == format && len(data) < small {
			files = append(files, data)
		}
	}
	for name, want := range deepImages(f) {
		if want.format() == format && want.Page == 0 {
			if data := lanetest.Read(f, name); len(data) < small {
				files = append(files, data)
			}
		}
	}
	slices.SortFunc(files, bytes.Compare) // maps have no order
	mutate.Fuzz(f, files, func(t testing.TB, data []byte, knobs uint64) {
		c, err := call.Enter(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Leave()
		survive(t, c, format, data, knobs)
	})
}

func survive(t testing.TB, c *call.Call, format vips.Format, data []byte, knobs uint64) {
	h, err := vips.ReadHeader(c, format, data, int(knobs&1)*int(knobs>>1&3))
	if err != nil {
		lanetest.RequireClass(t, err)
		return
	}
	if h.Width < 1 || h.Height < 1 || h.Orientation < 1 || h.Orientation > 8 {
		t.Fatalf("impossible header %+v", h)
	}
	if int64(h.Width)*int64(h.Height) > 1e5 {
		return
	}
	fuzzed.Accept()
	o := vips.Options{Channels: 3 + int(knobs>>4&1), Bits: 8 << (knobs >> 5 & 1), MaxMemory: 1 << 28}
	if h.Color == vips.CMYK && knobs>>6&1 == 1 {
		o.Channels, o.Inks = 4, true
	}
	size := h.Width * h.Height * o.Channels * o.Bits / 8
	o.Pixels = make([]byte, size+8)
	for i := range o.Pixels[size:] {
		o.Pixels[size+i] = 0xA5
	}
	r, err := vips.Decode(c, data, h, o)
	for _, b := range o.Pixels[size:] {
		if b != 0xA5 {
			t.Fatal("written beyond the image")
		}
	}
	switch {
	case r.Rows < 0 || r.Rows > h.Height || err == nil && r.Rows != h.Height:
		t.Fatalf("%d of %d rows, %v", r.Rows, h.Height, err)
	case err != nil:
		lanetest.RequireClass(t, err)
	}
}
