package pack

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// samples are what is packed: the files of a source, or inputs of its records.
type samples struct {
	src     source.Source
	records source.RecordSource // nil: one file a sample
	members []string            // the extension of each input
	values  []string            // of members, those that are text

	transform Transform
	// weigh returns the bytes in a shard of a sample with files of these sizes.
	weigh func(item source.Item, sizes []int64) int64
}

// newSamples returns the samples of a source. With members, it is a source.RecordSource.
func newSamples(src source.Source, o Options) samples {
	s := samples{src: src, members: o.Members, values: o.Values, transform: o.Transform}
	if s.transform.MaxBytes == 0 {
		s.transform.MaxBytes = 1 << 30
	}
	if len(o.Members) > 0 {
		s.records = src.(source.RecordSource)
	}
	return s
}

// files returns the most files that a sample has.
func (s samples) files() int { return max(1, len(s.members)) }

// open opens file k of sample i. It returns nil if the sample lacks it.
func (s samples) open(ctx context.Context, i, k int) (spool.Object, error) {
	if s.records == nil {
		return s.src.Open(ctx, i)
	}
	return s.records.OpenInput(ctx, i, k)
}

// pieces reads an object piece by piece. Errors of reading name the file.
func pieces(ctx context.Context, o spool.Object, buffer []byte, take func(p []byte) error, name string) error {
	size := o.Info().Size
	for off := int64(0); off < size; {
		n, err := spool.ReadRange(ctx, o, buffer[:min(size-off, int64(len(buffer)))], off)
		if n == 0 && err != nil {
			return unread(err, name)
		}
		if err := take(buffer[:n]); err != nil {
			return err
		}
		off += int64(n)
	}
	return nil
}

// unread returns the error of a file that has bytes left to read.
func unread(err error, name string) error {
	if err == io.EOF { //nolint:errorlint // ReadRange returns it as it is
		err = &spool.Error{Op: "read", Class: spool.ErrTruncated, Text: "became shorter while it was read"}
	}
	return spool.InFile(err, name)
}

// each calls a function for all samples, by several workers, each with its own buffer. The first error stops them.
func (s samples) each(ctx context.Context, workers int, f func(ctx context.Context, i int, buffer []byte) error) error {
	group, running := errgroup.WithContext(ctx)
	const run = 256 // samples that a worker takes at a time
	n := s.src.Len()
	var taken atomic.Int64
	for range min(workers, (n+run-1)/run) {
		group.Go(func() error {
			buffer := make([]byte, 1<<20)
			for from := int(taken.Add(run)) - run; from < n; from = int(taken.Add(run)) - run {
				for i := from; i < min(from+run, n); i++ {
					if err := running.Err(); err != nil {
						return err
					}
					if err := f(running, i, buffer); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// changes reports whether file k of a sample may be changed.
func (s samples) changes(k int) bool {
	return s.transform.Apply != nil && (s.records == nil || !slices.Contains(s.values, s.members[k]))
}

// part returns the part of its file that sample i is, or nil if it is the whole file.
func (s samples) part(ctx context.Context, i int) (*source.Segment, error) {
	src, ok := s.src.(source.Segmented)
	if !ok {
		return nil, nil
	}
	part, err := src.Segment(ctx, i)
	if err != nil || part == nil || math.IsInf(part.Start, -1) && math.IsInf(part.End, 1) && part.Stream == nil {
		return nil, spool.InFile(err, s.src.Item(i).Name)
	}
	return part, nil
}

// changed returns what is packed in place of file k of sample i, and its extension. It returns no extension if the file
// is packed as it is.
func (s samples) changed(ctx context.Context, o spool.Object, i, k int) (data []byte, ext string, err error) {
	item := s.src.Item(i)
	part, err := s.part(ctx, i)
	if err != nil {
		return nil, "", err
	}
	if s.changes(k) {
		file := File{Object: o, Ext: s.extension(item, k), Input: k, Part: part, limit: s.transform.MaxBytes}
		data, ext, err = s.transform.Apply(ctx, file)
	}
	if err == nil && ext == "" && part != nil && s.media(item, k) {
		err = &spool.Error{Op: "pack", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("the part %v of a file cannot be packed as it is", part)}
	}
	return data, ext, spool.InFile(err, item.Name)
}

// media reports whether file k of a sample is video or audio, by its extension.
func (s samples) media(item source.Item, k int) bool {
	ext := "." + s.extension(item, k)
	return slices.Contains(source.Videos.Extensions(), ext) || slices.Contains(source.Audio.Extensions(), ext)
}

// read reads file k of sample i, changed as the caller asked, and returns its extension. Changed files are new memory;
// others may be in buffer.
func (s samples) read(ctx context.Context, o spool.Object, i, k int,
	buffer []byte) (data []byte, ext string, err error) {
	data, ext, err = s.changed(ctx, o, i, k)
	if err != nil || ext != "" {
		return data, ext, err
	}
	item := s.src.Item(i)
	data, err = spool.ReadAll(ctx, o, buffer, s.transform.MaxBytes)
	return data, s.extension(item, k), spool.InFile(err, item.Name)
}

// extension returns the extension of file k of a sample, without its dot.
func (s samples) extension(item source.Item, k int) string {
	if s.records == nil {
		return extension(item)
	}
	return s.members[k]
}

// extension returns the extension of a sample's media, by its name or its key: "bin" if neither has a usual one.
func extension(item source.Item) string {
	for _, name := range []string{spool.Redacted(item.Name), item.Key} {
		ext := strings.ToLower(filepath.Ext(name))
		for _, medium := range []source.Medium{source.Images, source.Videos, source.Audio} {
			if slices.Contains(medium.Extensions(), ext) {
				return ext[1:]
			}
		}
	}
	return "bin"
}
