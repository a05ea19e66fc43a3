package source

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// partOpener opens parts of files by the names that listings give them: FILE.tar/MEMBER, and FILE:ROW of a manifest
// that holds media. It indexes a file when the first of its parts is opened.
type partOpener struct {
	opts     Options
	unpacked *table.Cache

	mu    sync.Mutex
	files map[string]*indexedFile
}

// openPart opens a part of a file by its name within the file.
type openPart func(ctx context.Context, part string) (spool.Object, error)

// indexedFile is a file, which has been indexed once open is not nil.
type indexedFile struct {
	mu   sync.Mutex
	open openPart
}

// open opens a part of a file. found is false if the name is not that of a part.
func (w *partOpener) open(ctx context.Context, name string) (o spool.Object, found bool, err error) {
	look := w.shard
	file, part, ok := inShard(name)
	if !ok {
		look = w.manifest
		if file, part, ok = w.inManifest(name); !ok {
			return nil, false, nil
		}
	}
	parts, err := w.indexed(ctx, file, look)
	if err != nil {
		return nil, true, err
	}
	o, err = parts(ctx, part)
	return o, true, err
}

// packed opens the part of a shard whose place a row has. found is false if the shard is not the one that was listed:
// its headers then say where the part is.
func (w *partOpener) packed(ctx context.Context, row table.Row) (o spool.Object, found bool, err error) {
	file, member, ok := inShard(row.Path)
	if !ok || row.Offset < 0 || row.Length < 0 || row.Length > row.Size || row.Offset > row.Size-row.Length {
		return nil, false, nil
	}
	var archive spool.Object
	if w.opts.isRemote(file) {
		archive, err = w.opts.Remote.Open(ctx, Entry{URL: file, Size: row.Size, Version: row.Version})
	} else if archive, err = w.opts.fileSystem().Open(ctx, file); err == nil {
		if info := archive.Info(); info.Size != row.Size || info.Version != row.Version {
			archive.Close()
			return nil, false, nil
		}
	}
	if err != nil {
		return nil, true, err
	}
	part := shard.Member{Name: member, Offset: row.Offset, Size: row.Length}
	return &named{shard.Open(archive, part), spool.Redacted(row.Path)}, true, nil
}

// indexed returns a function that opens the parts of a file. The first caller indexes the file; if that fails, the next
// caller tries again.
func (w *partOpener) indexed(ctx context.Context, file string,
	look func(context.Context, string) (openPart, error)) (openPart, error) {
	w.mu.Lock()
	x := w.files[file]
	if x == nil {
		x = &indexedFile{}
		w.files[file] = x
	}
	w.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open != nil {
		return x.open, nil
	}
	parts, err := look(ctx, file)
	x.open = parts
	return parts, err
}

// inShard splits the name of a member of a tar file.
func inShard(name string) (file, member string, ok bool) {
	for at := 0; ; at++ {
		slash := strings.IndexByte(name[at:], '/')
		if slash < 0 {
			return "", "", false
		}
		if at += slash; IsShard(name[:at]) {
			return name[:at], name[at+1:], true
		}
	}
}

// inManifest splits the name of a row that holds its sample.
func (w *partOpener) inManifest(name string) (file, row string, ok bool) {
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 || w.opts.Formats[extension(name[:colon])] == nil && !w.opts.isIndex(name[:colon]) {
		return "", "", false
	}
	return name[:colon], name[colon+1:], true
}

// shard finds all members of a tar file, whatever their extensions.
func (w *partOpener) shard(ctx context.Context, file string) (openPart, error) {
	f := newShardFile(file, w.opts, w.unpacked)
	x, err := f.index(ctx, wholeShard)
	if err != nil {
		return nil, spool.InFile(err, file)
	}
	type place struct {
		member shard.Member
		err    error
	}
	places := map[string]place{}
	for i := range x.Len() {
		s := x.Sample(i)
		for _, m := range s.Members {
			if _, twice := places[m.Name]; !twice {
				places[m.Name] = place{m, s.Err}
			}
		}
	}
	return func(ctx context.Context, member string) (spool.Object, error) {
		name := spool.Redacted(file) + "/" + member
		p, ok := places[member]
		switch {
		case ok && p.err == nil:
			return f.member(ctx, name, p.member)
		case ok:
			return nil, spool.InFile(p.err, name)
		case x.Damage() != nil: // the member may come after the damage
			return nil, spool.InFile(x.Damage(), name)
		}
		return nil, &spool.Error{Op: "open", File: name, Class: spool.ErrNotFound,
			Text: fmt.Sprintf("%s has no such member", spool.Redacted(file))}
	}, nil
}

// manifest finds the rows of a manifest. Their paths must be files, since a part of a file might lead back to this row.
func (w *partOpener) manifest(ctx context.Context, file string) (openPart, error) {
	m, err := openManifest(ctx, file, w, w.opts.columns())
	if err != nil {
		return nil, spool.InFile(err, file)
	}
	m.number(func(string) int64 { return -1 }) // labels are not used here
	return func(ctx context.Context, row string) (spool.Object, error) {
		k, err := strconv.Atoi(row)
		if err != nil || k < 1 || k > m.len() {
			return nil, &spool.Error{Op: "open", File: spool.Redacted(file) + ":" + row, Class: spool.ErrNotFound,
				Text: fmt.Sprintf("%s has no such row", spool.Redacted(file))}
		}
		o, _, err := m.direct(ctx, k-1)
		return o, err
	}, nil
}

// openSet opens the data set of an index.
func (w *partOpener) openSet(ctx context.Context, s table.Set, name string, c table.Columns) (table.Rows, error) {
	folder := name[:strings.LastIndexByte(name, '/')+1]
	open := func(ctx context.Context, beside string) (spool.Object, error) {
		if beside == "" {
			return w.opts.fileSystem().Open(ctx, name)
		}
		return w.opts.fileSystem().Open(ctx, folder+beside)
	}
	return s.Open(ctx, open, c, w.unpacked)
}
