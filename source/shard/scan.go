package shard

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
)

// maxSpecial limits the data of a special member: a name, or extended records. archive/tar has the same limit.
const maxSpecial = 1 << 20

// Scan reads an archive's headers: one read of 4 KiB per member, fewer if members are small. It does not close the
// archive. The error is that of reading. Damage is not an error: see Index.Damage.
func Scan(ctx context.Context, archive spool.Object) (*Index, error) {
	s := &scanner{ctx: ctx, archive: archive, size: archive.Info().Size, index: &Index{bad: map[int]error{}}}
	err := s.run()
	if e, ok := errors.AsType[*spool.Error](err); ok &&
		(e.Class == spool.ErrTruncated || e.Class == spool.ErrCorrupt || e.Class == spool.ErrUnsupported) {
		s.index.damage, err = s.located(e), nil
	}
	if err != nil {
		return nil, err
	}
	s.link()
	return s.index, nil
}

type scanner struct {
	ctx     context.Context
	archive spool.Object
	size    int64
	index   *Index

	at     int64 // of the next header
	window []byte
	start  int64 // of window
	buffer [4096]byte

	name, target string // from a long name and link before a header
	pax          pax
	links        []hardLink
	last         string // key of the sample that members are being added to
}

// hardLink is a member that shares the bytes of another.
type hardLink struct {
	member int
	target string
}

// located returns the error with the position at which it was found.
func (s *scanner) located(e *spool.Error) error {
	at := *e
	at.Text = e.Text + " (at byte " + strconv.FormatInt(s.at, 10) + " of the archive)"
	return &at
}

// run reads headers up to the end of the archive: a block of zeros, or the end of the file between two members.
func (s *scanner) run() error {
	for {
		if s.at == s.size && s.pending() == "" && s.size > 0 {
			return nil
		}
		block, err := s.read(s.at, blockSize)
		if err != nil {
			return err
		}
		if zero(block) {
			if p := s.pending(); p != "" {
				return failed("read", spool.ErrCorrupt, "%s without a file after it", p)
			}
			return nil
		}
		h, err := parseHeader(block)
		if err != nil {
			return err
		}
		if err := s.header(h); err != nil {
			return err
		}
	}
}

// pending names what was read about a member that does not follow.
func (s *scanner) pending() string {
	switch {
	case s.name != "" || s.target != "":
		return "a long name"
	case s.pax != (pax{}):
		return "an extended header"
	}
	return ""
}

// header processes a member and moves on to the next.
func (s *scanner) header(h header) error {
	data := s.at + blockSize
	switch h.kind {
	case kindLongName, kindLongLink, kindExtended:
		if h.size > maxSpecial {
			return failed("read", spool.ErrCorrupt, "a header of %d bytes", h.size)
		}
		content, err := s.read(data, int(h.size))
		if err != nil {
			return err
		}
		switch h.kind {
		case kindLongName:
			s.name = text(content)
		case kindLongLink:
			s.target = text(content)
		default:
			if s.pax, err = parsePAX(content); err != nil {
				return err
			}
		}
		return s.skip(data, h.size)
	}
	s.complete(&h)
	switch h.kind {
	case kindFile, kindOldFile, kindContiguous:
		if err := s.add(h, data); err != nil {
			return err
		}
	case kindSparse:
		n := len(s.index.members)
		if err := s.add(h, data); err != nil {
			return err
		}
		if len(s.index.members) > n {
			s.index.bad[len(s.index.samples)-1] = failed("open", spool.ErrUnsupported, "%s is a sparse file", h.name)
		}
		for more := h.extended; more; data += blockSize { // tables of GNU's format continue after the header
			block, err := s.read(data, blockSize)
			if err != nil {
				return err
			}
			more = block[504] != 0
		}
	case kindLink:
		if err := s.add(h, hardLinked); err != nil {
			return err
		}
		h.size = 0
	case '2', '3', '4', kindFolder, '6': // symbolic links, devices, folders and pipes have no data, whatever their size
		h.size = 0
	}
	return s.skip(data, h.size)
}

// complete applies to a header what the special members before it have set.
func (s *scanner) complete(h *header) {
	h.name = cmp.Or(s.name, s.pax.path, h.name)
	h.link = cmp.Or(s.target, s.pax.link, h.link)
	if s.pax.size != nil {
		h.size = *s.pax.size
	}
	switch {
	case s.pax.sparse:
		h.kind, h.extended = kindSparse, false
	case h.kind == kindOldFile && strings.HasSuffix(h.name, "/"):
		h.kind = kindFolder
	}
	s.name, s.target, s.pax = "", "", pax{}
}

// hardLinked is the offset of a member without data, until link finds it.
const hardLinked = -1

