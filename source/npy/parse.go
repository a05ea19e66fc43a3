package npy

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
)

// The format is described in NumPy's documentation of numpy.lib.format: a magic string, a version, the length of a
// header, and the header, a Python literal.
const magic = "\x93NUMPY"

// maxDimensions is NumPy's limit.
const maxDimensions = 64

// Parse parses an array at the beginning of data, which its Data shares, and returns the bytes after it.
func Parse(data []byte) (a Array, rest []byte, err error) {
	header, rest, err := split(data)
	if err != nil {
		return Array{}, nil, err
	}
	a, n, err := parseHeader(header)
	if err != nil {
		return Array{}, nil, err
	}
	if n > len(rest) {
		return Array{}, nil, failed(spool.ErrTruncated, "%d of %d bytes of an array", len(rest), n)
	}
	a.Data = rest[:n:n]
	return a, rest[n:], nil
}

// split separates the header of a file from the rest.
func split(data []byte) (header string, rest []byte, err error) {
	cut := failed(spool.ErrTruncated, "the file ends in the header of an array")
	if len(data) < len(magic)+2 {
		if strings.HasPrefix(magic, string(data[:min(len(data), len(magic))])) {
			return "", nil, cut
		}
		return "", nil, failed(spool.ErrNotMedia, "not an NPY file")
	}
	if string(data[:len(magic)]) != magic {
		return "", nil, failed(spool.ErrNotMedia, "not an NPY file")
	}
	version := data[len(magic)]
	data = data[len(magic)+2:]
	size := 2
	switch version {
	case 1:
	case 2, 3:
		size = 4
	default:
		return "", nil, failed(spool.ErrUnsupported, "version %d of the NPY format", version)
	}
	if len(data) < size {
		return "", nil, cut
	}
	n := int(binary.LittleEndian.Uint16(data))
	if size == 4 {
		n = int(binary.LittleEndian.Uint32(data))
	}
	if data = data[size:]; n > len(data) {
		return "", nil, cut
	}
	return string(data[:n]), data[n:], nil
}

// parseHeader parses a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. It returns the array
// without its data, and the size of the data in bytes.
func parseHeader(header string) (a Array, size int, err error) {
	bad := failed(spool.ErrCorrupt, "an invalid header: %.80q", header)
	l := &literal{text: header}
	seen := map[string]bool{}
	if !l.accept("{") {
		return Array{}, 0, bad
	}
	for !l.accept("}") {
		key, ok := l.quoted()
		if !ok || seen[key] || !l.accept(":") {
			return Array{}, 0, bad
		}
		seen[key] = true
		switch key {
		case "descr":
			code, ok := l.quoted()
			if !ok {
				if l.accept("[") || l.accept("(") {
					return Array{}, 0, failed(spool.ErrUnsupported, "an array of structures")
				}
				return Array{}, 0, bad
			}
			if a.Type, err = parseType(code); err != nil {
				return Array{}, 0, err
			}
		case "fortran_order":
			if a.Fortran = l.accept("True"); !a.Fortran && !l.accept("False") {
				return Array{}, 0, bad
			}
		case "shape":
			if a.Shape, ok = l.shape(); !ok {
				return Array{}, 0, bad
			}
		default:
			return Array{}, 0, bad
		}
		if !l.accept(",") && !l.at("}") {
			return Array{}, 0, bad
		}
	}
	if l.skip(); l.text != "" || len(seen) != 3 {
		return Array{}, 0, bad
	}
	size, ok := bytesOf(a)
	if !ok {
		return Array{}, 0, failed(spool.ErrTooLarge, "an array of shape %v", a.Shape)
	}
	return a, size, nil
}

// bytesOf returns the size of an array. It returns false if that overflows int, even without dimensions of 0.
func bytesOf(a Array) (int, bool) {
	n, empty := uint(a.Type.Size), false
	for _, d := range a.Shape {
		if d == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul(n, uint(d))
		if hi != 0 || int(lo) < 0 {
			return 0, false
		}
		n = lo
	}
	if empty {
		return 0, true
	}
	return int(n), true
}

// sizes are the sizes of each kind of numbers.
var sizes = map[Kind][]int{Bool: {1}, Int: {1, 2, 4, 8}, Uint: {1, 2, 4, 8}, Float: {2, 4, 8, 12, 16},
	Complex: {8, 16, 24, 32}}

func parseType(code string) (Type, error) {
	refused := failed(spool.ErrUnsupported, "elements of type %.40q, which are no numbers", code)
	rest := strings.TrimLeft(code, "<>|=")
	if len(code)-len(rest) > 1 || len(rest) < 2 {
		return Type{}, refused
	}
	t := Type{Kind: Kind(rest[0])}
	n, err := strconv.Atoi(rest[1:])
	if err != nil || rest[1] == '+' || !slices.Contains(sizes[t.Kind], n) {
		return Type{}, refused
	}
	t.Size, t.Big = n, code[0] == '>' && n > 1
	return t, nil
}

// literal parses a Python literal.
type literal struct{ text string }

func (l *literal) skip() { l.text = strings.TrimLeft(l.text, " \t\r\n") }

func (l *literal) at(token string) bool {
	l.skip()
	return strings.HasPrefix(l.text, token)
}

func (l *literal) accept(token string) bool {
	if !l.at(token) {
		return false
	}
	l.text = l.text[len(token):]
	return true
}

// quoted reads a string without escapes.
func (l *literal) quoted() (string, bool) {
	for _, quote := range []string{"'", `"`} {
		if l.accept(quote) {
			text, rest, ok := strings.Cut(l.text, quote)
			l.text = rest
			return text, ok && !strings.ContainsAny(text, "\\\n")
		}
	}
	return "", false
}

// shape reads a tuple of dimensions, after each of which Python 2 wrote an L.
func (l *literal) shape() ([]int, bool) {
	if !l.accept("(") {
		return nil, false
	}
	shape := []int{}
	for comma := true; !l.accept(")"); {
		if l.skip(); !comma || len(shape) == maxDimensions {
			return nil, false
		}
		digits := len(l.text) - len(strings.TrimLeft(l.text, "0123456789"))
		n, err := strconv.Atoi(l.text[:digits])
		if err != nil {
			return nil, false
		}
		l.text = l.text[digits:]
		l.accept("L")
		shape = append(shape, n)
		comma = l.accept(",")
	}
	return shape, true
}
