package probe

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/ranges"
)

// Media is the result of [Probe]: an image, or a container with streams.
type Media struct {
	Medium    decode.Medium
	Image     image.Info     // for an image
	Container Container      // for video and audio
	Fetched   decode.Fetched // for a remote object
}

// headBytes is the length of the head that identifies a file's format.
const headBytes = 4096

// Probe finds out what an object holds, by its content, without decoding it. An image is read into memory, under the
// limits. Of video and audio only the bytes that the container's index needs are read.
//
//	Errors: those of [image.Decoder.Decode] and of [spool.File.Open]; they name the object. ErrOptions for a stream, whose read
//	        bytes would be lost.
func Probe(ctx context.Context, object spool.Object, limits decode.Limits) (Media, error) {
	limits = limits.WithDefaults()
	in, err := container.Open(ctx, object, ranges.Options{}, nil)
	if err != nil {
		return Media{}, spool.InFile(failure.Ended(ctx, err), contents.NameOf(object))
	}
	defer in.Close()
	if in.IsStream() {
		return Media{}, fmt.Errorf("%w: a stream cannot be probed: the bytes read would be lost", spool.ErrOptions)
	}
	m, err := mediaOf(ctx, in, limits)
	if err != nil {
		return Media{}, spool.InFile(failure.Ended(ctx, err), in.Info.Name)
	}
	m.Fetched = in.Fetched()
	return m, nil
}

func mediaOf(ctx context.Context, in *container.Input, limits decode.Limits) (Media, error) {
	data, err := read(ctx, in, limits)
	if err != nil {
		return Media{}, err
	}
	found := format.Of(data)
	if found == 0 {
		return probeContainer(ctx, in)
	}
	if err := image.CheckFormat(found); err != nil {
		return Media{}, err
	}
	info, err := image.ReadHeader(ctx, data, limits)
	return Media{Medium: decode.Image, Image: info.Detached()}, err
}

// read returns the bytes of an image file; of other files, which may be huge, only the head.
func read(ctx context.Context, in *container.Input, limits decode.Limits) ([]byte, error) {
	size := in.Info.Size
	head := make([]byte, min(size, headBytes))
	if err := readFull(ctx, in.Object, head); err != nil {
		return nil, err
	}
	if len(head) == 0 {
		return nil, &spool.Error{Op: "probe", Class: spool.ErrEmpty, Text: "zero bytes"}
	}
	if image.CheckFormat(format.Of(head)) != nil {
		return head, nil //nolint:nilerr // not an image: FFmpeg probes it
	}
	if size > limits.MaxBytes {
		return nil, limit.Exceeded("%d bytes, the limit is %d", size, limits.MaxBytes)
	}
	if b, ok := in.Object.(spool.Bytes); ok {
		return b.Data, nil
	}
	if in.IsRemote() {
		in.Remote.FetchAll()
	}
	data := make([]byte, size)
	return data, readFull(ctx, in.Object, data)
}

// readFull fills p with an object's first bytes.
func readFull(ctx context.Context, o spool.Object, p []byte) error {
	if n, err := o.ReadAt(ctx, p, 0); n < len(p) {
		return shrunk(err)
	}
	return nil
}

// shrunk gives a class to the error of a file that ended before its former size.
func shrunk(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &spool.Error{Op: "probe", Class: spool.ErrIO, Text: "became shorter while it was read", Err: err}
	}
	return err
}

// probeContainer probes the input with FFmpeg.
func probeContainer(ctx context.Context, in *container.Input) (Media, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return Media{}, err
	}
	defer c.Leave()
	opened, err := in.Demuxer(c, av.InputOptions{})
	if err != nil {
		return Media{}, err
	}
	defer func() { _ = opened.Close() }() // always nil
	found := opened.Media()
	if best := found.Best(av.Video); best != nil {
		if n := framesOf(c, opened, in, best.Index); n > 0 {
			best.Frames = int64(n)
		}
	}
	kind := decode.Audio
	for _, s := range found.Streams {
		if s.Kind == av.Video {
			kind = decode.Video
		}
	}
	return Media{Medium: kind, Container: containerOf(&found)}, nil
}

// countedBytes is the size up to which a file is read to count its frames.
const countedBytes = 16 << 20

// framesOf is the number of a stream's frames where it is cheap to find: from an index saved next to the file, or by
// reading the packets of a small file. It is 0 otherwise. The counts in containers are not used: they include frames
// that were cut off.
func framesOf(c *call.Call, opened *av.Input, in *container.Input, stream int) int {
	file := in.State()
	if in.Info.Path != "" {
		if x := video.SavedIndex(in.Info.Path, ""); x != nil && x.File == file && x.Stream.Number == stream {
			return x.Len()
		}
	}
	if in.IsRemote() {
		if !in.Remote.Tables {
			return 0
		}
		var err error
		if opened, err = container.OpenTables(c, in); err != nil {
			return 0
		}
		defer func() { _ = opened.Close() }() // always nil
	} else if file.Size > countedBytes {
		return 0
	}
	opened.Select(stream)
	entries, err := opened.Scan(c, stream)
	packets := container.PacketsOf(entries)
	if err != nil || !index.Timed(packets) {
		return 0
	}
	x, err := index.New(file, index.Stream{Base: index.Ratio{Num: 1, Den: 1}}, packets)
	if err != nil {
		return 0
	}
	return x.Len()
}
