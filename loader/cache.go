package loader

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
)

// Cache keeps decoded samples in memory, so that each is decoded once: in later epochs, and by later loaders, such as those
// that evaluate a model now and then, it is copied from here into its slot, and its file is not opened. Give it to
// loaders as Options.Cache.
//
// It keeps samples, and not batches, because batches are others in each epoch, on each rank and after a bad sample. A
// loader gives the same bytes in the same order with it and without, also when it goes on from a State. What differs from
// epoch to epoch cannot be kept: loaders with augmentation, or random clips and windows, refuse a cache.
//
// The cache keeps what comes first, up to its ceiling, and gives nothing up for what comes later, as [pipe.Cache] does and
// for its reasons: with room for a third of the samples, a third is not decoded again. Bad samples are not kept: they are
// read, and fail, in each epoch. A sample that comes again while it is decoded, in an epoch of a few samples, is decoded
// again.
//
// The first loader decides what a cache is of: its source, and what becomes of a file. Another loader that differs
// is refused. A Cache is safe for concurrent use, also by several loaders at a time.
type Cache struct {
	pool *spool.Pool
	now  context.Context // has ended: the pool is not waited for

	mu      sync.Mutex
	closed  bool
	source  source.Source // nil before the first loader
	recipe  any
	slot    int // bytes of a sample
	slots   int // samples of a chunk
	chunks  []*spool.Buffer
	used    int // slots of the last one
	samples map[int64]kept
	stats   pipe.CacheStats
}

// kept is a decoded sample, in a chunk that whoever found it holds. Without one it is about to be kept.
type kept struct {
	chunk  *spool.Buffer
	bytes  []byte
	sample batch.Sample
}

// chunkBytes is how much memory is taken at a time, if that is little beside the ceiling: a small sample does not cost a page.
const chunkBytes = 1 << 20

// NewCache makes a cache of at most so many bytes of samples; 0 means 1 GiB. They are taken as they are needed, outside of
// Go's heap. Beside them a sample takes about 300 bytes. The error is spool.ErrOptions for a negative number.
func NewCache(maxBytes int64) (*Cache, error) {
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: maxBytes})
	if err != nil {
		return nil, err
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	return &Cache{pool: pool, now: now, samples: map[int64]kept{}}, nil
}

// bind makes the cache one of this source and medium, or says that it is another's.
func (c *Cache) bind(src source.Source, m medium) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return fmt.Errorf("%w: the cache is closed", spool.ErrOptions)
	case c.source == nil:
		c.source, c.recipe = src, m.recipe
		c.slot, _ = m.sample.Bytes()
		c.slots = max(1, int(min(chunkBytes, c.pool.Stats().MaxBytes/8))/c.slot)
	case !reflect.ValueOf(src).Comparable() || c.source != src:
		return fmt.Errorf("%w: the cache is of another source", spool.ErrOptions)
	case !reflect.DeepEqual(c.recipe, m.recipe):
		return fmt.Errorf("%w: the cache is of samples that are decoded otherwise", spool.ErrOptions)
	}
	return nil
}

// find gives a sample, if it is kept. The caller releases its chunk. A sample is looked for first before its file is opened,
// and again before it is decoded, since samples in flight may be of two epochs: only the first time counts as hit or miss.
func (c *Cache) find(id int64, first bool) (k kept, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k = c.samples[id]
	ok = k.chunk != nil
	switch {
	case !first:
	case ok:
		c.stats.Hits++
	default:
		c.stats.Misses++
	}
	if ok {
		k.chunk.Retain()
	}
	return k, ok
}

// keep keeps a copy of a decoded sample, if there is room.
func (c *Cache) keep(s batch.Sample, bytes []byte) {
	k, ok := c.reserve(s.ID)
	if !ok {
		return
	}
	defer k.chunk.Release()
	copy(k.bytes, bytes) // which nobody waits for
	k.sample = s
	k.sample.Frames = slices.Clone(s.Frames)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.samples[s.ID] = k
		c.stats.Items++
	}
}

// reserve gives memory for a sample that nobody else keeps. The caller releases its chunk.
func (c *Cache) reserve(id int64) (k kept, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.samples[id]; there || c.closed {
		return k, false
	}
	if len(c.chunks) == 0 || c.used == c.slots {
		chunk, err := c.pool.GetFor(c.now, c.slots*c.slot, spool.Pixels)
		if err != nil {
			c.stats.Refused++
			return k, false
		}
		c.chunks, c.used = append(c.chunks, chunk), 0
	}
	at := c.used * c.slot
	k.chunk = c.chunks[len(c.chunks)-1].Retain()
	k.bytes = k.chunk.Bytes()[at : at+c.slot]
	c.used++
	c.samples[id] = kept{}
	return k, true
}

// Stats are what the cache has done so far. Refused are samples that there was no room for.
func (c *Cache) Stats() pipe.CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Bytes = c.pool.Stats().HeldBytes
	return s
}

// Close frees the memory. Loaders that still run decode from then on; samples that they are just copying are
// spool.ErrLeaked, and freed behind it. Further calls do nothing.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	for _, chunk := range c.chunks {
		chunk.Release()
	}
	c.samples, c.chunks = nil, nil
	return c.pool.Close()
}
