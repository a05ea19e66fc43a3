package settings

import (
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
)

// DiskCache is the settings of a disk cache.
type DiskCache struct {
	folder  string
	bytes   int64
	samples bool
}

// DiskCache defines the settings of a disk cache.
func (s *Set) DiskCache(d *DiskCache) {
	s.Text("disk-cache", &d.folder, "DIR", "a folder that caches what is read, for later epochs and runs")
	s.Bytes("disk-cache-bytes", &d.bytes, "limit of its size; 10GiB if not given")
	Choice(s, "disk-cache-of", &d.samples, "objects",
		"what is cached: objects of stores as read, or samples as decoded and resized",
		map[string]bool{"objects": false, "samples": true})
}

// judge checks the settings together.
func (d *DiskCache) judge(s *Set) {
	if d.folder == "" && (d.bytes != 0 || d.samples) {
		s.Refuse("--disk-cache-bytes and --disk-cache-of need --disk-cache, the folder")
	}
}

// Open opens the folder, which the caller closes. It returns nil without a disk cache. It calls warn when the cache
// stops keeping entries.
func (d *DiskCache) Open(warn func(error)) (*cache.Folder, error) {
	if d.folder == "" {
		return nil, nil
	}
	return cache.Open(d.folder, cache.Options{MaxBytes: d.bytes, Warn: warn})
}

// Remote returns the remote, or one that reads it through an open folder if the cache keeps objects.
func (d *DiskCache) Remote(remote source.Remote, folder *cache.Folder) source.Remote {
	if folder == nil || d.samples {
		return remote
	}
	return cache.NewRemote(remote, folder)
}

// Keep makes a loader keep its samples in an open folder, if the cache keeps samples.
func (d *DiskCache) Keep(o *loader.Options, folder *cache.Folder) {
	if d.samples {
		o.Caches.Disk = folder
	}
}
