package encode

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// output is the destination of a file: a path, under which the file appears when it is complete, or a writer.
type output struct {
	path      string // final path; empty: to a writer
	temporary string // current path; empty if the file is finished or removed
	writer    io.Writer
	streamed  bool // write the available data after each call, not the whole file at the end
}

// begin creates the temporary file, in the folder of path, so that it can be renamed.
func begin(path string) (*output, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &spool.Error{Op: "write", File: path, Class: spool.ErrNotAFile,
			Text: "a directory, where a file is to be written"}
	}
	folder, name := filepath.Split(path)
	if folder == "" {
		folder = "."
	}
	file, err := os.CreateTemp(folder, "."+name+".*")
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, &spool.Error{Op: "write", File: path, Class: spool.ErrNotFound, Text: "no such directory", Err: err}
	}
	if err != nil {
		return nil, spool.InFile(err, path)
	}
	o := &output{path: path, temporary: file.Name()}
	if err := errors.Join(file.Chmod(0o644), file.Close()); err != nil {
		return nil, spool.InFile(errors.Join(err, o.discard()), path)
	}
	return o, nil
}

// toFile writes a file of packets, which appears complete or not at all. write adds the streams, and finishes the file.
func toFile(ctx context.Context, path, format string, write func(*call.Call, *av.Muxer) error) error {
	container, err := av.ContainerOf(format, path)
	if err != nil {
		return spool.InFile(err, path)
	}
	out, err := begin(path)
	if err != nil {
		return err
	}
	err = out.mux(ctx, container.Name, write)
	if err == nil {
		err = out.finish(nil)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = &spool.Error{Op: "remux", Class: spool.ClassOf(err), Text: "stopped", Err: err}
	}
	if err != nil {
		return spool.InFile(errors.Join(err, out.discard()), path)
	}
	return nil
}

// mux calls write with a muxer for the temporary file.
func (o *output) mux(ctx context.Context, format string, write func(*call.Call, *av.Muxer) error) error {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return err
	}
	defer c.Leave()
	muxer, err := av.NewMuxer(c, format, o.temporary)
	if err != nil {
		return err
	}
	defer func() { _ = muxer.Close() }() // the file is finished or discarded anyway
	return write(c, muxer)
}

// deliver writes data to the writer.
func (o *output) deliver(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	n, err := o.writer.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err != nil && spool.ClassOf(err) == "" {
		err = &spool.Error{Op: "write", Class: spool.ErrIO, Text: err.Error(), Err: err}
	}
	return err
}

// finish renames the file to its path, or writes data to the writer.
func (o *output) finish(data []byte) error {
	if o.writer != nil {
		return o.deliver(data)
	}
	if err := os.Rename(o.temporary, o.path); err != nil {
		return spool.InFile(err, o.path)
	}
	o.temporary = ""
	return nil
}

// discard removes an incomplete file.
func (o *output) discard() error {
	if o.temporary == "" {
		return nil
	}
	err := os.Remove(o.temporary)
	o.temporary = ""
	return err
}
