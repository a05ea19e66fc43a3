package decode

import (
	"container/list"
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"github.com/spoolmedia/spool/decode/index"
)

// indexCacheBytes holds the indexes of seven hours of video at 30 frames a second.
const indexCacheBytes = 32 << 20

// indexCache keeps indexes in memory, so that a video that is opened again, for another clip or in another epoch, is not
// scanned again. Those used last are kept, up to indexCacheBytes. It is safe for concurrent use.
type indexCache struct {
	mu    sync.Mutex
	bytes int64
	known map[string]*list.Element
	order list.List // of *cachedIndex, the last used in front
}

// cachedIndex is an index, or one that a video is being scanned for.
type cachedIndex struct {
	key   string
	ready chan struct{} // closed once index is there, or the scan has failed
	index *index.Index
}

// acquire finds an index. It waits while another call scans the same video. Where x is nil the caller makes the index,
// and calls done with it, or with nil if it has failed.
func (c *indexCache) acquire(ctx context.Context, key string) (x *index.Index, done func(*index.Index), err error) {
	for key != "" {
		entry, mine := c.find(key)
		if mine {
			return nil, func(x *index.Index) { c.settle(entry, x) }, nil
		}
		select {
		case <-entry.ready:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if entry.index != nil {
			return entry.index, func(*index.Index) {}, nil
		}
	}
	return nil, func(*index.Index) {}, nil
}

// find gives the entry of a key; mine says that it is new, and the caller's to settle.
func (c *indexCache) find(key string) (entry *cachedIndex, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.known[key]; ok {
		c.order.MoveToFront(at)
		return at.Value.(*cachedIndex), false
	}
	if c.known == nil {
		c.known = map[string]*list.Element{}
	}
	entry = &cachedIndex{key: key, ready: make(chan struct{})}
	c.known[key] = c.order.PushFront(entry)
	return entry, true
}

// settle ends a scan, and evicts the indexes that were not used for longest.
func (c *indexCache) settle(entry *cachedIndex, x *index.Index) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry.index = x
	close(entry.ready)
	if x == nil {
		c.remove(c.known[entry.key])
		return
	}
	c.bytes += indexBytes(x)
	for at := c.order.Back(); at != nil && c.bytes > indexCacheBytes; {
		before := at.Prev()
		if old := at.Value.(*cachedIndex); old.index != nil {
			c.bytes -= indexBytes(old.index)
			c.remove(at)
		}
		at = before
	}
}

func (c *indexCache) remove(at *list.Element) {
	delete(c.known, c.order.Remove(at).(*cachedIndex).key)
}

// indexBytes is the memory of an index.
func indexBytes(x *index.Index) int64 {
	const frame = 4 // bytes beside its packet's
	return int64(len(x.Packets))*(int64(unsafe.Sizeof(index.Packet{}))+frame) + int64(len(x.Stream.Parameters))
}

// key is what the index of an input's stream is kept under; empty where the input's bytes are not known, or the stream is
// chosen by its language.
func (v *Video) key(in Input) string {
	identity := in.identity()
	if v.options.NoIndex || v.options.Language != "" || identity == "" {
		return ""
	}
	stream := "best"
	if v.options.Stream != nil {
		stream = fmt.Sprint(*v.options.Stream)
	}
	return stream + " " + identity
}

// identity tells the input's bytes from all others; empty where that is not known. See spool.ObjectInfo.
func (in Input) identity() string {
	switch {
	case in.Object != nil:
		return in.Object.Info().Identity
	case in.Path != "":
		info, err := os.Stat(in.Path)
		if err != nil {
			return ""
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			return fmt.Sprintf("file %d %d %d %d.%09d", s.Dev, s.Ino, s.Size, s.Ctim.Sec, s.Ctim.Nsec)
		}
	}
	return in.Identity
}
