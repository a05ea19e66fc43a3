package image

import (
	"context"
	"slices"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/decode/internal/jpegfile"
)

// convert puts a conversion from the image's color profile in front of the sink of r, for rows of width pixels.
func (p plan) convert(ctx context.Context, r rows, width int) (*icc.Sink, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer c.Leave()
	o := icc.Options{Color: icc.RGB, Channels: r.channels, Width: width, Bits: r.bits}
	switch {
	case p.info.Channels <= 2:
		o.Color = icc.Gray
	case p.info.inks:
		o.Color, o.Channels = icc.CMYK, 4
	}
	return p.decoder.colors.NewSink(c, r.sink.Pointer(), p.info.icc, o)
}

const iccPrefix = "ICC_PROFILE\x00"

// jpegICC is the color profile in a JPEG file, nil without a complete profile. A profile may be split over several APP2
// segments, which are numbered from 1 (ICC.1:2010, B.4).
func jpegICC(data []byte) []byte {
	var parts [][]byte
	for pos := 2; ; {
		marker, body, next := jpegfile.Segment(data, pos)
		switch marker {
		case 0, jpegfile.SOS, jpegfile.EOI:
			if len(parts) == 1 {
				return parts[0]
			}
			if slices.ContainsFunc(parts, func(part []byte) bool { return part == nil }) {
				return nil
			}
			return slices.Concat(parts...)
		case jpegfile.APP2:
			head := len(iccPrefix) + 2 // the segment's number and the count of segments
			if len(body) <= head || string(body[:len(iccPrefix)]) != iccPrefix {
				break
			}
			number, count := int(body[head-2]), int(body[head-1])
			if parts == nil {
				parts = make([][]byte, count)
			}
			if number < 1 || number > len(parts) || count != len(parts) || parts[number-1] != nil {
				return nil
			}
			parts[number-1] = body[head:]
		}
		pos = next
	}
}
