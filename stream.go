package spool

import (
	"context"
	"io"
)

// Stream is an Object that can only be read once, from front to back, such as a pipe. Its size is -1. OpenVideo and OpenAudio
// take it: frames come in their order and no other.
type Stream struct {
	Reader io.Reader // lent until what reads it is closed
	Name   string    // for people; may be empty
}

// ReadAt fails with ErrUnsupported: a stream has no parts.
func (s Stream) ReadAt(context.Context, []byte, int64) (int, error) {
	return 0, &Error{Op: "read", File: s.Name, Class: ErrUnsupported, Text: "a stream, which can only be read from front to back"}
}

// Info is the stream's name.
func (s Stream) Info() ObjectInfo { return ObjectInfo{Name: s.Name, Size: -1} }

// Close does nothing.
func (s Stream) Close() error { return nil }
