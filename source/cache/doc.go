// Package cache is a disk cache for data that is slow to get: remote objects, ranges of them, and decoded samples.
//
//	folder, err := cache.Open("/var/cache/spool", cache.Options{MaxBytes: 100 << 30})
//	defer folder.Close()
//	remote := cache.NewRemote(client, folder)
//	photos, err := source.Open(ctx, []string{"s3://bucket/photos"}, source.Options{Remote: remote})
//
// A [Folder] holds entries. An entry is bytes under a [Key], with the time that it took to get them. The folder should
// be on a disk that is faster than the origin of the bytes. It outlives processes, and all processes that open it share
// it. [Remote] reads objects through a folder; loaders store decoded samples in it.
//
// # Eviction
//
// A data set may be larger than the cache, and each epoch requests each sample once. A cache that evicts the least
// recently used entry then evicts every entry just before its turn. A new entry is therefore stored only if it is worth
// more than the entries that it replaces. The worth of an entry is the time that it took to get, per byte, times the
// number of recent requests for it. An entry of equal worth is not replaced. An entry that was not requested for a week
// is worth nothing.
//
// # Failures
//
// A cache never fails a run. If the folder cannot be written or the disk is full, Options.Warn is called once and
// nothing more is stored; existing entries are still read. All bytes have checksums, which are verified at each read.
// An incomplete or changed entry is removed and not served. Entries are written under another name and renamed, so a
// reader finds a whole entry or none. Nothing is flushed to the disk (no fsync): data that a power failure destroys is
// fetched again. A killed process leaves at most a temporary file, which the next process removes.
//
// # Several processes
//
// Reading takes no lock. Writing takes one (flock) twice, briefly: to reserve space and to rename. The folder never
// holds more bytes than the ceiling of the process that writes, including temporary files. If the lock is not available
// within a second, the entry is not stored.
//
// # Secrets
//
// Entries are named by URLs without user, password and query. Entries are as private as the folder; a folder that is
// created here is accessible to its owner only.
package cache
