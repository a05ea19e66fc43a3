package decode

import (
	"context"
	"fmt"
	"hash/crc32"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/ranges"
)

// input is the object that a handle reads, from open to close.
type input struct {
	object spool.Object
	info   spool.ObjectInfo
	far    *distant     // remote: the reader behind object; nil for local objects
	opened spool.Object // opened by us from a spool.Opener; closed by close
}

// openInput opens an object. For a remote object it fetches the bytes that a demuxer reads first.
func openInput(ctx context.Context, o spool.Object, how ranges.Options, ends *farEnds) (*input, error) {
	in := &input{object: o}
	switch form := o.(type) {
	case nil:
		return nil, fmt.Errorf("%w: no object", spool.ErrOptions)
	case spool.Opener:
		var err error
		if in.opened, err = form.OpenParts(ctx, farHead, int(ends.tail())); err != nil {
			return nil, err
		}
		in.object = in.opened
	case spool.Stream:
		if form.Reader == nil {
			return nil, fmt.Errorf("%w: a stream without a reader", spool.ErrOptions)
		}
		in.info = form.Info()
		return in, nil
	}
	in.info = in.object.Info()
	if in.info.Size < 0 {
		in.close()
		return nil, fmt.Errorf("%w: an object of %d bytes", spool.ErrOptions, in.info.Size)
	}
	if in.info.Remote {
		in.far = &distant{Reader: ranges.New(in.object, how), ends: ends}
		in.object = in.far
		if err := in.far.look(ctx); err != nil {
			in.close()
			return nil, err
		}
		in.info = in.far.Info() // with the version, which the first response may have given
	}
	return in, nil
}

func (in *input) close() {
	if in == nil {
		return
	}
	if in.far != nil {
		in.far.Reader.Close()
	}
	if in.opened != nil {
		_ = in.opened.Close() // opened for reading only
	}
}

// isStream reports whether the input can be read only once, from front to back.
func (in *input) isStream() bool {
	_, is := in.object.(spool.Stream)
	return is
}

// isDistant reports whether the input is a remote object.
func (in *input) isDistant() bool { return in != nil && in.far != nil }

// demuxer opens the input with FFmpeg.
func (in *input) demuxer(c *call.Call, o av.InputOptions) (*av.Input, error) {
	if in.far != nil {
		return av.Open(c, arrived{in.far}, o)
	}
	return av.Open(c, in.object, o)
}

// arrived reads a remote object for a demuxer. A read returns the bytes that have arrived, and waits only where none
// have.
type arrived struct{ *distant }

func (a arrived) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return a.Some(ctx, p, off)
}

// endBytes is the length of the two ends that identify bytes in memory among others of the same length.
const endBytes = 64 << 10

// state identifies the file, and its version, that an index belongs to. It is zero for a stream.
func (in *input) state() index.File {
	switch form := in.object.(type) {
	case spool.Stream:
		return index.File{}
	case spool.Bytes:
		table := crc32.MakeTable(crc32.Castagnoli)
		digest := crc32.Checksum(form.Data[:min(endBytes, len(form.Data))], table)
		digest = crc32.Update(digest, table, form.Data[max(0, len(form.Data)-endBytes):])
		return index.File{Size: in.info.Size, Version: fmt.Sprintf("crc32c %08x", digest)}
	}
	return index.File{Size: in.info.Size, Version: in.info.Version}
}
