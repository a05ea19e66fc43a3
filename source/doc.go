// Package source says where the bytes of samples come from: folders, globs, lists of names, manifests, tar files, any
// fs.FS.
//
// A [Source] is a list of [Item]s, each a name and a label, and opens them as [Object]s. Listing and opening
// are apart: a listing knows names only and holds no file open, so that a million of them are cheap,
// and opening may happen elsewhere, later and in parallel. [Open] takes what a user writes on a command
// line, and [OpenStream] what is too much to be listed before the first sample is loaded; [Folder], [Glob], [List],
// [Manifest], [Shards], [Files] and [FS] are Open's parts. Manifests of other kinds come in by [Options].Formats, so that
// only those who have Parquet files pay for reading them; [SaveShardIndex] makes opening many tar files quick.
//
// # Order and labels
//
// The order of items is a function of names, not of the file system: the same files give the same ids on
// every machine. A folder that contains folders is a tree of classes, read as torchvision's ImageFolder
// reads it: [Folder] says exactly how.
//
// # Cancellation
//
// Everything that may wait takes a context. The kernel does not let go of a read of a regular file, or of the
// listing of a folder, that has begun: on a network mount that hangs, cancellation is seen only between reads
// (at most 1 MiB each) and between folder pages.
//
// # Errors
//
// They are *spool.Error and name the file as the user would: ErrNotFound, ErrPermission, ErrNotAFile (a
// device, socket or pipe; a folder where a file is needed), ErrEmpty (a folder with nothing to load, an
// empty list), ErrCorrupt (a list that is none), ErrIO, ErrCanceled and ErrTimeout. A listing reports the
// problems of all its arguments at once, joined. Names that come from a list or from [Files] are looked at
// only when they are opened: what is wrong with them is a failed sample, not a failed listing. So is what is wrong with
// a row of a manifest, a sample of a shard, or a part of one.
//
// # Concurrency
//
// A Source and its Objects are safe for concurrent use; Close waits for nobody, so close last.
package source
