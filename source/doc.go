// Package source lists samples and opens their bytes: from folders, globs, lists of paths, manifests, tar files, URLs
// of remote stores, and any fs.FS.
//
// A [Source] is an ordered list of [Item]s, each a name and a label, and opens each as a spool.Object. Listing and
// opening are separate steps. A listing holds names, and for tar files the positions of members; it keeps no file open,
// so a listing of a million samples is cheap. Text manifests stay in memory. Its samples can be opened elsewhere, later
// and in parallel.
//
// [Open] lists the arguments of a command line. [OpenStream] lists them while their samples are loaded, for data sets
// that are too large to list first. [Folder], [Glob], [List], [Manifest], [Shards], [Files] and [FS] each list one kind
// of argument. [OpenRecords] lists samples of several inputs, such as images with masks. [Options].Formats adds
// manifest formats and [Options].Remote adds stores, so that only programs which read Parquet or S3 link these readers.
// A sample may be a part of a file: see [Segmented]. [SaveShardIndex] saves the index of a tar file, which makes
// listing many of them fast.
//
// # Order and labels
//
// The order of items depends on names, not on the file system: the same files have the same ids on every machine. A
// folder that contains folders is a tree of classes, as in torchvision's ImageFolder. [Folder] defines the order
// exactly.
//
// # Cancellation
//
// Every function that may wait takes a context. The kernel does not interrupt a read of a regular file, or the listing
// of a folder, once it has begun. On a network mount that hangs, cancellation takes effect only between reads (at most
// 1 MiB each) and between pages of a folder.
//
// # Errors
//
// Errors are *spool.Error and name the file as the user would. Their classes are ErrNotFound, ErrPermission, ErrIO,
// ErrCanceled, ErrTimeout and these:
//
//   - ErrNotAFile: a device, socket or pipe, or a folder where a file is needed.
//   - ErrEmpty: a folder with nothing to load, or an empty list.
//   - ErrCorrupt: a file that is not a list.
//
// A listing joins the problems of all its arguments into one error. Names from a list or from [Files] are checked only
// when they are opened: a bad name is a failed sample, not a failed listing. The same holds for a bad row of a
// manifest, and for a bad sample or a damaged part of a shard.
//
// # Concurrency
//
// A Source and its Objects are safe for concurrent use. Close does not wait for other calls, so it comes last.
package source
