package encode

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Video describes the video that is written, and how it is stored. Width and Height must be set.
type Video struct {
	Width, Height int
	Rate          float64 // frames a second; 0: 25. 23.976, 29.97 and 59.94 mean the exact NTSC fractions
	Pixels        Pixels  // of the frames given to Frames

	// Timed means that frames come with their times, by FramesAt. Rate is then what the encoder expects, and determines
	// how long the last frame is shown.
	Timed bool

	// Codec is FFmpeg's name for a codec ("h264", "vp9", "ffv1", "mjpeg") or an encoder ("libx264rgb"); empty: FFmpeg's
	// default for the container. CodecOptions are options of the encoder ("crf": "18", "preset": "fast", "g": "25", "b":
	// "1M").
	Codec        string
	CodecOptions map[string]string

	// Stored is FFmpeg's name for the stored pixel format. Empty means the format of the frames if the codec is lossless
	// and supports it. Otherwise it means yuv420p, or yuv444p for odd sizes. For frames of 16 bits it means the 10-bit
	// versions of these, if the codec has them.
	Stored  string
	Threads int // of the encoder; 0: 1
}

// Pixels is the pixel format of frames.
type Pixels uint8

const (
	RGB     Pixels = iota // interleaved R, G, B of 8 bits
	Gray                  // 8 bits
	RGBA                  // interleaved R, G, B, A of 8 bits
	YUV420P               // a plane of luma, and two of chroma with half the rows and columns, rounded up
	RGB16                 // interleaved R, G, B of 16 bits, native byte order
	Gray16                // 16 bits, native byte order
)

var pixelNames = [...]string{RGB: "rgb24", Gray: "gray", RGBA: "rgba", YUV420P: "yuv420p", RGB16: "rgb48",
	Gray16: "gray16"}

// String is FFmpeg's name of the format.
func (p Pixels) String() string {
	if int(p) < len(pixelNames) {
		return pixelNames[p]
	}
	return fmt.Sprintf("Pixels(%d)", uint8(p))
}

// bytes is the size of a frame.
func (p Pixels) bytes(width, height int) int {
	switch p {
	case Gray:
		return width * height
	case RGBA:
		return 4 * width * height
	case RGB16:
		return 6 * width * height
	case Gray16:
		return 2 * width * height
	case YUV420P:
		return width*height + 2*((width+1)/2)*((height+1)/2)
	}
	return 3 * width * height
}

func (p Pixels) dtype() spool.DType {
	if p == RGB16 || p == Gray16 {
		return spool.Uint16
	}
	return spool.Uint8
}

// maxEdge bounds width and height; FFmpeg's own bound on an image is of that order.
const maxEdge = 1 << 15

// maxThreads bounds Video.Threads.
const maxThreads = 64

func (v *Video) validate() error {
	var bad invalid.Options
	if v.Width <= 0 || v.Height <= 0 || v.Width > maxEdge || v.Height > maxEdge {
		bad.Values([]spool.Option{{Name: "Video.Width", Value: v.Width}, {Name: "Video.Height", Value: v.Height}},
			"must be from 1 to %d", maxEdge)
	}
	if !(v.Rate >= 0 && v.Rate <= 1e5) { // no NaN
		bad.Value("Video.Rate", v.Rate, "must be from 0 to 1e5")
	}
	if v.Pixels > Gray16 {
		bad.Value("Video.Pixels", uint8(v.Pixels), "no such pixels")
	}
	if v.Threads < 0 || v.Threads > maxThreads {
		bad.Value("Video.Threads", v.Threads, "must be from 0 to %d", maxThreads)
	}
	return bad.Err()
}

func (v *Video) encoding(container *av.Container) av.Encoding {
	e := av.Encoding{Codec: cmp.Or(v.Codec, container.Video), Options: v.CodecOptions, Threads: v.Threads,
		Global: container.Global,
		Given:  v.Pixels.String(), Stored: v.Stored, Width: v.Width, Height: v.Height,
		FrameRate: fraction(cmp.Or(v.Rate, 25))}
	if v.Timed {
		e.Base = av.Ratio{Num: 1, Den: ticksPerSecond}
	}
	return e
}

// ticksPerSecond is the time base of Timed video. A frame at 24, 25, 30, 50, 59.94 or 60 frames a second is a whole
// number of ticks, and MPEG-4 allows at most 65535 ticks a second.
const ticksPerSecond = 60000

