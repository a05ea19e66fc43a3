package decode

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/ranges"
)

// Media is the result of [Probe]: an image, or a container with streams.
type Media struct {
	Kind      Kind
	Picture   ImageInfo // for an image
	Container av.Media  // for video and audio
	Fetched   Fetched   // for a remote object
}

// headBytes is the length of the head that identifies a file's format.
const headBytes = 4096

// Probe finds out what an object holds, by its content, without decoding it. An image is read into memory, under the
// limits. Of video and audio only the bytes that the container's index needs are read.
//
//	Errors: those of [Decoder.Image] and of [spool.File.Open]; they name the object. ErrOptions for a stream, whose read
//	        bytes would be lost.
func Probe(ctx context.Context, object spool.Object, limits Limits) (Media, error) {
	limits = limits.WithDefaults()
	in, err := openInput(ctx, object, ranges.Options{}, nil)
	if err != nil {
		return Media{}, spool.InFile(ended(ctx, err), nameOf(object))
	}
	defer in.close()
	if in.isStream() {
		return Media{}, fmt.Errorf("%w: a stream cannot be probed: the bytes read would be lost", spool.ErrOptions)
	}
	m, err := mediaOf(ctx, in, limits)
	if err != nil {
		return Media{}, spool.InFile(ended(ctx, err), in.info.Name)
	}
	m.Fetched = in.fetched()
	return m, nil
}

func mediaOf(ctx context.Context, in *input, limits Limits) (Media, error) {
	data, err := read(ctx, in, limits)
	if err != nil {
		return Media{}, err
	}
	found := format.Of(data)
	if found == 0 {
		return container(ctx, in)
	}
	if err := Decodes(found); err != nil {
		return Media{}, err
	}
	info, err := ReadHeader(ctx, data, limits)
	return Media{Kind: KindImage, Picture: info.Detached()}, err
}

// read returns the bytes of an image file; of other files, which may be huge, only the head.
func read(ctx context.Context, in *input, limits Limits) ([]byte, error) {
	size := in.info.Size
	head := make([]byte, min(size, headBytes))
	if err := readFull(ctx, in.object, head); err != nil {
		return nil, err
	}
	if len(head) == 0 {
		return nil, &spool.Error{Op: "probe", Class: spool.ErrEmpty, Text: "zero bytes"}
	}
	if Decodes(format.Of(head)) != nil {
		return head, nil
	}
	if size > limits.MaxBytes {
		return nil, tooLarge("%d bytes, the limit is %d", size, limits.MaxBytes)
	}
	if b, ok := in.object.(spool.Bytes); ok {
		return b.Data, nil
	}
	if in.isDistant() {
		in.far.whole()
	}
	data := make([]byte, size)
	return data, readFull(ctx, in.object, data)
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

// container probes the input with FFmpeg.
func container(ctx context.Context, in *input) (Media, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return Media{}, err
	}
	defer c.Leave()
	opened, err := in.demuxer(c, av.InputOptions{})
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
	kind := KindAudio
	for _, s := range found.Streams {
		if s.Kind == av.Video {
			kind = KindVideo
		}
	}
	return Media{Kind: kind, Container: found}, nil
}

// countedBytes is the size up to which a file is read to count its frames.
const countedBytes = 16 << 20

// framesOf is the number of a stream's frames where it is cheap to find: from an index saved next to the file, or by
// reading the packets of a small file. It is 0 otherwise. The counts in containers are not used: they include frames
// that were cut off.
func framesOf(c *call.Call, opened *av.Input, in *input, stream int) int {
	file := in.state()
	if in.info.Path != "" {
		if x := savedIndex(in.info.Path, ""); x != nil && x.File == file && x.Stream.Number == stream {
			return x.Len()
		}
	}
	if in.isDistant() {
		if !in.far.tables {
			return 0
		}
		var err error
		if opened, err = openTables(c, in); err != nil {
			return 0
		}
		defer func() { _ = opened.Close() }() // always nil
	} else if file.Size > countedBytes {
		return 0
	}
	opened.Select(stream)
	entries, err := opened.Scan(c, stream)
	packets := packetsOf(entries)
	if err != nil || !index.Timed(packets) {
		return 0
	}
	x, err := index.New(file, index.Stream{Base: index.Ratio{Num: 1, Den: 1}}, packets)
	if err != nil {
		return 0
	}
	return x.Len()
}
