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
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
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

// sample adds sample i of a source, at a position of the packed order.
func (a *archive) sample(ctx context.Context, src source.Source, i, at int, buffer []byte) error {
	item := src.Item(i)
	o, err := src.Open(ctx, i)
	if err != nil {
		return err
	}
	defer o.Close()
	key := fmt.Sprintf("%09d", at)
	size := o.Info().Size
	if err := a.begin(key+extension(item), size); err != nil {
		return err
	}
	for off := int64(0); off < size; {
		n, err := spool.ReadRange(ctx, o, buffer[:min(size-off, int64(len(buffer)))], off)
		if n == 0 && err == io.EOF { //nolint:errorlint // ReadRange returns it as it is
			err = &spool.Error{Op: "read", Class: spool.ErrTruncated, Text: "became shorter while it was read"}
		}
		if n == 0 && err != nil {
			return spool.InFile(err, item.Name)
		}
		if _, err := a.tar.Write(buffer[:n]); err != nil {
			return spool.FileError("write", a.path, err)
		}
		off += int64(n)
	}
	if item.Label < 0 {
		return nil
	}
	label := strconv.FormatInt(item.Label, 10)
	if err := a.begin(key+".cls", int64(len(label))); err != nil {
		return err
	}
	if _, err := io.WriteString(a.tar, label); err != nil {
		return spool.FileError("write", a.path, err)
	}
	return nil
}

func (a *archive) begin(name string, size int64) error {
	if err := a.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644}); err != nil {
		return spool.FileError("write", a.path, err)
	}
	return nil
}

// extension returns the extension of a sample's media, by its name or its key: ".bin" if neither has a usual one.
func extension(item source.Item) string {
	for _, name := range []string{spool.Redacted(item.Name), item.Key} {
		ext := strings.ToLower(filepath.Ext(name))
		for _, medium := range []source.Medium{source.Images, source.Videos, source.Audio} {
			if slices.Contains(medium.Extensions(), ext) {
				return ext
			}
		}
	}
	return ".bin"
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
