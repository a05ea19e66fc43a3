package source

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/filestate"
	"github.com/spoolmedia/spool/internal/indexpath"
	"github.com/spoolmedia/spool/source/internal/files"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// SaveShardIndex reads the headers of a tar file and saves them as an index, in the tar file's folder or in the folder
// o.Indexes, which is created if missing. It returns the index's path. The file is replaced atomically: a reader finds
// the whole index or the previous one.
//
// Shards and Open read the index in place of the headers. The index records the size and the modification time of the
// tar file, or the ETag of a remote one. If these differ from the file's, or if the index is damaged, it is ignored.
//
// The index of a remote shard needs a folder, which Shards and Open search if Options.Indexes names it. Without
// Options.Indexes they read the object at the shard's URL followed by ".spoolidx": upload the index there to share it
// with all readers of the shard.
func SaveShardIndex(ctx context.Context, file string, o Options) (string, error) {
	folder := o.Indexes
	f := newShardFile(file, o, table.NewCache(cmp.Or(o.Unpacked, defaultUnpacked)))
	if f.remote != nil && folder == "" {
		return "", fmt.Errorf("%w: the index of %s needs a folder", spool.ErrOptions, spool.Redacted(file))
	}
	size, version, err := f.state(ctx)
	if err != nil {
		return "", err
	}
	if f.remote != nil && version == "" {
		return "", &spool.Error{Op: "index", File: spool.Redacted(file), Class: spool.ErrUnsupported,
			Text: "the server sends no ETag, which tells whether an index fits"}
	}
	x, err := f.look(ctx, wholeShard)
	if err != nil {
		return "", spool.InFile(err, file)
	}
	f.entry = Entry{}
	if s, v, err := f.state(ctx); err != nil || s != size || v != version {
		return "", &spool.Error{Op: "read", File: file, Class: spool.ErrIO, Text: "changed while its headers were read",
			Err: err}
	}
	path, err := f.indexPath()
	if err != nil {
		return "", err
	}
	data, err := (&shard.Saved{Size: size, Version: version, Compression: f.compression, Index: x}).MarshalBinary()
	if err != nil {
		return "", err
	}
	if folder != "" {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", spool.FileError("write", folder, err)
		}
	}
	if err := renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return "", spool.FileError("write", path, err)
	}
	return path, nil
}

// indexPath returns the path or URL of the file's index.
func (f *shardFile) indexPath() (string, error) {
	path, err := indexpath.Of(f.file, f.indexes)
	if err != nil {
		return "", spool.FileError("open", f.file, err)
	}
	return path, nil
}

// state returns the size and version that tell whether the file is still the indexed one.
func (f *shardFile) state(ctx context.Context) (size int64, version string, err error) {
	if f.remote != nil {
		if f.entry.Size == 0 {
			o, err := f.read(ctx)
			if err != nil {
				return 0, "", err
			}
			defer o.Close()
		}
		return f.entry.Size, f.entry.Version, nil
	}
	info, err := f.fsys.Stat(f.file)
	if err != nil {
		return 0, "", spool.FileError("open", f.file, err)
	}
	return info.Size(), filestate.Version(info), nil
}

// saved returns the saved index if it exists and fits the file, or nil.
func (f *shardFile) saved(ctx context.Context) *shard.Saved {
	var states sync.WaitGroup // reading the state of a remote shard takes a round trip
	if f.remote != nil {
		states.Go(func() { _, _, _ = f.state(ctx) }) // the call below returns the error
	}
	data, err := f.savedBytes(ctx)
	states.Wait()
	if err != nil {
		return nil
	}
	s, err := shard.ParseSaved(data)
	if err != nil {
		return nil
	}
	size, version, err := f.state(ctx)
	if err != nil || s.Size != size || s.Version != version || f.remote != nil && version == "" {
		return nil
	}
	return s
}

// savedBytes reads the index's file. Without a folder, that of a remote shard is an object next to it.
func (f *shardFile) savedBytes(ctx context.Context) ([]byte, error) {
	const most = 1 << 30
	path, err := f.indexPath()
	if err != nil {
		return nil, err
	}
	var o spool.Object
	if f.remote != nil && f.indexes == "" {
		o, err = f.remote.Open(ctx, Entry{URL: path})
	} else {
		o, err = files.Local{}.Open(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	data := make([]byte, 0, min(o.Info().Size, most)+1)
	return spool.ReadAll(ctx, o, data, most)
}
