package tally

import (
	"fmt"

	"github.com/spoolmedia/spool/source/cache"
)

// Cache is the statistics of a disk cache.
type Cache struct {
	Hits    int64 `json:"hits"`
	Misses  int64 `json:"misses"`
	Read    int64 `json:"bytes_read"`
	Written int64 `json:"bytes_written"`
	Kept    int64 `json:"kept"`
	Refused int64 `json:"refused"` // too large, or worth less than the entries to evict
	Evicted int64 `json:"evicted"`
	Broken  int64 `json:"broken"` // damaged entries, removed
	Entries int64 `json:"entries"`
	Bytes   int64 `json:"bytes"` // of all entries
	Ceiling int64 `json:"ceiling"`
	Off     bool  `json:"off"` // the cache was disabled by an error, which a warning has reported
}

// CacheOf returns the statistics of a folder, or nil without a folder.
func CacheOf(f *cache.Folder) *Cache {
	if f == nil {
		return nil
	}
	s := f.Stats()
	return &Cache{Hits: s.Hits, Misses: s.Misses, Read: s.Read, Written: s.Written, Kept: s.Kept, Refused: s.Refused,
		Evicted: s.Evicted, Broken: s.Broken,
		Entries: s.Entries, Bytes: s.Bytes, Ceiling: s.Ceiling, Off: s.Off}
}

// String is a summary in one line.
func (c *Cache) String() string {
	text := fmt.Sprintf("disk cache: %d hits for %s, %d misses; %d kept, %d evicted, %d refused; %d entries take %s of %s",
		c.Hits, Amount(c.Read), c.Misses,
		c.Kept, c.Evicted, c.Refused, c.Entries, Amount(c.Bytes), Amount(c.Ceiling))
	if c.Broken > 0 {
		text += fmt.Sprintf("; %d were broken, and are removed", c.Broken)
	}
	return text
}
