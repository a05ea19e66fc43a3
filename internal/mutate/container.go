package mutate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// element is a part of a file: a segment, a chunk, a box, a page, a frame. Its lengths and checksums are not kept: they
// are computed when it is written. Bytes are never changed in place, as elements share them.
type element struct {
	name  string
	kind  int    // how a container writes it; verbatim, or one of the container's own
	at    int    // where it began in the file; 0 if it was made
	head  []byte // fields in front of the body that have a fixed length
	body  []byte
	parts []*element // behind the body
}

// verbatim is the kind of an element that is its head, its body and its parts, and no more.
const verbatim = 0

const (
	mostElements = 2000 // of one level; what follows stays in one piece
	mostLevels   = 16
)

// container is a format that consists of elements.
type container struct {
	is    func(data []byte) bool
	read  func(data []byte) *element
	write func(to []byte, e *element, content []byte) []byte // content is that of the body and the parts
	close func(c *container, root *element)                  // before a file is written; optional

	little  bool              // the order of bytes
	layouts map[string]layout // of the bodies of elements, by name
	heads   layout
	foreign element // one that no decoder knows
	edits   []edit  // besides those of all containers
}

// order is that of the bytes of numbers.
func (c *container) order() binary.ByteOrder {
	if c.little {
		return binary.LittleEndian
	}
	return binary.BigEndian
}

// containers are known by their signatures.
func containers() []*container {
	return []*container{&jpegFiles, &pngFiles, &boxes, &codestream, &ebml, &riff, &flac, &ogg}
}

func containerOf(data []byte) *container {
	for _, c := range containers() {
		if c.is(data) {
			return c
		}
	}
	return nil
}

// Sealed returns a file with the lengths and checksums that its elements should have. A file without known elements
// stays as it is.
func Sealed(data []byte) []byte {
	c := containerOf(data)
	if c == nil {
		return bytes.Clone(data)
	}
	return c.file(c.read(data))
}

// file writes a file.
func (c *container) file(root *element) []byte {
	if c.close != nil {
		c.close(c, root)
	}
	return c.append(nil, root)
}

func (c *container) append(to []byte, e *element) []byte {
	if e.kind == verbatim {
		to = append(append(to, e.head...), e.body...)
		for _, p := range e.parts {
			to = c.append(to, p)
		}
		return to
	}
	content := e.body
	if len(e.parts) > 0 {
		content = bytes.Clone(e.body)
		for _, p := range e.parts {
			content = c.append(content, p)
		}
	}
	return c.write(to, e, content)
}

// clone returns a copy with parts of its own. It shares the bytes.
func (e *element) clone() *element {
	again := *e
	again.parts = slices.Clone(e.parts)
	for i, p := range again.parts {
		again.parts[i] = p.clone()
	}
	return &again
}

// all returns the elements below an element.
func (e *element) all() (list []*element) {
	for _, p := range e.parts {
		list = append(append(list, p), p.all()...)
	}
	return list
}

// divide reads elements one after the other. next returns the first element of data and its length, which is 0 at
// something else: that remains in one piece.
func divide(data []byte, next func(data []byte, at int) (*element, int)) (list []*element) {
	for at := 0; at < len(data); {
		e, n := (*element)(nil), 0
		if len(list) < mostElements {
			e, n = next(data[at:], at)
		}
		if n == 0 {
			return append(list, &element{name: "rest", body: data[at:]})
		}
		list = append(list, e)
		at += n
	}
	return list
}

// structured changes elements of a file. The result has the right lengths and checksums, except where these were
// changed on purpose. It returns nil if nothing could be changed.
func structured(r *rand.Rand, c *container, data []byte, files [][]byte) []byte {
	t := &tree{container: c, root: c.read(data), files: files}
	edits := append(common(), c.edits...)
	for range 4 { // changes may undo each other
		for n := 1 << r.IntN(3); n > 0; n-- {
			t.edit(r, edits)
		}
		if file := c.file(t.root); !bytes.Equal(file, data) {
			return file
		}
	}
	return nil
}

// edit makes one change. Not each is possible in each file.
func (t *tree) edit(r *rand.Rand, edits []edit) {
	for range 8 {
		if edits[r.IntN(len(edits))](r, t) {
			return
		}
	}
}
