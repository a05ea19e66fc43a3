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
	"github.com/spoolmedia/spool/source/shard"
)

// SaveShardIndex reads the headers of a tar file and saves what they say, in a file beside it or in the folder o.Indexes, which is
// made if it is not there. Shards and Open then read that instead, as long as the tar file has the size and the time of change
// that it had, or the ETag of a remote one; the index of another state, or one that is damaged, is passed over. It gives the index's
// path. A reader finds the whole index or the one before.
//
// The index of a remote shard needs a folder. It is found there, and, for all who read the shard, where it is uploaded beside it: as
// the shard's address and ".spoolidx".
func SaveShardIndex(ctx context.Context, file string, o Options) (string, error) {
	folder := o.Indexes
	f := newShardFile(file, o, NewUnpacked(cmp.Or(o.Unpacked, defaultUnpacked)))
	if f.remote != nil && folder == "" {
		return "", fmt.Errorf("%w: the index of %s needs a folder", spool.ErrOptions, spool.Shown(file))
	}
	size, version, err := f.state(ctx)
	if err != nil {
		return "", err
	}
	if f.remote != nil && version == "" {
		return "", &spool.Error{Op: "index", File: spool.Shown(file), Class: spool.ErrUnsupported, Text: "the server gives no ETag, by which an index is told to fit"}
	}
	x, err := f.look(ctx)
	if err != nil {
		return "", spool.InFile(err, file)
	}
	f.entry = Entry{}
	if s, v, err := f.state(ctx); err != nil || s != size || v != version {
		return "", &spool.Error{Op: "read", File: file, Class: spool.ErrIO, Text: "changed while its headers were read", Err: err}
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

// indexPath is where the file's index lies.
func (f *shardFile) indexPath() (string, error) {
	path, err := indexpath.Of(f.file, f.indexes)
	if err != nil {
		return "", spool.FileError("open", f.file, err)
	}
	return path, nil
}

// state tells whether the file is still the one that was indexed.
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
	info, err := f.place.stat(f.file)
	if err != nil {
		return 0, "", spool.FileError("open", f.file, err)
	}
	return info.Size(), filestate.Version(info), nil
}

// saved is the index that there is already, if it fits the file; nil where not.
func (f *shardFile) saved(ctx context.Context) *shard.Saved {
	var states sync.WaitGroup // of a remote shard, which takes a round trip
	if f.remote != nil {
		states.Go(func() { _, _, _ = f.state(ctx) }) // an error comes again
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

// savedBytes reads the index's file: that of a remote shard without a folder lies beside it.
func (f *shardFile) savedBytes(ctx context.Context) ([]byte, error) {
	const most = 1 << 30
	path, err := f.indexPath()
	if err != nil {
		return nil, err
	}
	var o spool.Object
	if f.remote != nil && f.indexes == "" {
		o, err = f.remote.Open(ctx, Entry{Address: path})
	} else {
		o, err = system{}.open(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	data := make([]byte, 0, min(o.Info().Size, most)+1)
	return ReadAll(ctx, o, data, most)
}
