package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spoolmedia/spool"
)

// Manifest lists the shards of a folder. It is the file manifest.json there.
type Manifest struct {
	Plan
	Shards []Shard `json:"shards"`
}

// Shard describes a tar file.
type Shard struct {
	Name    string `json:"name"`
	Samples int    `json:"samples"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"` // of the file, in hexadecimal
}

// ReadManifest reads the manifest of a folder.
func ReadManifest(folder string) (*Manifest, error) {
	path := filepath.Join(folder, manifestFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, spool.FileError("read", path, err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, &spool.Error{Op: "read", File: spool.Redacted(path), Class: spool.ErrCorrupt, Text: err.Error(), Err: err}
	}
	for _, s := range m.Shards {
		if s.Name == "" || s.Name != filepath.Base(s.Name) {
			return nil, &spool.Error{Op: "read", File: spool.Redacted(path), Class: spool.ErrCorrupt,
				Text: fmt.Sprintf("a shard of this folder cannot be called %.100q", s.Name)}
		}
	}
	return m, nil
}

// Verify reads all shards of a folder and compares them with its manifest, which it returns. It joins the errors of all
// shards: ErrCorrupt if the bytes differ, ErrTruncated if there are too few, ErrNotFound if the shard is missing.
func Verify(ctx context.Context, folder string) (*Manifest, error) {
	m, err := ReadManifest(folder)
	if err != nil {
		return nil, err
	}
	buffer := make([]byte, 1<<20)
	var bad []error
	for _, want := range m.Shards {
		path := filepath.Join(folder, want.Name)
		got, err := measure(ctx, path, buffer)
		switch {
		case ctx.Err() != nil:
			return nil, err
		case err != nil:
		case got.Bytes < want.Bytes:
			err = &spool.Error{Op: "verify", File: spool.Redacted(path), Class: spool.ErrTruncated,
				Text: fmt.Sprintf("%d bytes of %d", got.Bytes, want.Bytes)}
		case got.SHA256 != want.SHA256 || got.Bytes != want.Bytes:
			err = &spool.Error{Op: "verify", File: spool.Redacted(path), Class: spool.ErrCorrupt,
				Text: "its bytes differ from those that were written"}
		}
		if err != nil {
			bad = append(bad, err)
		}
	}
	return m, errors.Join(bad...)
}

// measure reads a file for its size and digest.
func measure(ctx context.Context, path string, buffer []byte) (Shard, error) {
	o, err := spool.File(path).Open()
	if err != nil {
		return Shard{}, err
	}
	defer o.Close()
	sum, size := sha256.New(), o.Info().Size
	for off := int64(0); off < size; {
		n, err := spool.ReadRange(ctx, o, buffer[:min(size-off, int64(len(buffer)))], off)
		sum.Write(buffer[:n])
		off += int64(n)
		if n == 0 && err != nil {
			return Shard{}, spool.InFile(err, path)
		}
	}
	return Shard{Name: filepath.Base(path), Bytes: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}
