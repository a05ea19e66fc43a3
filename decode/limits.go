package decode

import "time"

// Limits bound the cost of one input. In each field 0 means the default, and a negative number means no limit.
type Limits struct {
	MaxPixels int64 // width x height of an image; default 178956970, Pillow's limit
	MaxBytes  int64 // size of a file; default 1 GiB
	MaxFrames int64 // frames of an animation up to the last requested one; default 4096
	MaxMemory int64 // scratch and result of one decode; default 2 GiB
	// MaxCPU is the processor time of one image from its header on, or of one request for video or audio, also where
	// several handles decode it: to open a file, or to read from it. The default is 10 s for an image, and 1 µs for each
	// byte of its file and each pixel. For a request it is a minute, 1 s for each frame, and 1 µs for each byte of the
	// file; streams and kept packets have no limit. What takes more fails with ErrTimeout,
	// and what needs half of it never does. HEIC, AVIF, and threads that FFmpeg starts are not counted: see
	// Isolation.CPU.
	MaxCPU time.Duration
}

const unlimited = 1 << 62

// WithDefaults gives the limits with the default for each field that is 0, and with no limit for each negative one.
func (l Limits) WithDefaults() Limits {
	for _, x := range []struct {
		field *int64
		value int64
	}{{&l.MaxPixels, 178956970}, {&l.MaxBytes, 1 << 30}, {&l.MaxFrames, 4096}, {&l.MaxMemory, 2 << 30}} {
		switch {
		case *x.field == 0:
			*x.field = x.value
		case *x.field < 0:
			*x.field = unlimited
		}
	}
	return l
}
