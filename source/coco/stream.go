package coco

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
)

const (
	chunk    = 1 << 20  // bytes of a read
	maxValue = 64 << 20 // bytes of an image, an annotation or a category
)

// stream reads JSON from an object, value by value.
type stream struct {
	ctx    context.Context //nolint:containedctx // of the one call that uses the stream
	object spool.Object
	buf    []byte
	at     int64 // the offset of buf in the object
	used   int   // bytes of buf that were read
	end    bool  // the object has no more
}

func failed(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "read", Class: class, Text: fmt.Sprintf(format, args...)}
}

// offset returns the offset of the next byte.
func (s *stream) offset() int64 { return s.at + int64(s.used) }

// fill reads more bytes, and keeps those that are not used.
func (s *stream) fill() error {
	if s.end {
		return failed(spool.ErrTruncated, "the file ends at byte %d, within its content", s.at+int64(len(s.buf)))
	}
	s.at += int64(s.used)
	s.buf = s.buf[:copy(s.buf, s.buf[s.used:])]
	s.used = 0
	n := len(s.buf)
	if cap(s.buf)-n < chunk {
		s.buf = append(make([]byte, 0, 2*cap(s.buf)+chunk), s.buf...)
	}
	m, err := s.object.ReadAt(s.ctx, s.buf[n:n+chunk], s.at+int64(n))
	s.buf = s.buf[:n+m]
	if s.end = errors.Is(err, io.EOF); s.end {
		err = nil
	}
	return err
}

// next returns the next byte that is no space, and does not use it.
func (s *stream) next() (byte, error) {
	for {
		for ; s.used < len(s.buf); s.used++ {
			if c := s.buf[s.used]; !space(c) {
				return c, nil
			}
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// accept uses the next byte if it is c.
func (s *stream) accept(c byte) (bool, error) {
	got, err := s.next()
	if err != nil || got != c {
		return false, err
	}
	s.used++
	return true, nil
}

// expect uses the next byte, which has to be c.
func (s *stream) expect(c byte) error {
	ok, err := s.accept(c)
	if err == nil && !ok {
		err = failed(spool.ErrCorrupt, "%q at byte %d, not %q", s.buf[s.used], s.offset(), c)
	}
	return err
}

// value reads a value. The data are valid until the next call.
func (s *stream) value() (data []byte, err error) {
	var e extent
	for size := 0; ; {
		size += e.advance(s.buf[s.used+size:])
		switch {
		case e.done && size == 0:
			return nil, failed(spool.ErrCorrupt, "no value at byte %d", s.offset())
		case e.done:
			data = s.buf[s.used : s.used+size]
			s.used += size
			return data, nil
		case size > maxValue:
			return nil, failed(spool.ErrTooLarge, "a value of more than %d MB at byte %d", maxValue>>20, s.offset())
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// skip passes over a value of any size.
func (s *stream) skip() error {
	var e extent
	for at := s.offset(); ; {
		s.used += e.advance(s.buf[s.used:])
		switch {
		case e.done && s.offset() == at:
			return failed(spool.ErrCorrupt, "no value at byte %d", at)
		case e.done:
			return nil
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
}
