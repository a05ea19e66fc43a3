package decode

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// lane decodes the pictures of some formats.
type lane interface {
	// header reads what the picture is, without its pixels.
	header(ctx context.Context, data []byte, f Format) (ImageInfo, error)
	// intake says which channels of such a picture decode will push for the wanted colour and alpha,
	// and what is to become of them first.
	intake(i ImageInfo, s ImageSpec) intake
	// decode pushes the rows that the sink wants.
	decode(ctx context.Context, data []byte, i ImageInfo, r rows) (progress, error)
}

// rows is what a lane is to push.
type rows struct {
	channels  int // 1 of a JPEG in colour means its luma
	sink      *kernel.Sink
	accept    float64 // the fraction from which on damage is accepted; 0 refuses it
	maxMemory int64   // that the library may take
}

// progress is how far a lane came.
type progress struct {
	damaged  bool    // the sink did not get all rows
	fraction float64 // of the picture that was read
	warnings int
	warning  string
}

// laneOf is the lane for a format, nil when there is none.
func laneOf(f Format) lane {
	switch f {
	case JPEG:
		return jpegLane{}
	case PNG, WebP, GIF, TIFF, AVIF, HEIC, JP2, JXL:
		return vipsLane{}
	case BMP, PNM, TGA:
		return goLane{}
	}
	return nil
}

// refuse is the error for bytes that no lane takes.
func refuse(op string, f Format) error {
	if f == 0 {
		return &spool.Error{Op: op, Class: spool.ErrNotMedia, Text: "no picture that we know of"}
	}
	return &spool.Error{Op: op, Class: spool.ErrUnsupported, Text: "no decoder for " + f.String()}
}
