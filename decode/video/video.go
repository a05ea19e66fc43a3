package video

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/isolated"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/invalid"
)

// OpenOptions are the options of [Decoder.Open]. The zero value means the best stream, decoded by one thread.
type OpenOptions struct {
	Stream   *int   // index in the file; nil: the best stream
	Language string // the best stream of a language, by the container's name for it ("eng"), where Stream is nil

	// Index is the video's index, from an earlier Video.Index. An index that does not fit is ignored.
	Index *index.Index
	// IndexDir is the folder of a saved index (see IndexPath); empty: the folder of the file.
	IndexDir string
	// NoIndex neither looks for an index, on disk or in memory, nor keeps one.
	NoIndex bool

	// Threads of the decoder; 0 means 1. Usually several files are decoded in parallel; more threads help with one long
	// video.
	Threads int
	// Workers is the most handles that decode distant GOPs of one request in parallel, as Gather does. 0 means 1, and
	// GOMAXPROCS for Gather and for a remote input, whose packets arrive all at once.
	Workers int
	// Codec is FFmpeg's name of a decoder, and CodecOptions are its options. Empty means FFmpeg's first choice for the
	// stream.
	Codec        string
	CodecOptions map[string]string

	// Memory is the pool for the ranges of a remote input, up to 64 MiB, lent until Close. nil means the decoder's, whose
	// remote inputs share 1 GiB. Reads do not wait for memory. No one else may wait for that of this pool, because it is
	// released only when the video is read or closed.
	Memory *spool.Pool

	// Device is the name of the device that decodes: "cuda:1"; "cuda" is "cuda:0". Devices of other types have FFmpeg's
	// names, such as "vaapi:/dev/dri/renderD128", or "vaapi" for the first. Frames are copied to host memory. Without
	// such a device the CPU decodes, and Video.Fallback reports the cause. "" means the CPU.
	Device string
}

// Video is an open video. Only one goroutine may use it at a time; many videos may be open at once.
type Video struct {
	decoder    *Decoder
	options    OpenOptions
	name       string
	in         *container.Input  // nil for packets
	siblings   []*Video          // other handles of the input: see request.parallel
	input      container.Demuxer // nil when closed, and with away
	away       *isolated.Session // nil if this process decodes
	parameters av.Parameters
	info       Info
	index      *index.Index // nil for a stream
	session    session
	next       int         // the frame after those of the last request
	base       index.Ratio // seconds of a tick
	streamed   bool        // a stream has been read
}

// Info describes a video.
type Info struct {
	Format        string // FFmpeg's names of the container
	Stream        int    // index in the file
	Codec         string // FFmpeg's name
	Width, Height int    // as stored, before the rotation
	PixelFormat   string // FFmpeg's name
	Bits          int    // of a sample
	// FFmpeg's names of the stream's color, such as "bt709"; empty where the container does not specify it
	Primaries, Transfer, Matrix string
	Aspect                      index.Ratio // width of a pixel by its height; zero if unknown
	Rotation                    float64
	// EXIF value 1 to 8: the rotation rounded to a quarter turn, and mirrored where the display matrix mirrors
	Orientation int
	Frames      int // 0 for a stream, whose length is unknown
	Rate        float64
	Start, End  float64 // of the frames, in seconds; both 0 for a stream
	Saved       bool    // a saved index was used
	// the file ends early, after or within the last frame; in some containers only decoding detects this
	Cut bool
}

// Oriented is the size of the upright frames.
func (i Info) Oriented() (width, height int) {
	return pixels.Oriented(i.Width, i.Height, i.Orientation)
}

// Open opens a video.
//
//	Ownership: the caller owns the video and MUST close it before the decoder. The object is lent until then.
//	Errors:    *spool.Error with ErrNotFound, ErrNotAFile, ErrPermission, ErrEmpty, ErrNotMedia, ErrTruncated,
//	           ErrCorrupt, ErrIO, ErrCanceled, ErrTimeout, which name the file; ErrNoSuchFrame for a stream that does not
//	           exist; ErrUnsupported for a stream that this FFmpeg does not decode; ErrTooLarge beyond the decoder's
//	           limits; ErrOptions.
//	Cost:      1 to 10 ms, and reading the file once for the index, which the decoder keeps in memory. With a saved index
//	           0.2 ms for MP4 and Matroska. A file without time stamps, such as a raw stream, is decoded once. Of MP4 that
//	           is not fragmented, only the header, the tables and a few packets are read where the tables tell all frames:
//	           for any remote object, which takes one or two round trips, and for local H.264 and AV1.
func (d *Decoder) Open(ctx context.Context, object spool.Object, o OpenOptions) (*Video, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	v := &Video{decoder: d, options: o, name: contents.NameOf(object)}
	var err error
	if v.in, err = container.Open(ctx, object, d.rangesOf(o.Memory), &d.ends); err == nil {
		if v.isolated() {
			v.away = isolated.NewSession(d.helpers, decode.Video, v.in.Object, v.in.Info, v.in.State().Version, v.opening)
		}
		err = v.open(ctx)
	}
	if err != nil {
		_ = v.Close() // always nil
		return nil, v.fault(ctx, err)
	}
	return v, nil
}

