package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Manifest lists the shards of a folder. It is the file manifest.json there.
type Manifest struct {
	Plan
	Shards []Shard `json:"shards"`
}

// Shard describes a shard. It has one of the checksums, in hexadecimal.
type Shard struct {
	Name      string `json:"name"`
	Samples   int    `json:"samples"`
	Bytes     int64  `json:"bytes"`
	CRC64NVME string `json:"crc64nvme,omitempty"`
	SHA256    string `json:"sha256,omitempty"`
}

// checksum returns which checksum a shard has.
func (s Shard) checksum() Checksum {
	if s.SHA256 != "" {
		return SHA256
	}
	return CRC64NVME
}

// ReadManifest reads the manifest of a folder, or of objects of the store, which may be nil.
func ReadManifest(ctx context.Context, folder string, store source.Store) (*Manifest, error) {
	return readManifest(ctx, destinationOf(folder, store, false))
}

func readManifest(ctx context.Context, d destination) (*Manifest, error) {
	text, err := load(ctx, d, manifestFile)
	if err != nil {
		return nil, err
	}
	corrupt := &spool.Error{Op: "read", File: spool.Redacted(d.path(manifestFile)), Class: spool.ErrCorrupt}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		corrupt.Text, corrupt.Err = err.Error(), err
		return nil, corrupt
	}
	for _, s := range m.Shards {
		if s.Name == "" || s.Name != filepath.Base(s.Name) {
			corrupt.Text = fmt.Sprintf("a shard of this folder cannot be called %.100q", s.Name)
			return nil, corrupt
		}
		if s.CRC64NVME == "" && s.SHA256 == "" {
			corrupt.Text = fmt.Sprintf("%.100q has no checksum", s.Name)
			return nil, corrupt
		}
	}
	return m, nil
}

// Verify reads all shards of a folder, or of objects of the store, which may be nil, and compares them with the
// manifest, which it returns. It joins the errors of all shards: ErrCorrupt if the bytes differ, ErrTruncated if there
// are too few, ErrNotFound if the shard is missing.
func Verify(ctx context.Context, folder string, store source.Store) (*Manifest, error) {
	d := destinationOf(folder, store, false)
	m, err := readManifest(ctx, d)
	if err != nil {
		return nil, err
	}
	bad := make([]error, len(m.Shards))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, want := range m.Shards {
		group.Go(func() error {
			bad[i] = want.verify(ctx, d)
			return ctx.Err()
		})
	}
	if group.Wait() != nil {
		return nil, errors.Join(bad...)
	}
	return m, errors.Join(bad...)
}

// verify reads a shard, and compares it with this description.
func (s Shard) verify(ctx context.Context, d destination) error {
	got, err := measure(ctx, d, s.Name, s.checksum(), make([]byte, 1<<20))
	if err != nil {
		return err
	}
	return s.compare(got, d)
}

// compare compares a shard that was read with this description.
func (s Shard) compare(got Shard, d destination) error {
	e := &spool.Error{Op: "verify", File: spool.Redacted(d.path(s.Name))}
	switch {
	case got.Bytes < s.Bytes:
		e.Class, e.Text = spool.ErrTruncated, fmt.Sprintf("%d bytes of %d", got.Bytes, s.Bytes)
	case got.Bytes != s.Bytes || got.CRC64NVME != s.CRC64NVME || got.SHA256 != s.SHA256:
		e.Class, e.Text = spool.ErrCorrupt, "its bytes differ from those that were written"
	default:
		return nil
	}
	return e
}
