package pack

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source"
)

// Subset returns the samples of a source with the given ids, in their order. It is a source.RecordSource or a
// source.Segmented if src is one.
// It keeps ids, which must not change.
func Subset(src source.Source, ids []int) source.Source {
	s := subset{src, ids}
	if records, ok := src.(source.RecordSource); ok {
		return recordSubset{s, records}
	}
	return s
}

type subset struct {
	source.Source
	ids []int
}

func (s subset) Len() int { return len(s.ids) }

func (s subset) Item(i int) source.Item {
	item := s.Source.Item(s.ids[i])
	item.ID = int64(i)
	return item
}

func (s subset) Open(ctx context.Context, i int) (spool.Object, error) {
	return s.Source.Open(ctx, s.ids[i])
}

// Segment returns the part of its file that sample i is: see source.Segmented.
func (s subset) Segment(ctx context.Context, i int) (*source.Segment, error) {
	if src, ok := s.Source.(source.Segmented); ok {
		return src.Segment(ctx, s.ids[i])
	}
	return nil, nil
}

type recordSubset struct {
	subset
	records source.RecordSource
}

func (s recordSubset) OpenInput(ctx context.Context, i, k int) (spool.Object, error) {
	return s.records.OpenInput(ctx, s.ids[i], k)
}

// Split divides the samples of a source into parts, and returns the ids of each. A sample's part depends on its key, or
// else on its name, and on the shares: samples that are added later do not move the others. A part has its share of the
// samples in the mean. The shares are positive and their sum is 1, to 1e-9; else the error is spool.ErrOptions.
func Split(src source.Source, shares []float64) ([][]int, error) {
	sum := 0.0
	for _, share := range shares {
		if !(share > 0) {
			return nil, invalid.Errorf("a share of %v must be more than 0", share)
		}
		sum += share
	}
	if !(sum > 1-1e-9 && sum < 1+1e-9) {
		return nil, invalid.Errorf("the sum of the shares is %v, and must be 1", sum)
	}
	parts := make([][]int, len(shares))
	for i := range src.Len() {
		item := src.Item(i)
		digest := sha256.Sum256([]byte(cmp.Or(item.Key, spool.Redacted(item.Name))))
		at := float64(binary.BigEndian.Uint64(digest[:])>>11) / (1 << 53) // uniform in [0, 1)
		part := 0
		for end := shares[0]; part < len(shares)-1 && at >= end; end += shares[part] {
			part++
		}
		parts[part] = append(parts[part], i)
	}
	return parts, nil
}

// Unique returns the ids of the samples without those whose bytes an earlier sample has. With members, as in
// Options.Members, the files of all of them count. It reads every sample once, and needs 40 bytes of memory for each
// and 1 MiB for each worker; 0 workers means one for each CPU.
func Unique(ctx context.Context, src source.Source, members []string, workers int) ([]int, error) {
	o := Options{Members: members, Workers: workers}
	if err := o.validate(src); err != nil {
		return nil, err
	}
	s := newSamples(src, o)
	digests := make([][sha256.Size]byte, src.Len())
	err := s.each(ctx, o.workers(), func(ctx context.Context, i int, buffer []byte) (err error) {
		digests[i], err = s.digest(ctx, i, buffer)
		return err
	})
	if err != nil {
		return nil, err
	}
	var ids []int
	seen := make(map[[sha256.Size]byte]struct{}, src.Len())
	for i, digest := range digests {
		if _, again := seen[digest]; !again {
			seen[digest] = struct{}{}
			ids = append(ids, i)
		}
	}
	return ids, nil
}

// digest returns the SHA-256 of a sample: for each file the size, or -1 for a file that it lacks, and the bytes. Before
// them comes the part of the file that the sample is.
func (s samples) digest(ctx context.Context, i int, buffer []byte) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	part, err := s.part(ctx, i)
	if err != nil {
		return sum, err
	}
	if part != nil {
		fmt.Fprintln(h, part)
	}
	for k := range s.files() {
		if err := s.hash(ctx, h, i, k, buffer); err != nil {
			return sum, err
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// hash adds file k of sample i to a hash.
func (s samples) hash(ctx context.Context, h hash.Hash, i, k int, buffer []byte) error {
	o, err := s.open(ctx, i, k)
	if err != nil {
		return err
	}
	size := int64(-1)
	if o != nil {
		defer o.Close()
		size = o.Info().Size
	}
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(size)))
	if o == nil {
		return nil
	}
	return pieces(ctx, o, buffer, func(p []byte) error {
		h.Write(p)
		return nil
	}, s.src.Item(i).Name)
}
