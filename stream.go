package spool

import (
	"context"
	"io"
)

// Stream is an Object that can only be read once and sequentially, such as a pipe. Its size is -1. A decoder reads an
// image's stream to its end, and returns video frames and audio samples in the order of the stream only.
type Stream struct {
	Reader io.Reader // lent until the decoder that reads it is closed
	Name   string    // for display; may be empty
}

// ReadAt fails with ErrUnsupported: a stream has no random access.
func (s Stream) ReadAt(context.Context, []byte, int64) (int, error) {
	return 0, &Error{Op: "read", File: s.Name, Class: ErrUnsupported,
		Text: "a stream, which can only be read sequentially"}
}

// Info returns the stream's name, with size -1.
func (s Stream) Info() ObjectInfo { return ObjectInfo{Name: s.Name, Size: -1} }

// Close does nothing.
func (s Stream) Close() error { return nil }
