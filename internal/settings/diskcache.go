package settings

import (
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
)

// DiskCache is what the settings of a cache on a disk say.
type DiskCache struct {
	folder  string
	bytes   int64
	samples bool
}

// DiskCache defines the settings of a cache on a disk.
func (s *Set) DiskCache(d *DiskCache) {
	s.Text("disk-cache", &d.folder, "DIR", "a folder that keeps what is read, for later epochs and runs")
	s.Bytes("disk-cache-bytes", &d.bytes, "how large it may get; 10GiB if not given")
	Choice(s, "disk-cache-of", &d.samples, "objects", "what is kept: objects of stores, as they are read; or samples, as they are decoded and resized",
		map[string]bool{"objects": false, "samples": true})
}

// judge looks at the settings together.
func (d *DiskCache) judge(s *Set) {
	if d.folder == "" && (d.bytes != 0 || d.samples) {
		s.Refuse("--disk-cache-bytes and --disk-cache-of need --disk-cache")
	}
}

// Open opens the folder, the caller's to close; nil where none is wanted. warn is told when it keeps nothing more.
func (d *DiskCache) Open(warn func(error)) (*cache.Folder, error) {
	if d.folder == "" {
		return nil, nil
	}
	return cache.Open(d.folder, cache.Options{MaxBytes: d.bytes, Warn: warn})
}

// Remote is a remote that is read through an open folder, if its objects are to be kept.
func (d *DiskCache) Remote(remote source.Remote, folder *cache.Folder) source.Remote {
	if folder == nil || d.samples {
		return remote
	}
	return cache.NewRemote(remote, folder)
}

// Keep lets a loader keep its samples in an open folder, if they are to be kept.
func (d *DiskCache) Keep(o *loader.Options, folder *cache.Folder) {
	if d.samples {
		o.Disk = folder
	}
}
