package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spoolmedia/spool"
)

// Manifest lists the files that the rows of a table name: .csv and .tsv (RFC 4180, the first row names the columns), .jsonl
// and .ndjson (an object a line).
//
// The column Options.Path holds the path; without it, the first there is of file, path, filename, image, video and audio:
// so the ledger of a run is a manifest of what failed. The column Options.Label, or label or target, holds the label:
// an integer from 0 up, or -1 for none. Where the first row has a name instead, all labels are names of classes, which are
// sorted and numbered together with those of class folders. Relative paths start where those of a List do. A path may also
// be that of a sample in a tar file as Shards has it, FILE.tar/MEMBER.
//
// Rows are read when they are asked for: to begin with, only their ends are found (and the names of classes). The
// file is kept in memory, outside of Go's, and an item takes half a byte besides. What is wrong with a row is the error of
// opening its item, which is called as the manifest and the row's number, from 1. A manifest without rows, or without such a
// column, is an error of the listing.
func Manifest(ctx context.Context, name string, o Options) (*Listing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := l.manifest(name); err != nil {
		return nil, err
	}
	return l.listing()
}

// formats are the manifests by extension.
var formats = map[string]func() table{
	".csv":    func() table { return &separated{comma: ','} },
	".tsv":    func() table { return &separated{comma: '\t'} },
	".jsonl":  func() table { return &objects{} },
	".ndjson": func() table { return &objects{} },
}

func isManifest(name string) bool { return formats[extension(name)] != nil }

// The columns that are looked for, the first there is.
var (
	pathColumns  = []string{"file", "path", "filename", "image", "video", "audio"}
	labelColumns = []string{"label", "target"}
)

// table is the format of a manifest's rows. After begin it is safe for concurrent use.
type table interface {
	// begin is given the columns to look for, and all rows; it gives those that are data.
	begin(paths, labels []string, text []byte) (rest []byte, err error)
	// end is where the first row of text ends, behind its line feed.
	end(text []byte) int
	// row gives path and label of a row as they are written.
	row(text []byte) (path, label string, err error)
}

// manifest is a table of files.
type manifest struct {
	place place
	name  string
	table table
	rows  []byte
	n     int
	marks []int    // where every stride-th row begins
	from  base     // where relative paths start
	names []string // of classes, sorted; nil where labels are numbers
	label []int64  // of each of names
	tars  archives // that rows name members of
}

// maxManifest bounds what is kept in memory: a hundred million rows.
const maxManifest = 16 << 30

// stride is of how many rows one has its place kept.
const stride = 16

// manifest adds the files that a manifest names.
func (l *lister) manifest(name string) error {
	m := &manifest{place: system{}, name: name}
	m.tars = archives{wanted: l.wanted, limit: l.unpackedLimit(), open: map[string]*archive{}}
	text, err := m.read(l.ctx)
	if err == nil {
		err = m.index(text, l.opts)
	}
	if ended := ended(l.ctx, "list", name); ended != nil {
		return ended
	}
	if err != nil {
		l.problems.add(spool.InFile(err, name))
		return nil
	}
	for _, class := range m.names {
		l.classes[class] = true
	}
	l.hold(m)
	return nil
}

