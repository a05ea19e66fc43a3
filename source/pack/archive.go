package pack

import (
	"archive/tar"
	"context"
	"io"
	"strconv"

	"github.com/spoolmedia/spool"
)

// archive writes samples to a tar file. Headers, files and the bytes between them come into one memory, which is
// written when it is full: files are read to where they are written from.
type archive struct {
	samples
	out    io.Writer
	path   string
	memory []byte // its length is what is not written yet
	header *tarHeader
}

// archiveMemory is about what a core's cache holds.
const archiveMemory = 1 << 20

func newArchive(s samples, out io.Writer, path string, memory []byte) *archive {
	return &archive{s, out, path, memory[:0], newTarHeader()}
}

// sample adds sample i, at a position of the packed order.
func (a *archive) sample(ctx context.Context, i, at int) error {
	key := keyAt(at)
	for k := range a.files() {
		if err := a.part(ctx, i, k, key); err != nil {
			return err
		}
	}
	label := a.src.Item(i).Label
	if label < 0 {
		return nil
	}
	return a.member(key+labelMember, strconv.AppendInt(nil, label, 10))
}

// keyAt returns the key of the sample at a position, and a dot: at least nine digits.
func keyAt(at int) string {
	const digits = 9
	var text [32]byte
	number := strconv.AppendInt(text[:digits-1], int64(at), 10) // after places for eight zeros
	for i := range digits - 1 {
		number[i] = '0'
	}
	return string(append(number[min(len(number)-digits, digits-1):], '.'))
}

// member adds a member.
func (a *archive) member(name string, data []byte) error {
	if err := a.begin(name, int64(len(data))); err != nil {
		return err
	}
	if _, err := a.Write(data); err != nil {
		return err
	}
	return a.end(int64(len(data)))
}

// part adds file k of sample i, if the sample has it.
func (a *archive) part(ctx context.Context, i, k int, key string) error {
	o, err := a.open(ctx, i, k)
	if err != nil || o == nil {
		return err
	}
	defer o.Close()
	data, ext, err := a.changed(ctx, o, i, k)
	if err != nil {
		return err
	}
	if ext != "" {
		return a.member(key+ext, data)
	}
	size := o.Info().Size
	if err := a.begin(key+a.extension(a.src.Item(i), k), size); err != nil {
		return err
	}
	for off := int64(0); off < size; {
		left := size - off
		if free := int64(cap(a.memory) - len(a.memory)); left > free && (left <= int64(cap(a.memory)) || free == 0) {
			if err := a.flush(); err != nil { // so that a file takes one read
				return err
			}
		}
		at := len(a.memory)
		n, err := spool.ReadRange(ctx, o, a.memory[at:min(int64(cap(a.memory)), int64(at)+left)], off)
		if n == 0 && err != nil {
			return unread(err, a.src.Item(i).Name)
		}
		a.memory = a.memory[:at+n]
		off += int64(n)
	}
	return a.end(size)
}

// begin adds the header of a member.
func (a *archive) begin(name string, size int64) error {
	var err error
	if header := a.header.of(name, size); header != nil {
		_, err = a.Write(header)
	} else {
		err = tar.NewWriter(a).WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644})
	}
	if err != nil {
		return spool.FileError("write", a.path, err)
	}
	return nil
}

var zeros [tarBlock]byte

// end fills the last block of a member.
func (a *archive) end(size int64) error {
	_, err := a.Write(zeros[:-size&(tarBlock-1)])
	return err
}

// Write adds bytes of the tar file.
func (a *archive) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if len(a.memory) == cap(a.memory) {
			if err := a.flush(); err != nil {
				return n, err
			}
		}
		m := min(len(p)-n, cap(a.memory)-len(a.memory))
		a.memory = append(a.memory, p[n:n+m]...)
		n += m
	}
	return n, nil
}

// flush writes the memory.
func (a *archive) flush() error {
	_, err := a.out.Write(a.memory)
	a.memory = a.memory[:0]
	if err != nil {
		return spool.FileError("write", a.path, err)
	}
	return nil
}

func (a *archive) close() error {
	if err := tar.NewWriter(a).Close(); err != nil {
		return err
	}
	return a.flush()
}
