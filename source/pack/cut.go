package pack

import (
	"context"
	"sort"
	"strconv"

	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/table"
)

// tarBlock is the unit of tar files: a member takes a block for its header, and its bytes in whole blocks.
const tarBlock = 512

// inTar returns the bytes of a member of a tar file.
func inTar(size int64) int64 { return tarBlock + (size+tarBlock-1)/tarBlock*tarBlock }

// measureSamples returns the bytes in a shard of each sample of a source, in the source's order. It opens all of
// them.
func measureSamples(ctx context.Context, s samples, workers int) ([]int64, error) {
	sizes := make([]int64, s.src.Len())
	return sizes, s.each(ctx, workers, func(ctx context.Context, i int, _ []byte) (err error) {
		sizes[i], err = s.size(ctx, i)
		return err
	})
}

// size returns the bytes of sample i in a shard.
func (s samples) size(ctx context.Context, i int) (int64, error) {
	var sizes []int64
	for k := range s.files() {
		o, err := s.open(ctx, i, k)
		if err != nil {
			return 0, err
		}
		if o == nil {
			continue
		}
		sizes = append(sizes, o.Info().Size)
		if err := o.Close(); err != nil {
			return 0, err
		}
	}
	return s.weigh(s.src.Item(i), sizes), nil
}

// inArchive returns the bytes in a tar file of a sample with files of these sizes.
func inArchive(item source.Item, sizes []int64) int64 {
	total := int64(0)
	for _, n := range sizes {
		total += inTar(n)
	}
	if item.Label >= 0 {
		total += inTar(int64(len(strconv.FormatInt(item.Label, 10))))
	}
	return total
}

// Bounds of what tables add, for a column: of a value, its length, levels and page; of a part of rows, its headers.
const (
	valueBytes = 64
	partBytes  = 1 << 10
)

// inTable returns the most bytes in a table of a sample with files of these sizes.
func inTable(columns int, members []string) func(item source.Item, sizes []int64) int64 {
	head, row := int64(columns)*partBytes, int64(columns)*valueBytes
	for _, ext := range members {
		row += int64(len(ext)) // in the path
	}
	return func(item source.Item, sizes []int64) int64 {
		total := int64(len(keyOf(item)))
		for _, n := range sizes {
			total += n
		}
		return total + row + head*total/table.PartBytes + head/table.PartRows + 1
	}
}

// cutBySize returns the position of the first sample of each shard, and the number of samples. No shard is larger than
// most bytes, end of which are its own, unless it has one sample. The shards are as few as that allows, and the largest
// is as small as it can be.
func cutBySize(sizes []int64, by order.Sampler, most, end int64) []int {
	fill := func(most int64) []int {
		var cuts []int
		sum := most
		for at := range sizes {
			n := sizes[by.At(at)]
			if sum+n+end > most {
				cuts, sum = append(cuts, at), 0
			}
			sum += n
		}
		return cuts
	}
	cuts := fill(most)
	// The smallest size of shards that still gives as many.
	most = int64(sort.Search(int(most), func(smaller int) bool { return len(fill(int64(smaller))) <= len(cuts) }))
	return append(fill(most), len(sizes))
}

// cutByCount returns the same for shards of a number of samples.
func cutByCount(samples, perShard int) []int {
	var cuts []int
	for at := 0; at < samples; at += perShard {
		cuts = append(cuts, at)
	}
	return append(cuts, samples)
}