// Validate reports all problems of the options, each a *spool.OptionError.
func (o OpenOptions) Validate() error {
	var bad invalid.Options
	if o.Stream != nil && *o.Stream < 0 {
		bad.Value("Stream", *o.Stream, "must not be negative")
	}
	switch kind, _, _ := strings.Cut(o.Device, ":"); {
	case o.Device == "":
	case !av.HasDeviceType(kind):
		bad.Value("Device", o.Device, "this FFmpeg has no devices of the type %q", kind)
	case kind == "cuda":
		if _, err := cuda.ParseName(o.Device); err != nil { // FFmpeg takes "cuda:x" for the first device
			bad.Value("Device", o.Device, "must be cuda:N, with the number of a device")
		}
	}
	if o.Workers < 0 {
		bad.Value("Workers", o.Workers, "must not be negative")
	}
	if o.Threads < 0 {
		bad.Value("Threads", o.Threads, "must not be negative")
	}
	return bad.Err()
}

func (v *Video) open(ctx context.Context) error {
	file := v.in.State()
	saved, key := v.saved(file), v.key(v.in.Info.Identity)
	if v.info.Saved = saved != nil; v.info.Saved || key == "" {
		return v.openBy(ctx, file, saved)
	}
	known, scanned, err := v.decoder.indexes.Get(ctx, key, func(ctx context.Context) (*index.Index, error) {
		err := v.openBy(ctx, file, nil)
		return v.index, err
	})
	if err != nil || scanned {
		return err
	}
	return v.openBy(ctx, file, known)
}

// openBy opens the input with an index that fits, or makes an index where known is nil.
func (v *Video) openBy(ctx context.Context, file index.File, known *index.Index) error {
	if err := v.in.Remote.Prepare(ctx, known); err != nil {
		return err
	}
	if v.away != nil {
		return v.openAway(ctx, file, known)
	}
	c, err := v.enterAlone(ctx, 0)
	if err != nil {
		return err
	}
	defer c.Leave()
	if err := v.session.open(v); err != nil {
		return err
	}
	o := v.openOptions(known)
	o.NoProbe = o.NoProbe || known == nil // see probe
	opened, err := v.in.Demuxer(c, o)
	if err != nil {
		return err
	}
	v.input = opened
	if known != nil {
		err = v.openKnown(opened, known)
	} else {
		err = v.openUnknown(c, opened, file)
	}
	if err != nil {
		return err
	}
	opened.Select(v.info.Stream)
	return nil
}

// openKnown takes the stream's description from its index.
func (v *Video) openKnown(opened *av.Input, x *index.Index) error {
	streams := opened.Media().Streams
	if s := x.Stream.Number; s >= len(streams) || streams[s].Kind != av.Video {
		return corruptIndex(v.name)
	}
	return v.describeBy(x)
}

// describeBy takes the video's description from an index.
func (v *Video) describeBy(x *index.Index) error {
	s := &x.Stream
	var err error
	if v.parameters, err = container.UnmarshalParameters(s.Parameters); err != nil {
		return err
	}
	v.describe(s)
	if err := v.withinLimits(); err != nil {
		return err
	}
	return v.setIndex(x)
}

// openUnknown chooses the stream and makes its index.
func (v *Video) openUnknown(c *call.Call, opened *av.Input, file index.File) error {
	stream, err := v.probe(c, opened)
	if err != nil {
		return err
	}
	s := index.Stream{Format: opened.Media().Format, Number: stream.Index, Best: stream.Best, Codec: stream.Codec,
		Width: stream.Width, Height: stream.Height,
		PixelFormat: stream.PixelFormat, Rotation: stream.Rotation, Mirrored: stream.Mirrored,
		Base: container.Ratio(stream.TimeBase), Rate: container.Ratio(stream.FrameRate)}
	if s.Parameters, err = container.MarshalParameters(v.parameters); err != nil {
		return err
	}
	v.describe(&s)
	if err := v.withinLimits(); err != nil || v.in.IsStream() {
		return err
	}
	if x, err := v.tabled(c, opened, file, s); err != nil {
		return err
	} else if x != nil {
		return v.setIndex(x)
	}
	opened.Select(stream.Index)
	x, err := v.scan(c, opened, file, s)
	if err != nil {
		return err
	}
	return v.setIndex(x)
}

