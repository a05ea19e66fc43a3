package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
)

// Info describes an entry.
type Info struct {
	Kind EntryKind
	Name string        // where the data is from: a URL, or a file's name
	Size int64         // bytes of data
	Room int64         // bytes on the disk
	Cost time.Duration // time that it took to get
	Made time.Time
	Used time.Time // to the minute

	path string
}

// OpenExisting opens an existing cache for maintenance. If there is none, the error is spool.ErrNotFound.
func OpenExisting(folder string) (*Folder, error) {
	if _, err := os.Stat(filepath.Join(folder, versionName(version), temporary)); err != nil {
		return nil, &spool.Error{Op: "open", File: folder, Class: spool.ErrNotFound, Text: "no disk cache in this folder",
			Err: err}
	}
	f := &Folder{folder: filepath.Join(folder, versionName(version)), ceiling: defaultBytes}
	account, err := openAccount(f.folder)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
		return f, nil // read only
	}
	if err != nil {
		return nil, spool.InFile(err, folder)
	}
	f.account = account
	if now, err := account.read(); err == nil && now.ceiling > 0 {
		f.ceiling = now.ceiling // of the process that wrote last
	}
	return f, nil
}

// Entries yields all entries, in no particular order, without damaged ones: see Verify. An error comes last.
func (f *Folder) Entries(ctx context.Context) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for path, err := range f.paths(ctx) {
			if err != nil {
				yield(Info{}, err)
				return
			}
			if e, err := openEntry(path); err == nil {
				e.file.close()
				if !yield(e.info(path), nil) {
					return
				}
			}
		}
	}
}

func (e *opened) info(path string) Info {
	return Info{Kind: e.kind, Name: e.name, Size: e.size, Room: e.disk, Cost: e.cost, Made: e.made, Used: e.used,
		path: path}
}

// paths yields the paths of all entries.
func (f *Folder) paths(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for i := range shelves {
			shelf := shelfOf(f.folder, i)
			names, err := readNames(shelf)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield("", spool.InFile(err, shelf))
				return
			}
			for _, name := range names {
				if !yield(filepath.Join(shelf, name), nil) {
					return
				}
			}
		}
	}
}

// Remove removes an entry. An entry that no longer exists is no error.
func (f *Folder) Remove(i Info) error {
	e, err := openEntry(i.path)
	if e == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return spool.InFile(err, i.path)
	}
	if err == nil {
		e.file.close()
	}
	return f.remove(i.path, e)
}

func (f *Folder) remove(path string, e *opened) error {
	if f.account == nil {
		return &spool.Error{Op: "remove", File: path, Class: spool.ErrPermission, Text: "the disk cache cannot be written"}
	}
	if err := f.account.within(func(s *sum) error { return f.discard(s, path, e) }); err != nil {
		return spool.InFile(fmt.Errorf("remove: %w", err), path)
	}
	return nil
}

// Verified is the result of Verify.
type Verified struct {
	Entries int64 // intact ones
	Bytes   int64 // of their data
	Broken  int64 // damaged ones, which were removed
}

// Verify reads all entries, removes damaged ones, and counts anew the space that all take.
func (f *Folder) Verify(ctx context.Context) (v Verified, err error) {
	buffer := make([]byte, 16*page)
	for path, err := range f.paths(ctx) {
		if err != nil {
			return v, err
		}
		if err := ctx.Err(); err != nil {
			return v, spool.InFile(err, path)
		}
		e, err := openEntry(path)
		switch {
		case e == nil:
			continue // removed meanwhile
		case err == nil:
			whole := e.whole(path, buffer)
			e.file.close()
			if whole {
				v.Entries++
				v.Bytes += e.size
				continue
			}
		}
		v.Broken++
		if err := f.remove(path, e); err != nil {
			return v, err
		}
	}
	if f.account == nil {
		return v, nil
	}
	err = f.account.within(f.account.count)
	if err != nil {
		err = spool.InFile(err, f.folder)
	}
	return v, err
}

// whole reads and verifies all of an entry, and that it is at the right path.
func (e *opened) whole(path string, buffer []byte) bool {
	if d, ok := digestOf(path); !ok || d != e.digest {
		return false
	}
	for off := int64(0); off < e.size; off += int64(len(buffer)) {
		if !e.readAt(buffer[:min(int64(len(buffer)), e.size-off)], off) {
			return false
		}
	}
	return true
}