// read gives the whole file, in memory that is not Go's: the collector would let as much garbage gather as is in use.
func (m *manifest) read(ctx context.Context) ([]byte, error) {
	o, err := m.place.open(m.name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if o.Size() == 0 {
		return nil, &spool.Error{Op: "list", Class: spool.ErrEmpty, Text: "a manifest of zero bytes"}
	}
	if o.Size() > maxManifest {
		return nil, &spool.Error{Op: "list", Class: spool.ErrTooLarge, Text: fmt.Sprintf("a manifest of %d bytes, the limit is %d", o.Size(), int64(maxManifest))}
	}
	text, err := syscall.Mmap(-1, 0, int(o.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%w: %d bytes for a manifest: %w", spool.ErrOutOfMemory, o.Size(), err)
	}
	runtime.AddCleanup(m, func(text []byte) { _ = syscall.Munmap(text) }, text)
	return text, ReadFull(ctx, o, text)
}

// index finds the rows, and the classes where they have names.
func (m *manifest) index(text []byte, o Options) (err error) {
	m.table = formats[extension(m.name)]()
	paths, labels := pathColumns, labelColumns
	if o.Path != "" {
		paths = []string{o.Path}
	}
	if o.Label != "" {
		labels = []string{o.Label}
	}
	m.rows, err = m.table.begin(paths, labels, bytes.TrimPrefix(text, []byte("\uFEFF")))
	if err != nil {
		return err
	}
	for at := 0; ; {
		at += blank(m.rows[at:])
		if at == len(m.rows) {
			break
		}
		if m.n%stride == 0 {
			m.marks = append(m.marks, at)
		}
		m.n++
		at += m.table.end(m.rows[at:])
	}
	if m.n == 0 {
		return &spool.Error{Op: "list", Class: spool.ErrEmpty, Text: "a manifest without rows"}
	}
	m.from = base{list: m.name}
	for k := range min(m.n, stride) { // what the first rows are like decides
		name, label, err := m.table.row(m.row(k))
		if err != nil || label == "" {
			continue
		}
		m.from.resolve(name)
		if _, err := parseLabel(label); err != nil {
			m.classes()
		}
		break
	}
	m.from.decided = true
	return nil
}

// blank is the length of the empty lines that text begins with.
func blank(text []byte) int {
	for n := 0; ; n++ {
		switch {
		case bytes.HasPrefix(text[n:], []byte("\r\n")):
			n++
		case bytes.HasPrefix(text[n:], []byte("\n")):
		case string(text[n:]) == "\r":
			return n + 1
		default:
			return n
		}
	}
}

// classes collects the names of all labels.
func (m *manifest) classes() {
	seen := map[string]bool{}
	for at := 0; at < len(m.rows); {
		if at += blank(m.rows[at:]); at == len(m.rows) {
			break
		}
		end := at + m.table.end(m.rows[at:])
		if _, label, err := m.table.row(m.rows[at:end]); err == nil && label != "" && !seen[label] {
			seen[strings.Clone(label)] = true
		}
		at = end
	}
	m.names = make([]string, 0, len(seen))
	for name := range seen {
		m.names = append(m.names, name)
	}
	slices.Sort(m.names)
}

func (m *manifest) len() int { return m.n }

func (m *manifest) number(label func(string) int64) {
	m.label = make([]int64, len(m.names))
	for i, name := range m.names {
		m.label[i] = label(name)
	}
}

// row is the text of row k.
func (m *manifest) row(k int) []byte {
	at := m.marks[k/stride]
	for i := 0; ; i++ {
		at += blank(m.rows[at:])
		end := at + m.table.end(m.rows[at:])
		if i == k%stride {
			return m.rows[at:end]
		}
		at = end
	}
}

// parse gives what a row says.
func (m *manifest) parse(k int) (name string, label int64, err error) {
	written, class, err := m.table.row(m.row(k))
	if err != nil {
		return "", -1, err
	}
	switch {
	case written == "":
		return "", -1, errNoPath
	case strings.IndexByte(written, 0) >= 0:
		return "", -1, errNUL
	}
	label = -1
	switch {
	case class == "":
	case m.names == nil:
		if label, err = parseLabel(class); err != nil {
			return "", -1, err
		}
	default:
		if i, ok := slices.BinarySearch(m.names, class); ok {
			label = m.label[i]
		}
	}
	return m.from.resolve(written), label, nil
}

func (m *manifest) item(k int) (string, int64) {
	defer runtime.KeepAlive(m)
	name, label, err := m.parse(k)
	if err != nil {
		return fmt.Sprintf("%s:%d", m.name, k+1), -1
	}
	return name, label
}

func (m *manifest) open(ctx context.Context, k int) (Object, error) {
	defer runtime.KeepAlive(m)
	name, _, err := m.parse(k)
	if err != nil {
		at, _ := m.item(k)
		return nil, &spool.Error{Op: "open", File: at, Class: spool.ErrCorrupt, Text: fmt.Sprintf("row %d of the manifest: %v", k+1, err), Err: err}
	}
	if err := ended(ctx, "open", name); err != nil {
		return nil, err
	}
	o, err := m.place.open(name)
	if file, member, ok := inShard(name); ok && errors.Is(err, spool.ErrNotFound) {
		return m.tars.member(ctx, file, member)
	}
	return o, err
}

// noColumn is the error of a table without a path.
func noColumn(paths []string, there string) error {
	return &spool.Error{Op: "list", Class: spool.ErrCorrupt, Text: fmt.Sprintf("no column of the manifest is called %s; there are %.200s", strings.Join(paths, ", "), there)}
}
