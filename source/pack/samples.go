package pack

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// samples are what is packed: the files of a source, or inputs of its records.
type samples struct {
	src     source.Source
	records source.RecordSource // nil: one file a sample
	members []string            // the extension of each input

	transform Transform
	// weigh returns the bytes in a shard of a sample with files of these sizes.
	weigh func(item source.Item, sizes []int64) int64
}

// newSamples returns the samples of a source. With members, it is a source.RecordSource.
func newSamples(src source.Source, o Options) samples {
	s := samples{src: src, members: o.Members, transform: o.Transform}
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

// changes reports whether file k of a sample is changed.
func (s samples) changes(k int) bool { return k == 0 && s.transform.Apply != nil }

// read reads file k of sample i, changed as the caller asked, and returns its extension. It may use buffer.
func (s samples) read(ctx context.Context, o spool.Object, i, k int,
	buffer []byte) (data []byte, ext string, err error) {
	item := s.src.Item(i)
	ext = s.extension(item, k)
	data, err = spool.ReadAll(ctx, o, buffer, s.transform.MaxBytes)
	if err == nil && s.changes(k) {
		data, ext, err = s.transform.Apply(ctx, data, ext)
	}
	if err != nil {
		return nil, "", spool.InFile(err, item.Name)
	}
	return data, ext, nil
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
