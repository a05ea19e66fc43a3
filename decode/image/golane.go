package image

import (
	"context"

	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/decode/internal/raster"
)

// goLane decodes formats that need only a few lines of Go.
type goLane struct{}

func (goLane) String() string { return "go" }

// open reads the header. wide asks for 16 bits a sample, which only PNM files may have.
func (goLane) open(data []byte, f format.Format, wide bool) (raster.Image, error) {
	switch f {
	case format.BMP:
		return raster.OpenBMP(data)
	case format.PNM:
		return raster.OpenPNM(data, wide)
	}
	return raster.OpenTGA(data)
}

func (l goLane) header(_ context.Context, data []byte, f format.Format, _ int) (Info, error) {
	r, err := l.open(data, f, false)
	if err != nil {
		return Info{}, err
	}
	return Info{Format: f, Frames: 1, Width: r.Width, Height: r.Height, Channels: r.Channels, Bits: r.Bits, Alpha: r.Alpha,
		Orientation: 1}, nil
}

func (goLane) intake(i Info, s Spec) pixels.Intake {
	in := pixels.Intake{Channels: i.Channels, Bits: s.bits(i), Gray: s.Color == decode.Gray && i.Channels > 1}
	switch {
	case i.Channels == 4 && s.Alpha == BlendAlpha:
		in.Alpha = kernel.Blend
	case i.Channels == 4 && s.Color != decode.RGBA:
		in.Alpha = kernel.DropAlpha
	}
	return in
}

func (l goLane) decode(ctx context.Context, data []byte, i Info, want rows) (progress, error) {
	r, err := l.open(data, i.Format, want.bits == 16)
	if err != nil {
		return progress{}, err
	}
	seen := 0 // rows read
	first, _ := want.sink.Wanted()
	read, err := r.Rows(want.filler(r.Channels), func(strip []byte, n int) (enough bool, err error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		stride := len(strip) / n
		above := min(max(first-seen, 0), n) // rows above the wanted rows
		seen += n
		return want.sink.Push(strip[above*stride:], stride, n-above)
	})
	return settle(err, float64(read)/float64(i.Height), want.accept)
}

// filler is a pixel for missing rows above others. It is nil where damage is not accepted.
func (r rows) filler(channels int) []byte {
	c := r.fill
	switch {
	case r.accept == 0:
		return nil
	case channels == 1:
		return []byte{byte((19595*int(c[0]) + 38470*int(c[1]) + 7471*int(c[2]) + 32768) >> 16)} // the weights of the kernels
	}
	return []byte{c[0], c[1], c[2], 0xff}[:channels]
}
