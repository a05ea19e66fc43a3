package cache

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// opened is an entry that is being read.
type opened struct {
	header
	file file
	used time.Time
	disk int64  // disk space
	node uint64 // inode, which differs for a file that replaces it
}

// file is an open file, without what os.File adds for files that may block.
type file int

func openFile(path string) (file, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if !errors.Is(err, unix.EINTR) {
			return file(fd), err
		}
	}
}

// readFull fills p. It returns false if the file ends before, or cannot be read.
func (f file) readFull(p []byte, off int64) bool {
	for len(p) > 0 {
		n, err := unix.Pread(int(f), p, off)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n <= 0:
			return false
		}
		p, off = p[n:], off+int64(n)
	}
	return true
}

func (f file) close() { _ = unix.Close(int(f)) }

// headers are buffers for the beginnings of files.
var headers = sync.Pool{New: func() any { return new([likely]byte) }}

// errBroken reports an entry that is not what was written.
var errBroken = errors.New("not whole")

// openEntry opens an entry's file and checks its header. The error is fs.ErrNotExist, errBroken, or another one of the
// system. With errBroken it returns what is needed to remove the entry.
func openEntry(path string) (*opened, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	e := &opened{file: f}
	var st unix.Stat_t
	if err := unix.Fstat(int(f), &st); err != nil {
		f.close()
		return nil, err
	}
	e.used, e.disk, e.node = time.Unix(st.Mtim.Unix()), onDisk(st.Size), st.Ino
	if st.Mode&unix.S_IFMT != unix.S_IFREG || !e.read(st.Size) {
		f.close()
		return e, errBroken
	}
	return e, nil
}

// read reads the header.
func (e *opened) read(size int64) bool {
	buffer := headers.Get().(*[likely]byte)
	defer headers.Put(buffer)
	b := buffer[:min(likely, size)]
	if !e.file.readFull(b, 0) {
		return false
	}
	n := headerLength(b, size)
	if n == 0 {
		return false
	}
	if n > int64(len(b)) {
		b = make([]byte, n)
		if !e.file.readFull(b, 0) {
			return false
		}
	}
	return e.parse(b[:n])
}

// readAt fills p with the entry's bytes at off, and verifies them. p must be within the entry. Whole pages are read
// directly into p; of those at the ends of p the rest is read, too.
func (e *opened) readAt(p []byte, off int64) bool {
	for len(p) > 0 {
		i := off / page
		first := i * page
		length := min(page, e.size-first)
		if off > first || int64(len(p)) < length { // a part of a page
			var scratch [page]byte
			whole := scratch[:length]
			if !e.file.readFull(whole, e.length+first) || checksum(whole) != e.sums[i] {
				return false
			}
			n := copy(p, whole[off-first:])
			p, off = p[n:], off+int64(n)
			continue
		}
		n := int64(len(p)) / page * page
		if first+int64(len(p)) == e.size {
			n = int64(len(p)) // the last page is shorter
		}
		if !e.file.readFull(p[:n], e.length+first) {
			return false
		}
		for ; n > 0; i++ {
			length := min(page, n)
			if checksum(p[:length]) != e.sums[i] {
				return false
			}
			p, off, n = p[length:], off+length, n-length
		}
	}
	return true
}

// touch sets the modification time of the entry's file to the time of use, to the minute. People see it, and unused
// entries are found by it. A time in the future comes from a clock that was set back.
func (e *opened) touch(path string, now time.Time) {
	if now.Sub(e.used).Abs() >= time.Minute {
		_ = os.Chtimes(path, now, now) // fails for another user's file
	}
}

// still reports whether the path is still this entry's, and not that of another which replaced it.
func (e *opened) still(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil && st.Ino == e.node
}

// writeEntry writes a header and bytes to a file.
func writeEntry(f *os.File, head, data []byte) error {
	for _, b := range [][]byte{head, data} {
		n, err := f.Write(b)
		if err == nil && n < len(b) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return err
		}
	}
	return nil
}
