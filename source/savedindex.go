package source

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/indexpath"
	"github.com/spoolmedia/spool/source/shard"
)

// SaveShardIndex reads the headers of a tar file and saves what they say, in a file beside it or in a folder, which is made
// if it is not there. Shards and Open then read that instead, as long as the tar file has the size and the time of change
// that it had; the index of another state, or one that is damaged, is passed over. It gives the index's path. A reader
// finds the whole index or the one before.
func SaveShardIndex(ctx context.Context, file, folder string) (string, error) {
	f := &shardFile{place: system{}, file: file, indexes: folder, unpacked: NewUnpacked(defaultUnpacked)}
	size, version, err := f.state()
	if err != nil {
		return "", err
	}
	x, err := f.look(ctx)
	if err != nil {
		return "", spool.InFile(err, file)
	}
	if s, v, err := f.state(); err != nil || s != size || v != version {
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
			return "", fail("write", folder, err)
		}
	}
	if err := renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return "", fail("write", path, err)
	}
	return path, nil
}

// indexPath is where the file's index lies.
func (f *shardFile) indexPath() (string, error) {
	path, err := indexpath.Of(f.file, f.indexes)
	if err != nil {
		return "", fail("open", f.file, err)
	}
	return path, nil
}

// state tells whether the file is still the one that was indexed.
func (f *shardFile) state() (size int64, version string, err error) {
	info, err := f.place.stat(f.file)
	if err != nil {
		return 0, "", fail("open", f.file, err)
	}
	return info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano), nil
}

// saved is the index that there is already, if it fits the file; nil where not.
func (f *shardFile) saved(ctx context.Context) *shard.Saved {
	const most = 1 << 30
	path, err := f.indexPath()
	if err != nil {
		return nil
	}
	o, err := system{}.open(ctx, path)
	if err != nil {
		return nil
	}
	defer o.Close()
	data, err := ReadAll(ctx, o, nil, most)
	if err != nil {
		return nil
	}
	s, err := shard.ParseSaved(data)
	if err != nil {
		return nil
	}
	if size, version, err := f.state(); err != nil || s.Size != size || s.Version != version {
		return nil
	}
	return s
}
