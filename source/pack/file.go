package pack

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/spoolmedia/spool"
)

// file is a shard while it is written.
type file struct {
	path string
	file *os.File
	sum  hash.Hash
	*bufio.Writer
}

const unfinished = ".part"

// create begins a shard under its name and a suffix. A file of this name is that of an ended process.
func create(path, suffix string) (*file, error) {
	out, err := os.Create(path + suffix)
	if err != nil {
		return nil, spool.FileError("write", path, err)
	}
	f := &file{path: path, file: out, sum: sha256.New()}
	f.Writer = bufio.NewWriterSize(io.MultiWriter(out, f.sum), 1<<18)
	return f, nil
}

// finish gives the file its name, when its bytes are on the disk.
func (f *file) finish() (Shard, error) {
	err := f.Flush()
	if err == nil {
		err = f.file.Sync()
	}
	var size int64
	if err == nil {
		size, err = f.file.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		err = f.file.Close()
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.path)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(f.path))
	}
	if err != nil {
		f.discard()
		return Shard{}, spool.FileError("write", f.path, err)
	}
	return Shard{Name: filepath.Base(f.path), Bytes: size, SHA256: hex.EncodeToString(f.sum.Sum(nil))}, nil
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
func (f *file) discard() {
	f.file.Close()
	_ = os.Remove(f.file.Name()) // the caller already has an error
}
