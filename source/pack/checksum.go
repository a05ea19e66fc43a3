package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/minio/crc64nvme"

	"github.com/spoolmedia/spool"
)

// Checksum is a checksum of shards.
type Checksum string

const (
	// CRC64NVME is the default, and takes less than a tenth of the time to copy the bytes. It finds damage, and is the
	// checksum that S3 keeps of objects.
	CRC64NVME Checksum = "crc64nvme"
	// SHA256 also finds changes on purpose. It takes longer than all else that packing does to files as they are.
	SHA256 Checksum = "sha256"
)

func (c Checksum) hash() hash.Hash {
	if c == SHA256 {
		return sha256.New()
	}
	return crc64nvme.New()
}

// set sets the checksum of a shard.
func (c Checksum) set(s *Shard, sum hash.Hash) {
	text := hex.EncodeToString(sum.Sum(nil))
	if c == SHA256 {
		s.SHA256 = text
	} else {
		s.CRC64NVME = text
	}
}

// shardFile is a shard while it is written.
type shardFile struct {
	output
	path string
	size int64
	kind Checksum
	sum  hash.Hash
}

func (w *packer) create(ctx context.Context, name string) (*shardFile, error) {
	out, err := w.destination.create(ctx, name)
	return &shardFile{output: out, path: w.path(name), kind: w.checksum, sum: w.checksum.hash()}, err
}

func (f *shardFile) Write(p []byte) (int, error) {
	n, err := f.output.Write(p)
	f.size += int64(n)
	f.sum.Write(p[:n])
	return n, err
}

// measured returns what was written.
func (f *shardFile) measured(name string) Shard {
	s := Shard{Name: name, Bytes: f.size}
	f.kind.set(&s, f.sum)
	return s
}

// measure reads a shard for its size and checksum.
func measure(ctx context.Context, d destination, name string, kind Checksum, buffer []byte) (Shard, error) {
	o, err := d.open(ctx, name)
	if err != nil {
		return Shard{}, err
	}
	defer o.Close()
	s, sum := Shard{Name: name, Bytes: o.Info().Size}, kind.hash()
	for off := int64(0); off < s.Bytes; {
		n, err := o.ReadAt(ctx, buffer[:min(s.Bytes-off, int64(len(buffer)))], off) // a store reads ahead
		sum.Write(buffer[:n])
		off += int64(n)
		if n == 0 && err != nil {
			return Shard{}, spool.InFile(err, d.path(name))
		}
	}
	kind.set(&s, sum)
	return s, nil
}
