package container

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

// Input is the object that a handle reads, from open to close.
type Input struct {
	Object spool.Object
	Info   spool.ObjectInfo
	Remote *Remote      // remote: the reader behind object; nil for local objects
	Far    bool         // reads take long, though Remote is nil: see package isolated
	opened spool.Object // opened by us from a spool.Opener; closed by close
}

// Open opens an object. For a remote object it fetches the bytes that a demuxer reads first.
func Open(ctx context.Context, o spool.Object, how ranges.Options, ends *Ends) (*Input, error) {
	in := &Input{Object: o}
	switch form := o.(type) {
	case nil:
		return nil, fmt.Errorf("%w: no object", spool.ErrOptions)
	case spool.Opener:
		var err error
		if in.opened, err = form.OpenParts(ctx, remoteHead, int(ends.tail())); err != nil {
			return nil, err
		}
		in.Object = in.opened
	case spool.Stream:
		if form.Reader == nil {
			return nil, fmt.Errorf("%w: a stream without a reader", spool.ErrOptions)
		}
		in.Info = form.Info()
		return in, nil
	}
	in.Info = in.Object.Info()
	if in.Info.Size < 0 {
		in.Close()
		return nil, fmt.Errorf("%w: an object of %d bytes", spool.ErrOptions, in.Info.Size)
	}
	if in.Info.Remote {
		in.Remote = &Remote{Reader: ranges.New(in.Object, how), ends: ends}
		in.Object = in.Remote
		if err := in.Remote.detect(ctx); err != nil {
			in.Close()
			return nil, err
		}
		in.Info = in.Remote.Info() // with the version, which the first response may have given
	}
	return in, nil
}

// Close ends the use of the object. A nil input is closed already.
func (in *Input) Close() {
	if in == nil {
		return
	}
	if in.Remote != nil {
		in.Remote.Reader.Close()
	}
	if in.opened != nil {
		_ = in.opened.Close() // opened for reading only
	}
}

// IsStream reports whether the input can be read only once, from front to back.
func (in *Input) IsStream() bool {
	_, is := in.Object.(spool.Stream)
	return is
}

// IsRemote reports whether the input is a remote object.
func (in *Input) IsRemote() bool { return in != nil && in.Remote != nil }

// IsFar reports whether reads of the input take long.
func (in *Input) IsFar() bool { return in.IsRemote() || in.Far }

// Demuxer opens the input with FFmpeg.
func (in *Input) Demuxer(c *call.Call, o av.InputOptions) (*av.Input, error) {
	if in.Remote != nil {
		return av.Open(c, arrived{in.Remote}, o)
	}
	return av.Open(c, in.Object, o)
}

// arrived reads a remote object for a demuxer. A read returns the bytes that have arrived, and waits only where none
// have.
type arrived struct{ *Remote }

func (a arrived) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return a.Some(ctx, p, off)
}

// endBytes is the length of the two ends that identify bytes in memory among others of the same length.
const endBytes = 64 << 10

// State identifies the file, and its version, that an index belongs to. It is zero for a stream.
func (in *Input) State() index.File {
	switch form := in.Object.(type) {
	case spool.Stream:
		return index.File{}
	case spool.Bytes:
		table := crc32.MakeTable(crc32.Castagnoli)
		digest := crc32.Checksum(form.Data[:min(endBytes, len(form.Data))], table)
		digest = crc32.Update(digest, table, form.Data[max(0, len(form.Data)-endBytes):])
		return index.File{Size: in.Info.Size, Version: fmt.Sprintf("crc32c %08x", digest)}
	}
	return index.File{Size: in.Info.Size, Version: in.Info.Version}
}
