package source

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/shard"
)

// Shards lists the samples of tar files, as WebDataset groups them (see package shard): one item for each sample that
// has a member of the wanted kind, called as the file, a slash and the member, with the label of the member cls. Where a
// sample has several such members, that with the shortest extension is taken: 1.jpg before 1.mask.png.
//
// All headers are read to begin with, of eight shards at a time; compressed shards are decompressed for it, and again, as
// a whole, when a sample is opened and Options.Unpacked had no room to keep them: take their samples in the order
// of order.NewShards, of Listing.Sizes. An item takes the bytes of its name and 28 more.
//
// What is wrong with a sample is that item's error when it is opened. What is wrong with an archive (cut off, damaged)
// is that of a last item of it, called as the file. A shard that is not there, or holds nothing to load, is an error of the
// listing.
func Shards(ctx context.Context, names []string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		l.shard(name)
	}
	return l.listing()
}

// isShard tells tar files by their names.
func isShard(name string) bool {
	name = strings.ToLower(path.Base(name))
	for _, ending := range []string{".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.zstd", ".tzst"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// shardFile is a tar file, and its samples.
type shardFile struct {
	place       place
	file        string
	unpacked    *unpacked
	compression shard.Compression

	names   []byte // of the members
	members []member
	bad     map[int]error
}

// member is what has the bytes of a sample.
type member struct {
	offset, size int64
	label        int64
	end          uint32 // of its name
}

func (f *shardFile) len() int { return len(f.members) }

func (f *shardFile) number(func(string) int64) {}

func (f *shardFile) item(k int) (string, int64) {
	if name := f.name(k); name != "" {
		return f.file + "/" + name, f.members[k].label
	}
	return f.file, -1
}

func (f *shardFile) name(k int) string {
	start := uint32(0)
	if k > 0 {
		start = f.members[k-1].end
	}
	return string(f.names[start:f.members[k].end])
}

func (f *shardFile) open(ctx context.Context, k int) (Object, error) {
	name, _ := f.item(k)
	if err := ended(ctx, "open", name); err != nil {
		return nil, err
	}
	if err := f.bad[k]; err != nil {
		return nil, spool.InFile(err, name)
	}
	archive, err := f.archive(ctx)
	if err != nil {
		return nil, err
	}
	m := f.members[k]
	return &named{shard.Open(archive, shard.Member{Name: name, Offset: m.offset, Size: m.size}), name}, nil
}

// archive opens the tar file, decompressed.
func (f *shardFile) archive(ctx context.Context) (Object, error) {
	if f.compression == shard.None {
		return f.place.open(f.file)
	}
	data, err := f.unpacked.get(ctx, f)
	if err != nil {
		return nil, spool.InFile(err, f.file)
	}
	return data, nil
}

// scan reads the headers and keeps what is wanted. What is no sample of the kind goes to skipped.
func (f *shardFile) scan(ctx context.Context, wanted map[string]bool, skipped *Skipped) error {
	o, err := f.place.open(f.file)
	if err != nil {
		return err
	}
	defer o.Close()
	if f.compression, err = shard.Compressed(ctx, o); err != nil {
		return spool.InFile(err, f.file)
	}
	archive := o
	if f.compression != shard.None {
		data, err := f.unpacked.get(ctx, f)
		if err != nil {
			return f.damaged(err)
		}
		archive = data
	}
	x, err := shard.Scan(ctx, archive)
	if err != nil {
		return spool.InFile(err, f.file)
	}
	for i := range x.Len() {
		s := x.Sample(i)
		m, ok := choose(s.Members, wanted)
		if !ok {
			skipped.Kinds["."+s.Members[0].Ext()]++
			continue
		}
		if err := f.add(m.Name, member{offset: m.Offset, size: m.Size, label: s.Label}, s.Err); err != nil {
			return err
		}
	}
	if err := x.Damage(); err != nil {
		return f.damaged(err)
	}
	return nil
}

// damaged makes an item of what is wrong with the archive; what ended the context is the listing's.
func (f *shardFile) damaged(err error) error {
	if class := spool.ClassOf(err); class == spool.ErrCanceled || class == spool.ErrTimeout || class == spool.ErrIO {
		return spool.InFile(err, f.file)
	}
	return f.add("", member{label: -1}, err)
}

func (f *shardFile) add(name string, m member, bad error) error {
	if len(f.names)+len(name) > math.MaxUint32 {
		return &spool.Error{Op: "list", File: f.file, Class: spool.ErrUnsupported, Text: "names of more than 4 GiB"}
	}
	if bad != nil {
		f.bad[len(f.members)] = bad
	}
	f.names = append(f.names, name...)
	m.end = uint32(len(f.names))
	f.members = append(f.members, m)
	return nil
}

// choose is the member to be loaded: of those whose extension is wanted, or ends in one that is, the one with the
// shortest.
func choose(members []shard.Member, wanted map[string]bool) (best shard.Member, ok bool) {
	for _, m := range members {
		if ext := "." + m.Ext(); wanted[ext[strings.LastIndexByte(ext, '.'):]] && (!ok || len(m.Ext()) < len(best.Ext())) {
			best, ok = m, true
		}
	}
	return best, ok
}

// named is an object whose errors name it.
type named struct {
	Object
	name string
}

func (n *named) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	k, err := n.Object.ReadAt(ctx, p, off)
	if err != nil && spool.ClassOf(err) != "" {
		err = spool.InFile(err, n.name)
	}
	return k, err
}

func (l *lister) unpackedLimit() int64 { return cmp.Or(l.opts.Unpacked, 1<<30) }

// shard adds a tar file, to be scanned with the others.
func (l *lister) shard(name string) {
	if l.unpacked == nil {
		l.unpacked = newUnpacked(l.unpackedLimit())
	}
	f := &shardFile{place: system{}, file: name, unpacked: l.unpacked, bad: map[int]error{}}
	l.shards = append(l.shards, f)
	l.hold(f)
}

// scan reads the shards that were added, several at a time. An error is the end of the context.
func (l *lister) scan() error {
	const together = 8
	errs, skipped := make([]error, len(l.shards)), make([]Skipped, len(l.shards))
	slots := make(chan struct{}, together)
	var scans sync.WaitGroup
	for i, f := range l.shards {
		slots <- struct{}{}
		scans.Go(func() {
			defer func() { <-slots }()
			skipped[i].Kinds = map[string]int{}
			errs[i] = f.scan(l.ctx, l.wanted, &skipped[i])
			f.names, f.members = slices.Clip(f.names), slices.Clip(f.members)
		})
	}
	scans.Wait()
	for i, f := range l.shards {
		if err := ended(l.ctx, "list", f.file); err != nil {
			return err
		}
		l.skipped.add(skipped[i])
		switch {
		case errs[i] != nil:
			l.problems.add(errs[i])
		case f.len() == 0:
			l.problems.add(noSamples(f.file, l.opts, skipped[i]))
		}
	}
	return nil
}

// noSamples is the error of a shard without anything to load.
func noSamples(file string, o Options, seen Skipped) error {
	text := fmt.Sprintf("no %s in this shard", o.what())
	if s := seen.String(); s != "" {
		text += " (seen: " + s + ")"
	}
	return &spool.Error{Op: "list", File: file, Class: spool.ErrEmpty, Text: text}
}
