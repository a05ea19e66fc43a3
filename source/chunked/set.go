package chunked

import (
	"context"
	"encoding/binary"
	"regexp"
	"slices"
	"sort"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/held"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// set implements held.File.
type set struct {
	*index
	open  func(ctx context.Context, name string) (spool.Object, error)
	cache *table.Cache
	first []int // sample of each file, and the end
}

// Set is the format of the data sets of an index.json.
func Set() table.Set { return table.Set{Is: isIndex.Match, Open: open} }

// isIndex is the beginning of an index.
var isIndex = regexp.MustCompile(`^\s*\{\s*"(shards|chunks)"\s*:`)

// open reads the index of a data set.
func open(ctx context.Context, beside func(ctx context.Context, name string) (spool.Object, error), c table.Columns,
	u *table.Cache) (table.Rows, error) {
	x, err := readIndex(ctx, beside)
	if err != nil {
		return nil, err
	}
	s := &set{index: x, open: beside, cache: u, first: []int{0}}
	for i, n := range x.sizes {
		s.first = append(s.first, s.first[i]+n)
	}
	return held.Open(ctx, s, c, u.Limit())
}

// Columns describes the columns.
func (s *set) Columns() []table.Column {
	var columns []table.Column
	for i := range s.columns {
		f, _ := s.columns[i].form()
		columns = append(columns, table.Column{Name: s.columns[i].name, Type: f.kind, Format: f.format})
	}
	return columns
}

// Sizes returns the number of samples of each file.
func (s *set) Sizes() []int { return slices.Clone(s.sizes) }

// Begin returns a reader.
func (s *set) Begin(ctx context.Context, inOrder bool) held.Reader {
	return &reader{set: s, ctx: ctx, inOrder: inOrder, file: -1}
}

// cacheKey is the key of what a cache keeps of a file.
type cacheKey struct {
	*set
	file int
	what string
}

// reader implements held.Reader.
type reader struct {
	*set
	ctx     context.Context
	inOrder bool
	file    int // that is open; -1: none
	window  *held.Window
}

// begin opens a file, if another is open.
func (r *reader) begin(file int) error {
	if r.file == file {
		return nil
	}
	r.Close()
	r.file = -1
	p := r.files[file]
	open := func(ctx context.Context) (spool.Object, error) { return r.open(ctx, p.name) }
	var o spool.Object
	var err error
	if p.compressed {
		var data []byte
		data, err = r.cache.Get(r.ctx, cacheKey{r.set, file, "file"}, func(ctx context.Context) ([]byte, error) {
			packed, err := open(ctx)
			if err != nil {
				return nil, err
			}
			defer packed.Close()
			return shard.Decompress(ctx, packed, shard.Zstd, r.cache.Limit())
		})
		o = shard.Memory(data)
	} else {
		o, err = open(r.ctx)
	}
	if err != nil {
		return spool.InFile(err, p.name)
	}
	r.file, r.window = file, held.NewWindow(r.ctx, o, r.inOrder)
	return nil
}

// positions returns the table of positions of the file that is open: 4 bytes for each sample and the end.
func (r *reader) positions() ([]byte, error) {
	n := int64(r.files[r.file].samples)
	return r.cache.Get(r.ctx, cacheKey{r.set, r.file, "positions"}, func(context.Context) ([]byte, error) {
		p, err := r.window.ReadAll(0, 4*(n+2))
		if err != nil {
			return nil, err
		}
		if got := binary.LittleEndian.Uint32(p); int64(got) != n {
			return nil, corrupt("%s has %d samples, the index says %d", r.files[r.file].name, got, n)
		}
		return p[4:], nil
	})
}

// place returns where a value of sample k is, in the file that it opens.
func (r *reader) place(k, column int) (at, size int64, err error) {
	file := sort.SearchInts(r.first, k+1) - 1
	if err := r.begin(file); err != nil {
		return 0, 0, err
	}
	positions, err := r.positions()
	if err != nil {
		return 0, 0, err
	}
	i := k - r.first[file]
	at = int64(binary.LittleEndian.Uint32(positions[4*i:]))
	end := int64(binary.LittleEndian.Uint32(positions[4*i+4:]))
	lengths := int64(0)
	for _, c := range r.columns {
		if c.size == 0 {
			lengths += 4
		}
	}
	if end > r.window.Size || at > end || lengths > end-at {
		return 0, 0, corrupt("sample %d of %s is beyond its file", i, r.files[file].name)
	}
	head, err := r.window.Read(at, lengths)
	if err != nil {
		return 0, 0, err
	}
	at += lengths
	for c := range r.columns {
		if size = r.columns[c].size; size == 0 {
			size, head = int64(binary.LittleEndian.Uint32(head)), head[4:]
		}
		if size > end-at {
			return 0, 0, corrupt("a value beyond sample %d of %s", i, r.files[file].name)
		}
		if c == column {
			break
		}
		at += size
	}
	return at, size, nil
}

// Cell returns a value of sample k.
func (r *reader) Cell(k, column int) (table.Cell, error) {
	at, size, err := r.place(k, column)
	if err != nil {
		return table.Cell{}, err
	}
	if size > r.cache.Limit() {
		return table.Cell{}, failed(spool.ErrTooLarge, "a value of %d bytes", size)
	}
	p, err := r.window.Read(at, size)
	if err != nil {
		return table.Cell{}, err
	}
	return r.columns[column].cell(slices.Clone(p))
}

// Open returns a value of sample k as a part of its file.
func (r *reader) Open(k, column int) (spool.Object, error) {
	at, size, err := r.place(k, column)
	if err != nil {
		return nil, err
	}
	o := r.window.Object
	r.window = nil // its new owner closes it
	r.file = -1
	return shard.Open(o, shard.Member{Offset: at, Size: size}), nil
}

// Close closes the file.
func (r *reader) Close() {
	if r.window != nil {
		_ = r.window.Object.Close() // it was only read
	}
	r.window = nil
}