// fraction is a frame rate as containers store it: NTSC rates are integers divided by 1.001.
func fraction(rate float64) av.Ratio {
	if whole := math.Round(rate); math.Abs(rate-whole) < 1e-6 {
		return av.Ratio{Num: int(whole), Den: 1}
	}
	if ntsc := math.Round(rate * 1.001); math.Abs(rate-ntsc/1.001) < 5e-4 {
		return av.Ratio{Num: 1000 * int(ntsc), Den: 1001}
	}
	const precision = 1000
	return av.Ratio{Num: max(1, int(math.Round(rate*precision))), Den: precision}
}

// Frames writes the next frames at the video's rate: [h w c], [n h w c] or, for gray, [h w], of uint8 or uint16
// according to Pixels. For YUV420P any shape of the right size is accepted. Desc describes the pixels, as Buffer.Desc
// returns it.
//
//	Ownership:    pixels are lent for the call.
//	Cancellation: between frames.
//	Errors:       ErrShape for frames of another size; ErrIO, ErrCanceled, ErrTimeout; ErrClosed after Finish, and after
//	              an error, which makes the file unusable; ErrOptions without Options.Video or with Timed.
func (w *Writer) Frames(ctx context.Context, pixels []byte, d spool.Desc) error {
	n, err := w.options.Video.check(pixels, d, false)
	if err != nil {
		return err
	}
	times := make([]int64, n)
	for i := range times {
		times[i] = w.next + int64(i)
	}
	return w.frames(ctx, pixels, times)
}

// FramesAt writes frames of a Timed video. Each frame is shown from its time, in seconds, until the next one. Times
// must increase by at least a millisecond. They are stored to 1/60000 s, or in the container's resolution (Matroska,
// WebM: milliseconds).
//
//	Errors: those of Frames; ErrOptions for times that do not increase, are negative, or are 1e9 or more.
func (w *Writer) FramesAt(ctx context.Context, pixels []byte, d spool.Desc, seconds []float64) error {
	n, err := w.options.Video.check(pixels, d, true)
	if err != nil {
		return err
	}
	if len(seconds) != n {
		return fmt.Errorf("%w: %d times for %d frames", spool.ErrShape, len(seconds), n)
	}
	times, least := make([]int64, n), w.next
	for i, s := range seconds {
		if !(s >= 0 && s < 1e9) || int64(math.Round(s*ticksPerSecond)) < least {
			return fmt.Errorf("%w: a frame at %v s, but the next one must be at %v s or later", spool.ErrOptions, s,
				float64(least)/ticksPerSecond)
		}
		times[i] = int64(math.Round(s * ticksPerSecond))
		least = times[i] + ticksPerSecond/1000
	}
	return w.frames(ctx, pixels, times)
}

// frames encodes one frame for each time.
func (w *Writer) frames(ctx context.Context, pixels []byte, times []int64) error {
	v := w.options.Video
	size, step := v.Pixels.bytes(v.Width, v.Height), int64(1)
	if v.Timed {
		step = ticksPerSecond / 1000
	}
	return w.run(ctx, func(c *call.Call) error {
		for i, at := range times {
			if err := w.video.encoder.Image(c, pixels[i*size:(i+1)*size], at); err != nil {
				return err
			}
			w.video.hasData, w.next = true, at+step
			if err := w.receive(c, w.video); err != nil {
				return err
			}
		}
		return nil
	})
}

// check returns the number of frames in pixels. Timed tells whether they come with their times.
func (v *Video) check(pixels []byte, d spool.Desc, timed bool) (int, error) {
	switch {
	case v == nil:
		return 0, fmt.Errorf("%w: the file has no video", spool.ErrOptions)
	case timed != v.Timed:
		return 0, fmt.Errorf("%w: FramesAt is for a Timed video, and Frames for all others", spool.ErrOptions)
	}
	n, ok := d.Bytes()
	size := v.Pixels.bytes(v.Width, v.Height)
	if !ok || d.DType != v.Pixels.dtype() || n != len(pixels) || n%size != 0 {
		return 0, fmt.Errorf("%w: %d bytes of %v are not %v frames of %dx%d", spool.ErrShape, len(pixels), d, v.Pixels,
			v.Width, v.Height)
	}
	if v.Pixels == YUV420P {
		return n / size, nil
	}
	shape := d.Shape
	if len(shape) == 4 {
		shape = shape[1:]
	}
	channels := size / (v.Width * v.Height * d.DType.Size())
	if len(shape) == 2 && channels == 1 {
		shape = spool.Shape{shape[0], shape[1], 1}
	}
	if d.Layout == spool.CHW || d.Layout == spool.NCHW || !shape.Equal(spool.Shape{v.Height, v.Width, channels}) {
		return 0, fmt.Errorf("%w: %v is not %v frames of %dx%d, interleaved", spool.ErrShape, d, v.Pixels, v.Width, v.Height)
	}
	return n / size, nil
}
