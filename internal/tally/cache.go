package tally

import (
	"fmt"

	"github.com/spoolmedia/spool/source/cache"
)

// Cache is what a cache on a disk has done until now.
type Cache struct {
	Hits    int64 `json:"hits"`
	Misses  int64 `json:"misses"`
	Read    int64 `json:"bytes_read"`
	Written int64 `json:"bytes_written"`
	Kept    int64 `json:"kept"`
	Refused int64 `json:"refused"` // not worth what would have had to go, or too large
	Evicted int64 `json:"evicted"`
	Broken  int64 `json:"broken"` // not whole, and removed
	Entries int64 `json:"entries"`
	Bytes   int64 `json:"bytes"` // that all entries take
	Ceiling int64 `json:"ceiling"`
	Off     bool  `json:"off"` // nothing more is kept, as a warning has said
}

// CacheOf is what a folder counts; nil where there is none.
func CacheOf(f *cache.Folder) *Cache {
	if f == nil {
		return nil
	}
	s := f.Stats()
	return &Cache{Hits: s.Hits, Misses: s.Misses, Read: s.Read, Written: s.Written, Kept: s.Kept, Refused: s.Refused, Evicted: s.Evicted, Broken: s.Broken,
		Entries: s.Entries, Bytes: s.Bytes, Ceiling: s.Ceiling, Off: s.Off}
}

// String is a line for people.
func (c *Cache) String() string {
	text := fmt.Sprintf("disk cache: %d hits for %s, %d misses; %d kept, %d evicted, %d refused; %d entries take %s of %s", c.Hits, Amount(c.Read), c.Misses,
		c.Kept, c.Evicted, c.Refused, c.Entries, Amount(c.Bytes), Amount(c.Ceiling))
	if c.Broken > 0 {
		text += fmt.Sprintf("; %d were broken, and are removed", c.Broken)
	}
	return text
}
