package files

import (
	"io"
	"io/fs"
	"sync"
)

// sequence reads a file that supports only sequential reads, such as one in a zip archive, at any offset. It reads and
// drops the bytes in between, and opens the file again to go back.
type sequence struct {
	fsys fs.FS
	name string

	mu sync.Mutex // guards the fields below
	f  fs.File    // nil when closed
	at int64      // offset of f
}

func (s *sequence) ReadAt(p []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil {
		return 0, fs.ErrClosed
	}
	if off < s.at {
		f, err := s.fsys.Open(s.name)
		if err != nil {
			return 0, err
		}
		s.f.Close()
		s.f, s.at = f, 0
	}
	if off > s.at {
		skipped, err := io.CopyN(io.Discard, s.f, off-s.at)
		s.at += skipped
		if err != nil {
			return 0, err
		}
	}
	n, err := io.ReadFull(s.f, p)
	s.at += int64(n)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

func (s *sequence) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil {
		return nil
	}
	f := s.f
	s.f = nil
	return f.Close()
}
