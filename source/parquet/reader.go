package parquet

import (
	"context"
	"math"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// reader reads values of a file when they are needed, and caches the pages that hold them.
type reader struct {
	open  func(context.Context) (spool.Object, error)
	size  int64 // of the file
	cache *table.Cache
	terse bool // pages keep indices of 16 bits, if their dictionary is that small: see contents.value

	mu      sync.Mutex
	indexes map[*chunk]*index
}

func newReader(open func(context.Context) (spool.Object, error), size int64, cache *table.Cache) *reader {
	return &reader{open: open, size: size, cache: cache, indexes: map[*chunk]*index{}}
}

// index is the positions of a chunk's pages, once they have been read.
type index struct {
	mu         sync.Mutex
	pages      []page
	first      []int  // the number of rows that begin before each page
	follows    []bool // of lists: whether a page begins within a row
	dictionary *page
}

// pageKey is a cache key: a page of a chunk. A page of -1 is the dictionary.
type pageKey struct {
	chunk *chunk
	page  int
}

// contents are the decoded values of a page.
type contents struct {
	values
	starts []uint32 // of lists: the entry where each row begins

	picks []uint16 // of values in words, in place of values
	words *values
}

// entries are consecutive entries of a page.
type entries struct {
	*contents
	from, to int
}

// value returns the page with the value of a row, and its entry there. The chunk is not one of lists.
func (r *reader) value(ctx context.Context, x *chunk, row int) (*contents, int, error) {
	ix, err := r.index(ctx, x)
	if err != nil {
		return nil, 0, err
	}
	at := lastUpTo(ix.first, row)
	p, err := r.page(ctx, x, ix, at)
	return p, row - ix.first[at], err
}

// list returns the entries of a row in a chunk of lists. Some writers begin a page within a row.
func (r *reader) list(ctx context.Context, x *chunk, row int) ([]entries, error) {
	ix, err := r.index(ctx, x)
	if err != nil {
		return nil, err
	}
	at := lastUpTo(ix.first, row)
	p, err := r.page(ctx, x, ix, at)
	if err != nil {
		return nil, err
	}
	n := row - ix.first[at]
	runs := []entries{{p, int(p.starts[n]), p.end(n + 1)}}
	for last := n+1 == len(p.starts); last && at+1 < len(ix.pages) && ix.follows[at+1]; last = len(p.starts) == 0 {
		at++
		if p, err = r.page(ctx, x, ix, at); err != nil {
			return nil, err
		}
		runs = append(runs, entries{p, 0, p.end(0)})
	}
	return runs, nil
}

// end returns the entry where row n of a page would begin.
func (c *contents) end(n int) int {
	if n < len(c.starts) {
		return int(c.starts[n])
	}
	return len(c.repeats)
}

// index reads the page headers of a chunk, the first time. Those of lists do not tell how many rows there are, so that
// the levels are read, too.
func (r *reader) index(ctx context.Context, x *chunk) (*index, error) {
	if x.err != nil {
		return nil, x.err
	}
	r.mu.Lock()
	ix := r.indexes[x]
	if ix == nil {
		ix = &index{}
		r.indexes[x] = ix
	}
	r.mu.Unlock()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.pages != nil {
		return ix, nil
	}
	o, err := r.file(ctx)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	step := 1 << 10
	if x.leaf.repeats > 0 {
		step = 1 << 20
	}
	var found index
	var now values
	rows := 0
	err = x.pages(ctx, o, step, func(p page, w *window) error {
		if p.dictionary {
			found.dictionary = &p
			return nil
		}
		found.pages, found.first = append(found.pages, p), append(found.first, rows)
		if x.leaf.repeats == 0 {
			rows += p.values
			return nil
		}
		data, err := w.contents(p, r.cache.Limit())
		if err != nil {
			return err
		}
		now.reset()
		if _, _, err := now.missing(x.leaf, p, data); err != nil {
			return err
		}
		found.follows = append(found.follows, p.values == 0 || now.repeats[0] > 0)
		rows += len(starts(now.repeats))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rows != x.rows || len(found.follows) > 0 && found.follows[0] {
		return nil, corrupt("column %s has the values of %d rows, and there are %d", x.leaf.name, rows, x.rows)
	}
	ix.pages, ix.first, ix.follows, ix.dictionary = found.pages, found.first, found.follows, found.dictionary
	return ix, nil
}

// starts returns the entries where rows begin.
func starts(repeats []uint8) []uint32 {
	var starts []uint32
	for i, level := range repeats {
		if level == 0 {
			starts = append(starts, uint32(i))
		}
	}
	return starts
}

// page returns the values of a page, from the cache or from the file.
func (r *reader) page(ctx context.Context, x *chunk, ix *index, at int) (*contents, error) {
	return table.Cached(ctx, r.cache, pageKey{x, at}, func(ctx context.Context) (*contents, int64, error) {
		p := ix.pages[at]
		var dictionary *values
		if ix.dictionary != nil && inDictionary(p.encoding) {
			words, err := table.Cached(ctx, r.cache, pageKey{x, -1}, func(ctx context.Context) (*contents, int64, error) {
				return r.read(ctx, x, *ix.dictionary, nil)
			})
			if err != nil {
				return nil, 0, err
			}
			dictionary = &words.values
		}
		return r.read(ctx, x, p, dictionary)
	})
}

// read decodes a page, and returns the memory that it takes.
func (r *reader) read(ctx context.Context, x *chunk, p page, dictionary *values) (*contents, int64, error) {
	o, err := r.file(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer o.Close()
	w := &window{ctx: ctx, object: o, end: p.at + int64(p.compressed)}
	data, err := w.contents(p, r.cache.Limit())
	if err != nil {
		return nil, 0, err
	}
	c := &contents{}
	if err := c.decode(x.leaf, p, data, dictionary, r.cache.Limit()); err != nil {
		return nil, 0, err
	}
	if r.terse && dictionary != nil && len(dictionary.spans)+len(dictionary.ints) <= math.MaxUint16 {
		return c.terse(dictionary)
	}
	c.numbers = nil
	size := c.memory()
	if dictionary != nil {
		size -= int64(len(c.data)) // counted with the dictionary
	}
	if x.leaf.repeats > 0 && !p.dictionary {
		c.starts = starts(c.repeats)
		size += int64(4 * len(c.starts))
	}
	return c, size, nil
}

// terse returns the page with the indices of its values, and the memory that it takes.
func (c *contents) terse(dictionary *values) (*contents, int64, error) {
	t := &contents{picks: make([]uint16, len(c.numbers)), words: dictionary}
	for i, k := range c.numbers {
		t.picks[i] = uint16(k)
	}
	t.place = c.place
	return t, int64(2*len(t.picks) + 4*len(t.place)), nil
}

// file opens the file, whose size must be unchanged.
func (r *reader) file(ctx context.Context) (spool.Object, error) {
	o, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	if size := o.Info().Size; size != r.size {
		o.Close()
		return nil, failed(spool.ErrIO, "the file was changed: %d bytes when it was listed, now %d", r.size, size)
	}
	return o, nil
}
