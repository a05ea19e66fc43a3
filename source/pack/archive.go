package pack

import (
	"archive/tar"
	"context"
	"fmt"
	"strconv"

	"github.com/spoolmedia/spool"
)

// archive writes samples to a tar file.
type archive struct {
	samples
	file   *file
	tar    *tar.Writer
	buffer []byte
}

func newArchive(s samples, f *file, buffer []byte) *archive {
	return &archive{s, f, tar.NewWriter(f), buffer}
}

// sample adds sample i, at a position of the packed order.
func (a *archive) sample(ctx context.Context, i, at int) error {
	key := fmt.Sprintf("%09d.", at)
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

// member adds a member.
func (a *archive) member(name string, data []byte) error {
	if err := a.begin(name, int64(len(data))); err != nil {
		return err
	}
	if _, err := a.tar.Write(data); err != nil {
		return spool.FileError("write", a.file.path, err)
	}
	return nil
}

// part adds file k of sample i, if the sample has it.
func (a *archive) part(ctx context.Context, i, k int, key string) error {
	o, err := a.open(ctx, i, k)
	if err != nil || o == nil {
		return err
	}
	defer o.Close()
	if a.changes(k) {
		data, ext, err := a.read(ctx, o, i, k, nil)
		if err != nil {
			return err
		}
		return a.member(key+ext, data)
	}
	size := o.Info().Size
	if err := a.begin(key+a.extension(a.src.Item(i), k), size); err != nil {
		return err
	}
	return pieces(ctx, o, a.buffer, func(p []byte) error {
		if _, err := a.tar.Write(p); err != nil {
			return spool.FileError("write", a.file.path, err)
		}
		return nil
	}, a.src.Item(i).Name)
}

func (a *archive) begin(name string, size int64) error {
	if err := a.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644}); err != nil {
		return spool.FileError("write", a.file.path, err)
	}
	return nil
}

func (a *archive) close() error { return a.tar.Close() }
