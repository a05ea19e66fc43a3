// Package cache keeps what is dear to get again in a folder: objects of stores on the network, parts of them, decoded samples.
//
//	folder, err := cache.Open("/var/cache/spool", cache.Options{MaxBytes: 100 << 30})
//	defer folder.Close()
//	remote := cache.NewRemote(client, folder)
//	photos, err := source.Open(ctx, []string{"s3://bucket/photos"}, source.Options{Remote: remote})
//
// A [Folder] has entries: bytes under a [Key], with what it cost to get them. It lies on a disk that is nearer than where they come
// from, outlives processes, and is shared by all that open it. [Remote] reads objects through it; loaders keep decoded samples in it.
//
// # What is kept
//
// Not all of a data set may fit, and each epoch asks for each sample once: who gives up what was used longest ago to make
// room for what comes then throws everything away just before its turn. So an entry has to be worth more than what it takes the place
// of: worth is the time that it cost to get, per byte, times how often it was asked for lately. Equal entries stay.
// What was not asked for in a week is worth nothing.
//
// # What may go wrong
//
// Nothing of a cache fails a run. A folder that cannot be written, a disk that is full: Options.Warn is told once, nothing
// is kept from then on, and what is there is still read. An entry that is not whole, or not what it was, is removed and not served: all bytes have
// checksums, which are checked each time. Entries are written under another name and renamed, so that a reader finds a whole one or none. Nothing is
// flushed to the disk (no fsync): what a power cut takes is fetched again. A process that is killed leaves at most a temporary file, which the next removes.
//
// # Several processes
//
// Reading takes no lock. Writing takes one (flock) twice, shortly, to reserve room and to rename: the folder never has more bytes than
// the ceiling of whoever writes, temporary files counted. Where the lock is not to be had within a second, the entry is not kept.
//
// # Secrets
//
// Names of entries are addresses without user, password and query. Entries are as private as the folder: one that is made here is
// its owner's only.
package cache
