package decode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/ranges"
)

// Kind is what a file is.
type Kind string

const (
	KindImage Kind = "image"
	KindVideo Kind = "video"
	KindAudio Kind = "audio"
)

// Media is what [Probe] finds in a file: a picture, or a container with streams.
type Media struct {
	Kind      Kind
	Picture   ImageInfo // of an image
	Container av.Media  // of video and audio
	Fetched   Fetched   // of a remote object
}

// ProbeImage says what the picture in data is, without decoding it. Data are lent; errors are those of
// [Decoder.Image].
func ProbeImage(ctx context.Context, data []byte, limits Limits) (ImageInfo, error) {
	limits.setDefaults()
	_, info, err := header(ctx, data, 0, 0, limits)
	if err != nil {
		return ImageInfo{}, ended(ctx, err)
	}
	return info, nil
}

// headBytes is how much of a file tells its format.
const headBytes = 4096

// Probe says what the file at path holds, by its content, without decoding it. Errors are those of
// [Decoder.Image], and ErrNotFound, ErrNotAFile and ErrPermission; they name the file. A picture is
// read into memory under the limits; of video and audio only what the container's index needs is read.
func Probe(ctx context.Context, path string, limits Limits) (Media, error) {
	return probe(ctx, Input{Path: path}, limits)
}

// ProbeInput is Probe of bytes that lie anywhere: the input is a Path, Data or an Object. ErrOptions says that it is
// none of these.
func ProbeInput(ctx context.Context, in Input, limits Limits) (Media, error) {
	if err := in.Validate(); err != nil {
		return Media{}, err
	}
	if in.Stream != nil {
		return Media{}, fmt.Errorf("%w: a stream cannot be probed: what was read is gone", spool.ErrOptions)
	}
	return probe(ctx, in, limits)
}

func probe(ctx context.Context, in Input, limits Limits) (Media, error) {
	limits.setDefaults()
	far, err := newDistant(ctx, &in, ranges.Options{}, nil)
	if err != nil {
		return Media{}, spool.InFile(ended(ctx, err), in.name())
	}
	defer far.close()
	m, err := mediaOf(ctx, in, limits)
	if err != nil {
		return Media{}, spool.InFile(ended(ctx, err), in.name())
	}
	m.Fetched = far.fetched()
	return m, nil
}

func mediaOf(ctx context.Context, in Input, limits Limits) (Media, error) {
	data, err := read(ctx, in, limits)
	if err != nil {
		return Media{}, err
	}
	format := sniff(data)
	switch {
	case format == 0:
		return container(ctx, in)
	case laneOf(format, 0) == nil:
		return Media{}, refuse("probe", format)
	}
	_, info, err := header(ctx, data, 0, 0, limits)
	return Media{Kind: KindImage, Picture: info}, err
}

// read gives the bytes of a picture's file; of other files, which may be huge, only the head.
func read(ctx context.Context, in Input, limits Limits) ([]byte, error) {
	object := in.Object
	switch {
	case object != nil:
	case in.Data != nil:
		object = spool.NewObject(bytes.NewReader(in.Data), spool.ObjectInfo{Size: int64(len(in.Data))})
	default:
		file, size, err := openRegular(in.Path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		object = spool.NewObject(file, spool.ObjectInfo{Size: size})
	}
	size := object.Info().Size
	head := make([]byte, min(size, headBytes))
	if err := readFull(ctx, object, head); err != nil {
		return nil, err
	}
	if len(head) == 0 {
		return nil, &spool.Error{Op: "probe", Class: spool.ErrEmpty, Text: "zero bytes"}
	}
	if laneOf(sniff(head), 0) == nil {
		return head, nil
	}
	if size > limits.MaxBytes {
		return nil, tooLarge("%d bytes, the limit is %d", size, limits.MaxBytes)
	}
	if in.Data != nil {
		return in.Data, nil
	}
	if far, ok := object.(*distant); ok {
		far.whole()
	}
	data := make([]byte, size)
	return data, readFull(ctx, object, data)
}

// openRegular opens a file and says how large it is.
func openRegular(path string) (*os.File, int64, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !stat.Mode().IsRegular() {
		text := "not a regular file"
		if stat.IsDir() {
			text = "a directory"
		}
		return nil, 0, &spool.Error{Op: "probe", Class: spool.ErrNotAFile, Text: text}
	}
	file, err := os.Open(path)
	return file, stat.Size(), err
}

// readFull fills p with an object's first bytes.
func readFull(ctx context.Context, o spool.Object, p []byte) error {
	if n, err := o.ReadAt(ctx, p, 0); n < len(p) {
		return shrunk(err)
	}
	return nil
}

// shrunk gives a class to the end of a file that was longer a moment ago.
func shrunk(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &spool.Error{Op: "probe", Class: spool.ErrIO, Text: "became shorter while it was read", Err: err}
	}
	return err
}

// container asks FFmpeg.
func container(ctx context.Context, in Input) (Media, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return Media{}, err
	}
	defer c.Leave()
	opened, err := av.Open(c, in.source(), av.InputOptions{})
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

// countedBytes is how large a file may be for its frames to be counted by reading it.
const countedBytes = 16 << 20

// framesOf is the number of a stream's frames where it is cheap to know: from an index that was saved beside the file, or
// by reading the packets of a file that is not large. It is 0 where not; containers that count frames count those that
// are cut off as well.
func framesOf(c *call.Call, opened *av.Input, in Input, stream int) int {
	info, err := in.info()
	if err != nil {
		return 0
	}
	file := stateOf(info)
	if in.Path != "" {
		if x := savedIndex(in.Path, ""); x != nil && x.File == file && x.Stream.Number == stream {
			return x.Len()
		}
	}
	if far, ok := in.Object.(*distant); ok {
		if !far.tables {
			return 0
		}
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
