package source

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/ranges"
	"github.com/spoolmedia/spool/source/internal/files"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// Shards lists the samples of tar files, grouped as in WebDataset (see package shard). There is one item for each
// sample that has a member of the wanted kind. Its name is the file, a slash and the member; its label is that of the
// member cls. If a sample has several such members, the member with the shortest extension is taken: 1.jpg before
// 1.mask.png.
//
// All headers are read first, of eight shards at a time, or of 16 if some are remote, unless SaveShardIndex has saved
// them. For a remote shard with small members this reads all of its bytes, in order; with an index only the loaded
// samples are read. Compressed shards are decompressed for their headers. They are decompressed again, as a whole, when
// a sample is opened that Options.Unpacked had no room to keep: load their samples in the order of order.NewShards of
// Listing.Sizes. An item takes the bytes of its name and 28 more.
//
// A bad sample is an error when its item is opened. Damage of an archive (truncated, corrupt) is the error of an
// additional last item with the name of the file. A shard that does not exist, or holds nothing to load, is an error of
// the listing.
func Shards(ctx context.Context, names []string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !l.refuses(name) {
			l.shard(name)
		}
	}
	return l.listing()
}

// labelMember is the extension of the member that holds a sample's label.
const labelMember = "cls"

// IsShard reports whether a name has the extension of a tar file, as in Open.
func IsShard(name string) bool {
	name = strings.ToLower(path.Base(spool.Redacted(name)))
	for _, ending := range []string{".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.zstd", ".tzst"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// shardFile is a tar file, and its samples.
type shardFile struct {
	fsys        files.System
	remote      Remote // nil for a local file
	entry       Entry  // of a remote file, once it is known
	file        string
	indexes     string // folder of saved indexes; empty: the file's folder
	unpacked    *table.Cache
	compression shard.Compression
	size        int64 // of the file when its headers were read
	version     string

	names   []byte // of the members
	members []member
	bad     map[int]error
}

// member is the position of a sample's bytes.
type member struct {
	offset, size int64
	label        int64
	end          uint32 // of its name
}

func (f *shardFile) len() int { return len(f.members) }

func (f *shardFile) number(func(string) int64) {}

func (f *shardFile) sizes() []int { return []int{f.len()} }

func (f *shardFile) item(k int) Item {
	file, member := spool.Redacted(f.file), f.name(k)
	if member == "" {
		return Item{Name: file, Label: -1}
	}
	name := file + "/" + member
	base := len(name) - len(path.Base(member))
	dot := strings.IndexByte(name[base:], '.')
	return Item{Name: name, Label: f.members[k].label, Key: name[len(file)+1 : base+dot]}
}

func (f *shardFile) name(k int) string {
	start := uint32(0)
	if k > 0 {
		start = f.members[k-1].end
	}
	return string(f.names[start:f.members[k].end])
}

func (f *shardFile) open(ctx context.Context, k int) (spool.Object, error) {
	name := f.item(k).Name
	if err := ended(ctx, "open", name); err != nil {
		return nil, err
	}
	if err := f.bad[k]; err != nil {
		return nil, spool.InFile(err, name)
	}
	m := f.members[k]
	return f.member(ctx, name, shard.Member{Name: name, Offset: m.offset, Size: m.size})
}

// member opens a member.
func (f *shardFile) member(ctx context.Context, name string, m shard.Member) (spool.Object, error) {
	archive, err := f.archive(ctx)
	if err != nil {
		return nil, err
	}
	return &named{shard.Open(archive, m), name}, nil
}

// newShardFile returns a tar file that has not been read.
func newShardFile(file string, o Options, u *table.Cache) *shardFile {
	f := &shardFile{fsys: o.fileSystem(), file: file, indexes: o.Indexes, unpacked: u, bad: map[int]error{}}
	if o.isRemote(file) {
		f.remote = o.Remote
	}
	return f
}

// read opens the tar file without decompressing it. A remote file is looked up once, and stays the version found then.
func (f *shardFile) read(ctx context.Context) (spool.Object, error) {
	if f.remote == nil {
		return f.fsys.Open(ctx, f.file)
	}
	if f.entry.Size > 0 {
		return f.remote.Open(ctx, f.entry)
	}
	o, err := f.remote.Open(ctx, Entry{URL: f.file})
	if err != nil {
		return nil, err
	}
	info := o.Info()
	f.entry = Entry{URL: f.file, Size: info.Size, Version: info.Version}
	return o, nil
}

// streamed returns an object for sequential reading. It prefetches a remote one, including bytes that the reader skips,
// since a round trip costs more.
func streamed(o spool.Object) spool.Object {
	if !o.Info().Remote {
		return o
	}
	return &stream{ranges.New(o, ranges.Options{Hold: 8 << 20, Block: 16 << 10, Ahead: 4 << 20, Near: 1 << 20}), o}
}

type stream struct {
	*ranges.Reader
	object spool.Object
}

func (s *stream) Close() error {
	s.Reader.Close()
	return s.object.Close()
}

// archive opens the tar file, decompressed.
func (f *shardFile) archive(ctx context.Context) (spool.Object, error) {
	if f.compression == shard.None {
		return f.read(ctx)
	}
	data, err := f.unpack(ctx)
	if err != nil {
		return nil, spool.InFile(err, f.file)
	}
	return data, nil
}

// unpack returns the decompressed tar file in memory.
func (f *shardFile) unpack(ctx context.Context) (shard.Memory, error) {
	return f.unpacked.Get(ctx, f.file, func(ctx context.Context) ([]byte, error) {
		o, err := f.read(ctx)
		if err != nil {
			return nil, err
		}
		o = streamed(o)
		defer o.Close()
		return shard.Decompress(ctx, o, f.compression, f.unpacked.Limit())
	})
}

// wholeShard reads all headers of a shard.
const wholeShard = math.MaxInt64

// index returns the saved index, or looks for the headers.
func (f *shardFile) index(ctx context.Context, most int64) (*shard.Index, error) {
	if saved := f.saved(ctx); saved != nil {
		f.compression, f.size, f.version = saved.Compression, saved.Size, saved.Version
		return saved.Index, nil
	}
	return f.look(ctx, most)
}

// look reads the headers: those in the first bytes, up to most, of a shard without compression. The rest counts as
// damage.
func (f *shardFile) look(ctx context.Context, most int64) (*shard.Index, error) {
	o, err := f.read(ctx)
	if err != nil {
		return nil, err
	}
	o = streamed(o)
	defer o.Close()
	f.size, f.version = o.Info().Size, o.Info().Version
	if f.compression, err = shard.Compressed(ctx, o); err != nil {
		return nil, err
	}
	switch {
	case f.compression == shard.None && o.Info().Size > most:
		return shard.Scan(ctx, head{o, most})
	case f.compression == shard.None:
		return shard.Scan(ctx, o)
	}
	data, err := f.unpack(ctx)
	if err != nil {
		return nil, err
	}
	return shard.Scan(ctx, data)
}

// head is the first bytes of an object.
type head struct {
	spool.Object
	size int64
}

func (h head) Info() spool.ObjectInfo {
	info := h.Object.Info()
	info.Size = h.size
	return info
}

// scan reads the index and keeps the wanted samples. It counts other samples in skipped, and puts the extensions of
// other members into unused.
func (f *shardFile) scan(ctx context.Context, wanted map[string]bool, skipped *Skipped, unused map[string]bool) error {
	x, err := f.index(ctx, wholeShard)
	if err != nil {
		return f.damaged(err)
	}
	for i := range x.Len() {
		s := x.Sample(i)
		m, ok := choose(s.Members, wanted)
		if !ok {
			skipped.Extensions["."+s.Members[0].Ext()]++
			continue
		}
		for _, other := range s.Members {
			if ext := other.Ext(); ext != m.Ext() && ext != labelMember {
				unused[ext] = true
			}
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

// damaged turns damage of the archive into an item; it returns any other error.
func (f *shardFile) damaged(err error) error {
	if isDamage(err) {
		return f.add("", member{label: -1}, err)
	}
	return spool.InFile(err, f.file)
}

// isDamage reports whether an error is of an archive's content, and not of reading it.
func isDamage(err error) bool {
	switch spool.ClassOf(err) {
	case spool.ErrTruncated, spool.ErrCorrupt, spool.ErrUnsupported, spool.ErrTooLarge:
		return true
	}
	return false
}

// damage returns the error of an item that damaged added, or nil.
func (f *shardFile) damage() error {
	last := f.len() - 1
	if last < 0 || f.name(last) != "" {
		return nil
	}
	return spool.InFile(f.bad[last], f.file)
}

func (f *shardFile) add(name string, m member, bad error) error {
	if len(f.names)+len(name) > math.MaxUint32 {
		return &spool.Error{Op: "list", File: spool.Redacted(f.file), Class: spool.ErrUnsupported,
			Text: "names of more than 4 GiB"}
	}
	if bad != nil {
		f.bad[len(f.members)] = bad
	}
	f.names = append(f.names, name...)
	m.end = uint32(len(f.names))
	f.members = append(f.members, m)
	return nil
}

// choose returns the member to load. Members count if their extension is wanted or ends in a wanted one, and the
// shortest extension wins.
func choose(members []shard.Member, wanted map[string]bool) (best shard.Member, ok bool) {
	for _, m := range members {
		if ext := "." + m.Ext(); wanted[ext[strings.LastIndexByte(ext, '.'):]] && (!ok || len(m.Ext()) < len(best.Ext())) {
			best, ok = m, true
		}
	}
	return best, ok
}

// named is an object with a name that its errors carry.
type named struct {
	spool.Object
	name string
}

func (n *named) ReadRange(ctx context.Context, p []byte, off int64) (int, error) {
	k, err := spool.ReadRange(ctx, n.Object, p, off)
	return k, n.rename(err)
}

func (n *named) Info() spool.ObjectInfo {
	info := n.Object.Info()
	info.Name = n.name
	return info
}

func (n *named) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	k, err := n.Object.ReadAt(ctx, p, off)
	return k, n.rename(err)
}

func (n *named) rename(err error) error {
	if err != nil && spool.ClassOf(err) != "" {
		err = spool.InFile(err, n.name)
	}
	return err
}

// shard adds a tar file, which scan reads together with the others.
func (l *lister) shard(name string) {
	f := newShardFile(name, l.opts, l.partOpener().unpacked)
	l.shards = append(l.shards, f)
	l.noteRemote(name)
	l.addContainer(f)
}

// scan reads the shards that were added, several at a time. It returns an error only if the context has ended.
func (l *lister) scan() error {
	errs, skipped := make([]error, len(l.shards)), make([]Skipped, len(l.shards))
	unused := make([]map[string]bool, len(l.shards)) // extensions of members that are not loaded
	l.together(len(l.shards), func(i int) {
		f := l.shards[i]
		skipped[i].Extensions, unused[i] = map[string]int{}, map[string]bool{}
		errs[i] = f.scan(l.ctx, l.wanted, &skipped[i], unused[i])
		f.names, f.members = slices.Clip(f.names), slices.Clip(f.members)
	})
	for i, f := range l.shards {
		if err := ended(l.ctx, "list", f.file); err != nil {
			return err
		}
		l.skipped.add(skipped[i])
		l.notices.add(f.file, l.opts.unusedMembers(unused[i]))
		switch {
		case errs[i] != nil:
			l.problems.add(errs[i])
		case f.len() == 0:
			l.problems.add(noSamples(f.file, l.opts, skipped[i]))
		}
	}
	return nil
}

// noSamples returns the error of a shard with nothing to load.
func noSamples(file string, o Options, seen Skipped) error {
	text := fmt.Sprintf("no %s in this shard", o.what())
	if s := seen.String(); s != "" {
		text += " (seen: " + s + ")"
	}
	return &spool.Error{Op: "list", File: spool.Redacted(file), Class: spool.ErrEmpty, Text: text}
}
