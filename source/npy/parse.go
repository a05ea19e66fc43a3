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

// maxDimensions is NumPy's own.
const maxDimensions = 64

// Parse reads an array from the beginning of data, of which its Data is a part, and gives what follows it.
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

// split takes the header off a file.
func split(data []byte) (header string, rest []byte, err error) {
	cut := failed(spool.ErrTruncated, "the file ends in the header of an array")
	if len(data) < len(magic)+2 {
		if strings.HasPrefix(magic, string(data[:min(len(data), len(magic))])) {
			return "", nil, cut
		}
		return "", nil, failed(spool.ErrNotMedia, "no NPY file")
	}
	if string(data[:len(magic)]) != magic {
		return "", nil, failed(spool.ErrNotMedia, "no NPY file")
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

// parseHeader reads a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, and gives the array
// without its data, of which it says how many bytes there are.
func parseHeader(header string) (a Array, size int, err error) {
	bad := failed(spool.ErrCorrupt, "a header that is none: %.80q", header)
	l := &literal{text: header}
	seen := map[string]bool{}
	if !l.take("{") {
		return Array{}, 0, bad
	}
	for !l.take("}") {
		key, ok := l.quoted()
		if !ok || seen[key] || !l.take(":") {
			return Array{}, 0, bad
		}
		seen[key] = true
		switch key {
		case "descr":
			code, ok := l.quoted()
			if !ok {
				if l.take("[") || l.take("(") {
					return Array{}, 0, failed(spool.ErrUnsupported, "an array of structures")
				}
				return Array{}, 0, bad
			}
			if a.Type, err = parseType(code); err != nil {
				return Array{}, 0, err
			}
		case "fortran_order":
			if a.Fortran = l.take("True"); !a.Fortran && !l.take("False") {
				return Array{}, 0, bad
			}
		case "shape":
			if a.Shape, ok = l.shape(); !ok {
				return Array{}, 0, bad
			}
		default:
			return Array{}, 0, bad
		}
		if !l.take(",") && !l.at("}") {
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

// bytesOf is the size of an array; not ok where that is no int, also with dimensions of 0 left out.
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

// sizes are the sizes that numbers of each kind have.
var sizes = map[Kind][]int{Bool: {1}, Int: {1, 2, 4, 8}, Uint: {1, 2, 4, 8}, Float: {2, 4, 8, 12, 16}, Complex: {8, 16, 24, 32}}

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

// literal reads a Python literal.
type literal struct{ text string }

func (l *literal) skip() { l.text = strings.TrimLeft(l.text, " \t\r\n") }

func (l *literal) at(token string) bool {
	l.skip()
	return strings.HasPrefix(l.text, token)
}

func (l *literal) take(token string) bool {
	if !l.at(token) {
		return false
	}
	l.text = l.text[len(token):]
	return true
}

// quoted reads a string without escapes.
func (l *literal) quoted() (string, bool) {
	for _, quote := range []string{"'", `"`} {
		if l.take(quote) {
			text, rest, ok := strings.Cut(l.text, quote)
			l.text = rest
			return text, ok && !strings.ContainsAny(text, "\\\n")
		}
	}
	return "", false
}

// shape reads a tuple of dimensions, which Python 2 wrote with an L behind them.
func (l *literal) shape() ([]int, bool) {
	if !l.take("(") {
		return nil, false
	}
	shape := []int{}
	for comma := true; !l.take(")"); {
		if l.skip(); !comma || len(shape) == maxDimensions {
			return nil, false
		}
		digits := len(l.text) - len(strings.TrimLeft(l.text, "0123456789"))
		n, err := strconv.Atoi(l.text[:digits])
		if err != nil {
			return nil, false
		}
		l.text = l.text[digits:]
		l.take("L")
		shape = append(shape, n)
		comma = l.take(",")
	}
	return shape, true
}
