package image

import (
	"context"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
)

// sampling is that of images that our own engine may decode: libjpeg-turbo gives rows.
func (l *jpegLane) sampling(i Info) (subX, subY int, ok bool) {
	h := i.own.(*jpegImage).header
	return h.SubX, h.SubY, !l.turboOnly && i.PlainJPEG() && h.SubX > 0
}

func (l *jpegLane) decodePlanes(ctx context.Context, data []byte, i Info, s planeScales, sink unsafe.Pointer,
	r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	reason, err := l.baseline.DecodePlanes(c, data,
		baseline.PlaneOptions{Planes: sink, Width: i.Width, Height: i.Height,
			Scales:    baseline.Scales{Luma: 8 / s.luma, Chroma: 8 / s.chroma, SubX: s.subX, SubY: s.subY, Gray: s.gray},
			MaxMemory: max(r.maxMemory, 1)})
	if err != nil || reason != baseline.Decoded {
		i.own.(*jpegImage).left = reason
		return progress{declined: true}, err
	}
	l.own.Add(1)
	return progress{engine: "own", fraction: 1}, nil
}
