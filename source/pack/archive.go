package pack

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spoolmedia/spool"
)

// archive is a tar file while it is written.
type archive struct {
	path   string
	file   *os.File
	sum    hash.Hash
	buffer *bufio.Writer
	tar    *tar.Writer
}

const unfinished = ".part"

func create(path string) (*archive, error) {
	file, err := os.Create(path + unfinished) // of an ended process, if it exists
	if err != nil {
		return nil, spool.FileError("write", path, err)
	}
	a := &archive{path: path, file: file, sum: sha256.New()}
	a.buffer = bufio.NewWriterSize(io.MultiWriter(file, a.sum), 1<<18)
	a.tar = tar.NewWriter(a.buffer)
	return a, nil
}

// sample adds sample i, at a position of the packed order.
func (a *archive) sample(ctx context.Context, s samples, i, at int, buffer []byte) error {
	item, key := s.src.Item(i), fmt.Sprintf("%09d.", at)
	for k := range s.files() {
		if err := a.part(ctx, s, i, k, key, buffer); err != nil {
			return err
		}
	}
	if item.Label < 0 {
		return nil
	}
	return a.member(key+labelMember, strconv.AppendInt(nil, item.Label, 10))
}

// member adds a member.
func (a *archive) member(name string, data []byte) error {
	if err := a.begin(name, int64(len(data))); err != nil {
		return err
	}
	if _, err := a.tar.Write(data); err != nil {
		return spool.FileError("write", a.path, err)
	}
	return nil
}

// part adds file k of sample i, if the sample has it.
func (a *archive) part(ctx context.Context, s samples, i, k int, key string, buffer []byte) error {
	o, err := s.open(ctx, i, k)
	if err != nil || o == nil {
		return err
	}
	defer o.Close()
	ext := s.extension(s.src.Item(i), k)
	if k == 0 && s.transform.Apply != nil {
		data, err := spool.ReadAll(ctx, o, nil, s.transform.MaxBytes)
		if err == nil {
			data, ext, err = s.transform.Apply(ctx, data, ext)
		}
		if err != nil {
			return spool.InFile(err, s.src.Item(i).Name)
		}
		return a.member(key+ext, data)
	}
	size := o.Info().Size
	if err := a.begin(key+ext, size); err != nil {
		return err
	}
	for off := int64(0); off < size; {
		n, err := spool.ReadRange(ctx, o, buffer[:min(size-off, int64(len(buffer)))], off)
		if n == 0 && err == io.EOF { //nolint:errorlint // ReadRange returns it as it is
			err = &spool.Error{Op: "read", Class: spool.ErrTruncated, Text: "became shorter while it was read"}
		}
		if n == 0 && err != nil {
			return spool.InFile(err, s.src.Item(i).Name)
		}
		if _, err := a.tar.Write(buffer[:n]); err != nil {
			return spool.FileError("write", a.path, err)
		}
		off += int64(n)
	}
	return nil
}

func (a *archive) begin(name string, size int64) error {
	if err := a.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644}); err != nil {
		return spool.FileError("write", a.path, err)
	}
	return nil
}

// finish gives the file its name, when its bytes are on the disk.
func (a *archive) finish() (Shard, error) {
	err := a.tar.Close()
	if err == nil {
		err = a.buffer.Flush()
	}
	if err == nil {
		err = a.file.Sync()
	}
	var size int64
	if err == nil {
		size, err = a.file.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		err = a.file.Close()
	}
	if err == nil {
		err = os.Rename(a.file.Name(), a.path)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(a.path))
	}
	if err != nil {
		a.discard()
		return Shard{}, spool.FileError("write", a.path, err)
	}
	return Shard{Name: filepath.Base(a.path), Bytes: size, SHA256: hex.EncodeToString(a.sum.Sum(nil))}, nil
}

// syncFolder writes the names in a folder to the disk.
func syncFolder(folder string) error {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// discard removes an unfinished file.
func (a *archive) discard() {
	a.file.Close()
	_ = os.Remove(a.file.Name()) // the caller already has an error
}