func (v *Video) describe(s *index.Stream) {
	v.info = Info{Saved: v.info.Saved, Format: s.Format, Stream: s.Number, Codec: s.Codec, Width: s.Width,
		Height: s.Height, PixelFormat: s.PixelFormat,
		Bits: bitsOf(s.PixelFormat), Rotation: s.Rotation, Orientation: displayed(s)}
	v.info.Primaries, v.info.Transfer, v.info.Matrix = v.parameters.Color.Names()
	v.info.Aspect = index.Ratio{Num: int32(v.parameters.Aspect.Num), Den: int32(v.parameters.Aspect.Den)}
	v.base = s.Base
	if s.Rate.Den > 0 {
		v.info.Rate = float64(s.Rate.Num) / float64(s.Rate.Den)
	}
}

func (v *Video) setIndex(x *index.Index) error {
	if x.Len() == 0 {
		return &spool.Error{Op: "decode", Class: spool.ErrTruncated, Text: "the video has no frames"}
	}
	v.index = x
	v.session.found = nil
	v.session.looks = x.Stream.Codec == "h264" &&
		!slices.ContainsFunc(x.Packets, func(p index.Packet) bool { return p.Flags&index.Disposable != 0 })
	v.info.Cut = x.Stream.Cut
	v.info.Frames, v.info.Start, v.info.End = x.Len(), x.Time(0), x.End(x.Len()-1)
	return nil
}

func (v *Video) withinLimits() error {
	if v.info.Width <= 0 || v.info.Height <= 0 {
		return &spool.Error{Op: "decode", Class: spool.ErrCorrupt,
			Text: fmt.Sprintf("a size of %dx%d: width and height must be positive", v.info.Width, v.info.Height)}
	}
	return limit.Pixels(v.decoder.limits, v.info.Width, v.info.Height)
}

// bitsOf is the depth of a pixel format, 8 where it is unknown.
func bitsOf(format string) int {
	if f, ok := av.FormatNamed(format); ok && f.Depth() > 0 {
		return f.Depth()
	}
	return 8
}

// displayed is the EXIF value of a display matrix, with the result of the ffmpeg command. Other angles are rounded to
// the nearest quarter turn.
func displayed(s *index.Stream) int {
	turns := int(math.Round(s.Rotation/90)) & 3 // counter-clockwise
	if s.Mirrored {
		return [...]int{4, 7, 2, 5}[turns]
	}
	return [...]int{1, 8, 3, 6}[turns]
}

// Info describes the video.
func (v *Video) Info() Info { return v.info }

// Index is the table of the video's packets, shared and read-only. It is nil for a stream.
func (v *Video) Index() *index.Index { return v.index }

// Fallback returns, as ErrDevice, why OpenOptions.Device does not decode. It is nil where the device decodes, where
// none was requested, and before the first frame.
func (v *Video) Fallback() error { return v.session.fallback }

// Len is the number of frames; 0 for a stream.
func (v *Video) Len() int { return v.info.Frames }

// Sample describes a clip of n frames.
func (v *Video) Sample(n int, spec Spec) (spool.Desc, error) {
	if err := spec.Validate(); err != nil {
		return spool.Desc{}, err
	}
	outputs, err := v.outputs(spec)
	if err != nil {
		return spool.Desc{}, v.fault(context.Background(), err)
	}
	return spec.cropped(clipOf(n, outputs[0].desc)), nil
}

// Close closes the video; the object is no longer lent. It returns nil; a second Close does nothing.
func (v *Video) Close() error {
	for _, s := range v.siblings {
		_ = s.release() // always nil
	}
	v.siblings = nil
	err := v.release()
	v.in.Close()
	return err
}

// release closes one handle of the input.
func (v *Video) release() error {
	v.away = nil
	v.session.close()
	if v.input == nil {
		return nil
	}
	err := v.input.Close()
	v.input = nil
	return err
}

// workers is the number of handles that decode a request.
func (v *Video) workers() int {
	switch {
	case v.options.Workers > 0:
		return v.options.Workers
	case v.in.IsRemote() && v.options.Device == "":
		return cores.Count()
	}
	return 1
}

// isClosed reports whether Close was called.
func (v *Video) isClosed() bool { return v.input == nil && v.away == nil }

// fault adds the file's name to an error, and a class to a context's error.
func (v *Video) fault(ctx context.Context, err error) error {
	if _, told := errors.AsType[*spool.Error](err); !told {
		err = failure.Ended(ctx, err)
	}
	return spool.InFile(err, v.name)
}
