package shard

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
)

// blockSize is the unit of a tar file: a header is one block, and data is padded to whole blocks.
const blockSize = 512

// header is the part of a header block that the scan needs. Fields are at the offsets of POSIX.1-1988 (ustar) and of
// the GNU manual's "Basic Tar Format".
type header struct {
	name, link string
	size       int64
	kind       byte
	extended   bool // of a sparse file: its table continues after the header
}

// The kinds of members that are treated differently.
const (
	kindFile       = '0'
	kindOldFile    = 0
	kindLink       = '1'
	kindContiguous = '7' // also a file
	kindFolder     = '5'
	kindLongName   = 'L' // GNU: the data is the next member's name
	kindLongLink   = 'K'
	kindSparse     = 'S'
	kindExtended   = 'x' // PAX: records for the next member
)

// parseHeader reads a block that is not all zeros.
func parseHeader(b []byte) (header, error) {
	sum, err := number(b[148:156])
	if unsigned, signed := checksums(b); err != nil || sum != unsigned && sum != signed {
		return header{}, failed("read", spool.ErrCorrupt, "a tar header whose checksum does not match")
	}
	h := header{name: text(b[:100]), link: text(b[157:257]), kind: b[156], extended: b[482] != 0}
	if h.size, err = number(b[124:136]); err != nil {
		return header{}, failed("read", spool.ErrCorrupt, "a tar header without a size")
	}
	if prefix := text(b[345:500]); prefix != "" && string(b[257:263]) == "ustar\x00" {
		if string(b[508:512]) == "tar\x00" { // star's variant has times after a shorter prefix
			prefix = text(b[345:476])
		}
		if prefix != "" {
			h.name = prefix + "/" + h.name
		}
	}
	return h, nil
}

// checksums returns the sums of the bytes, with the checksum field taken as spaces: unsigned as in POSIX, and signed as
// some old programs wrote it.
func checksums(b []byte) (unsigned, signed int64) {
	for i, c := range b {
		if 148 <= i && i < 156 {
			c = ' '
		}
		unsigned += int64(c)
		signed += int64(int8(c))
	}
	return unsigned, signed
}

// text returns a field up to its first zero byte.
func text(field []byte) string {
	if end := bytes.IndexByte(field, 0); end >= 0 {
		field = field[:end]
	}
	return string(field)
}

// number returns a field's value: octal digits between spaces and zero bytes or, marked by the highest bit, a
// big-endian number that fills the field. It is never negative.
func number(field []byte) (int64, error) {
	if field[0]&0x80 != 0 {
		var v uint64
		for i, c := range field {
			if i == 0 {
				c &= 0x7f // 0x40 would be the sign
			}
			if v > math.MaxInt64>>8 {
				return 0, strconv.ErrRange
			}
			v = v<<8 | uint64(c)
		}
		return int64(v), nil
	}
	digits := strings.Trim(text(bytes.TrimLeft(field, " \x00")), " ")
	if digits == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(digits, 8, 63)
	return int64(v), err
}

// pax is the records of an extended header. An empty value sets nothing.
type pax struct {
	path, link string
	size       *int64
	sparse     bool
}

// parsePAX parses records of the form "LENGTH KEY=VALUE\n", where LENGTH counts the whole record.
func parsePAX(data []byte) (p pax, err error) {
	bad := failed("read", spool.ErrCorrupt, "an invalid extended tar header")
	for len(data) > 0 {
		space := bytes.IndexByte(data[:min(len(data), 20)], ' ')
		if space < 0 {
			return pax{}, bad
		}
		n, err := strconv.ParseUint(string(data[:space]), 10, 31)
		if err != nil || int(n) < space+4 || int(n) > len(data) || data[n-1] != '\n' {
			return pax{}, bad
		}
		key, value, ok := strings.Cut(string(data[space+1:n-1]), "=")
		if !ok || key == "" || strings.Contains(key, "\x00") {
			return pax{}, bad
		}
		data = data[n:]
		switch {
		case (key == "path" || key == "linkpath") && strings.Contains(value, "\x00"):
			return pax{}, bad
		case key == "path":
			p.path = value
		case key == "linkpath":
			p.link = value
		case key == "size" && value != "":
			size, err := strconv.ParseUint(value, 10, 63)
			if err != nil {
				return pax{}, bad
			}
			v := int64(size)
			p.size = &v
		case strings.HasPrefix(key, "GNU.sparse."):
			p.sparse = true
		}
	}
	return p, nil
}