// skip moves on to the header after the data. If the archive ends within the data, the scan ends, with the member in
// the index. Missing padding of the last block is accepted.
func (s *scanner) skip(data, size int64) error {
	if size > s.size-data {
		return failed("read", spool.ErrTruncated, "the archive ends %d bytes into a member of %d", max(0, s.size-data), size)
	}
	s.at = min(s.size, data+(size+blockSize-1)/blockSize*blockSize)
	return nil
}

// add adds a file to the index. A hard link has no data: its offset is found later.
func (s *scanner) add(h header, data int64) error {
	name, ok := clean(h.name)
	base := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[base:], '.')
	if dot <= 0 || strings.HasPrefix(name[base:], "__") && strings.HasSuffix(name, "__") {
		return nil // not part of a sample
	}
	x := s.index
	if len(x.names)+len(name) > math.MaxUint32 {
		return failed("read", spool.ErrUnsupported, "names of more than 4 GiB")
	}
	x.names = append(x.names, name...)
	x.members = append(x.members, memberPosition{offset: data, size: h.size, end: uint32(len(x.names)),
		key: uint32(base + dot)})
	member := len(x.members) - 1
	if data == hardLinked {
		s.links = append(s.links, hardLink{member, h.link})
	}
	if key := name[:base+dot]; len(x.samples) == 0 || key != s.last {
		x.samples = append(x.samples, sampleStart{member: member, label: -1})
		s.last = key
	}
	sample := len(x.samples) - 1
	switch ext := strings.ToLower(name[base+dot+1:]); {
	case !ok:
		x.bad[sample] = failed("open", spool.ErrCorrupt,
			"%q is not a valid member name: it leads out of the archive, or contains control characters", h.name)
	case s.has(sample, member, ext):
		x.bad[sample] = failed("open", spool.ErrCorrupt, "the archive has %s twice in succession", name)
	case ext == labelExt && data != hardLinked:
		s.label(sample, data, h.size)
	}
	return nil
}

// labelExt is the extension of the member that holds the label.
const labelExt = "cls"

// has reports whether the sample has a member with that extension before the given one.
func (s *scanner) has(sample, member int, ext string) bool {
	for i := s.index.samples[sample].member; i < member; i++ {
		if strings.EqualFold(string(s.index.name(i)[s.index.members[i].key+1:]), ext) {
			return true
		}
	}
	return false
}

// label reads the label of a sample.
func (s *scanner) label(sample int, data, size int64) {
	const most = 32
	label := int64(-1)
	if size <= most {
		content, err := s.read(data, int(size))
		if err == nil {
			label, err = strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
		}
		if err != nil {
			label = -1
		}
	}
	if label < 0 {
		label = -1
		s.index.bad[sample] = failed("open", spool.ErrCorrupt, "the member cls holds no label: an integer from 0 up")
	}
	s.index.samples[sample].label = label
}

// link gives hard links the bytes of the members that they name, which must precede them.
func (s *scanner) link() {
	if len(s.links) == 0 {
		return
	}
	x, byName, next := s.index, map[string]int{}, 0
	for _, l := range s.links {
		for ; next < l.member; next++ {
			if x.members[next].offset != hardLinked {
				byName[string(x.name(next))] = next
			}
		}
		target, _ := clean(l.target)
		m, sample := &x.members[l.member], x.sampleOf(l.member)
		if to, ok := byName[target]; ok {
			m.offset, m.size = x.members[to].offset, x.members[to].size
			if x.member(l.member).Ext() == labelExt {
				s.label(sample, m.offset, m.size)
			}
			continue
		}
		m.offset, m.size = 0, 0
		x.bad[sample] = failed("open", spool.ErrCorrupt, "a link to %.100q, which is not an earlier file", l.target)
	}
}

// read returns n bytes at off, from the window if it has them. They are valid until the next call.
func (s *scanner) read(off int64, n int) ([]byte, error) {
	if off >= s.start && off+int64(n) <= s.start+int64(len(s.window)) {
		return s.window[off-s.start:][:n], nil
	}
	if err := s.ctx.Err(); err != nil {
		return nil, ended(err)
	}
	if int64(n) > s.size-off {
		return nil, failed("read", spool.ErrTruncated, "the archive ends in the middle of a header")
	}
	p := s.buffer[:min(int64(len(s.buffer)), s.size-off)]
	if n > len(p) {
		p = make([]byte, n)
	}
	m, err := s.archive.ReadAt(s.ctx, p, off)
	s.window, s.start = p[:m], off
	switch {
	case m >= n:
		return p[:n], nil
	case err == nil || errors.Is(err, io.EOF):
		return nil, failed("read", spool.ErrTruncated, "the archive has become shorter")
	}
	return nil, err
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// clean returns a name without a leading / or ./, and whether it is valid: not empty, within the archive, and without
// control characters.
func clean(name string) (string, bool) {
	for {
		if rest, ok := strings.CutPrefix(name, "./"); ok {
			name = rest
		} else if rest, ok := strings.CutPrefix(name, "/"); ok {
			name = rest
		} else {
			break
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return name, false
		}
	}
	return name, name != "" && strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}
