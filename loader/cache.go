package loader

import (
	"reflect"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source"
)

// Cache keeps decoded samples in memory, so that each sample is decoded only once. In later epochs, and in later
// loaders such as those that evaluate a model, a cached sample is copied to its slot, and its file is not opened. Set
// it as Caches.Memory.
//
// It keeps samples, not batches, because batches differ between epochs and ranks, and after a bad sample. A loader
// gives the same bytes in the same order with and without a cache, also when it resumes from a State. Samples that
// differ between epochs cannot be cached: loaders with random geometry, operations on pixels, random clips or random
// windows return an error. So do loaders whose samples have no common size.
//
// The cache keeps the first samples, up to its ceiling, and evicts none for later ones. If every epoch needs every
// sample once, all samples are equally valuable, and any eviction order would only remove samples before they are used
// (J. Mohan et al., Analyzing and Mitigating Data Stalls in DNN Training, VLDB 2021). With room for a third of the
// samples, a third is not decoded again. Bad samples are not cached: they are read in each epoch, and fail. A sample
// that is requested again while it is being decoded, which happens in epochs of few samples, is decoded twice.
//
// The first loader determines the cache's source and decoding options. Loaders that differ return an error. A Cache is
// safe for concurrent use, also by several loaders at a time.
type Cache struct {
	pool *spool.Pool

	mu      sync.Mutex
	closed  bool
	source  source.Source // nil before the first loader
	recipe  any
	slot    int // bytes of a sample
	slots   int // samples per chunk
	chunks  []*spool.Buffer
	used    int // slots of the last chunk
	samples map[int64]cachedSample
	stats   CacheStats
}

// CacheStats are a cache's counters.
type CacheStats struct {
	Hits, Misses int64 // samples that were asked for and found, and those that were not
	Items        int   // samples in the cache
	Bytes        int64 // memory that they take, rounded up to chunks
	Refused      int64 // samples for which there was no room
}

// cachedSample is a decoded sample in a chunk, which its user has retained. A nil chunk reserves the entry for a sample
// being added.
type cachedSample struct {
	chunk  *spool.Buffer
	bytes  []byte
	sample batch.Sample
}

// chunkBytes is the size of one allocation, unless the ceiling is small. With chunks, a small sample does not cost a
// page.
const chunkBytes = 1 << 20

// NewCache returns a cache of at most maxBytes bytes of samples. 0 means 1 GiB. Memory is allocated when it is needed,
// outside the Go heap. In addition, each sample takes about 300 bytes, and records their fields of any length. The
// error is spool.ErrOptions for a negative maxBytes.
func NewCache(maxBytes int64) (*Cache, error) {
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: maxBytes})
	if err != nil {
		return nil, err
	}
	return &Cache{pool: pool, samples: map[int64]cachedSample{}}, nil
}

// bind sets the cache's source and options at the first call, and later fails if they differ.
func (c *Cache) bind(src source.Source, m mediumSpec) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return invalid.Errorf("the cache is closed")
	case c.source == nil:
		c.source, c.recipe = src, m.recipe
		c.slot = m.sampleBytes()
		c.slots = max(1, int(min(chunkBytes, c.pool.Stats().MaxBytes/8))/c.slot)
	case !reflect.ValueOf(src).Comparable() || c.source != src:
		return invalid.Errorf("the cache belongs to another source")
	case !reflect.DeepEqual(c.recipe, m.recipe):
		return invalid.Errorf("the cache has samples that were decoded with other options")
	}
	return nil
}

// find returns a sample if it is cached. The caller releases its chunk. It is called before the file is opened, and
// again before decoding, because samples of two epochs may be in flight. Only the call with first set counts as a hit
// or miss.
func (c *Cache) find(id int64, first bool) (k cachedSample, ok bool) {
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

// keep adds a copy of a decoded sample if there is room. write writes its bytes.
func (c *Cache) keep(s batch.Sample, write func(to []byte)) {
	k, ok := c.reserve(s.ID)
	if !ok {
		return
	}
	defer k.chunk.Release()
	write(k.bytes) // without the lock
	k.sample = cloned(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.samples[s.ID] = k
		c.stats.Items++
	}
}

// reserve returns memory for a sample that is not in the cache yet. The caller releases its chunk.
func (c *Cache) reserve(id int64) (k cachedSample, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.samples[id]; there || c.closed {
		return k, false
	}
	if len(c.chunks) == 0 || c.used == c.slots {
		chunk, ok := c.pool.TryGet(c.slots*c.slot, spool.Pixels)
		if !ok {
			c.stats.Refused++
			return k, false
		}
		c.chunks, c.used = append(c.chunks, chunk), 0
	}
	at := c.used * c.slot
	k.chunk = c.chunks[len(c.chunks)-1].Retain()
	k.bytes = k.chunk.Bytes()[at : at+c.slot]
	c.used++
	c.samples[id] = cachedSample{}
	return k, true
}

// Stats returns the cache's counters.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Bytes = c.pool.Stats().HeldBytes
	return s
}

// Close frees the memory. Running loaders decode all samples from then on. If a loader is just copying samples, Close
// returns spool.ErrLeaked, and their memory is freed after the copy. Further calls do nothing.
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
