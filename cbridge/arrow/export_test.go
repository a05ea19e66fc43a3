package arrow_test

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/arrow"
)

// word is 8 bytes of a structure. Offsets are those of the interface on 64-bit machines, independent of the package.
type word = uint64

// schema and array are structures of the interface.
type (
	schema struct {
		format, name, metadata         *byte
		flags, children                int64
		child                          **schema
		dictionary, release, privately unsafe.Pointer
	}
	array struct {
		length, nulls, offset, buffers, children int64
		buffer                                   *unsafe.Pointer
		child                                    **array
		dictionary, release, privately           unsafe.Pointer
	}
)

// text returns a string that ends with a NUL.
func text(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return unsafe.String(p, n)
}

// bytesOf returns the bytes of a buffer; nil for none.
func (a *array) bytesOf(buffer, n int) []byte {
	at := unsafe.Slice(a.buffer, a.buffers)[buffer]
	if at == nil {
		return nil
	}
	return unsafe.Slice((*byte)(at), n)
}

func export(t *testing.T, n int, columns ...arrow.Column) (*schema, *array) {
	t.Helper()
	require.Equal(t, arrow.SchemaSize, int(unsafe.Sizeof(schema{})))
	require.Equal(t, arrow.ArraySize, int(unsafe.Sizeof(array{})))
	s, a := new(schema), new(array)
	require.NoError(t, arrow.Export(columns, n, unsafe.Pointer(s), unsafe.Pointer(a)))
	return s, a
}

func TestExport(t *testing.T) {
	before := arrow.Count()
	s, a := export(t, 3, arrow.Column{Name: "words", Format: "u", Len: 3, Nulls: 1, Valid: []byte{5},
		Offsets: []int32{0, 2, 2, 5}, Data: []byte("abcde")},
		arrow.Column{Name: "n", Format: "s", Len: 3, Data: []byte{1, 0, 2, 0, 3, 0}},
		arrow.Column{Name: "list", Format: "+w:2", Len: 3, Elements: &arrow.Column{Name: "item", Format: "C", Len: 6,
			Data: []byte{1, 2, 3, 4, 5, 6}}})
	assert.Equal(t, before+1, arrow.Count())
	assert.Equal(t, "+s", text(s.format))
	assert.Equal(t, [5]int64{3, 0, 0, 1, 3}, [5]int64{a.length, a.nulls, a.offset, a.buffers, a.children})
	assert.Nil(t, a.bytesOf(0, 1))
	fields, columns := unsafe.Slice(s.child, s.children), unsafe.Slice(a.child, a.children)
	for i, want := range [][2]string{{"words", "u"}, {"n", "s"}, {"list", "+w:2"}} {
		assert.Equal(t, want, [2]string{text(fields[i].name), text(fields[i].format)})
		assert.Equal(t, int64(2), fields[i].flags, "nullable")
		assert.Equal(t, int64(3), columns[i].length)
	}
	words := columns[0]
	assert.Equal(t, [2]int64{1, 3}, [2]int64{words.nulls, words.buffers})
	assert.Equal(t, []byte{5}, words.bytesOf(0, 1))
	assert.Equal(t, uint32(5), binary.NativeEndian.Uint32(words.bytesOf(1, 16)[12:]))
	assert.Equal(t, "abcde", string(words.bytesOf(2, 5)))
	assert.Nil(t, columns[1].bytesOf(0, 1))
	assert.Equal(t, []byte{1, 0, 2, 0, 3, 0}, columns[1].bytesOf(1, 6))
	element := *columns[2].child
	assert.Equal(t, "C", text((*fields[2].child).format))
	assert.Equal(t, int64(6), element.length)
	assert.Equal(t, []byte{1, 2, 3, 4, 5, 6}, element.bytesOf(1, 6))
	for _, c := range columns {
		for _, p := range unsafe.Slice(c.buffer, c.buffers) {
			assert.Zero(t, word(uintptr(p))%64)
		}
	}
	arrow.Release(unsafe.Pointer(s), unsafe.Pointer(a))
	assert.Nil(t, s.release)
	assert.Nil(t, a.release)
	assert.Equal(t, before, arrow.Count())
}

// TestMovedChildren: a consumer may move a child out and release it after its parent.
func TestMovedChildren(t *testing.T) {
	before := arrow.Count()
	s, a := export(t, 2, arrow.Column{Name: "n", Format: "C", Len: 2, Data: []byte{7, 8}})
	movedSchema, moved := **s.child, **a.child
	(*s.child).release, (*a.child).release = nil, nil
	arrow.Release(unsafe.Pointer(s), unsafe.Pointer(a))
	assert.Equal(t, before+1, arrow.Count())
	assert.Equal(t, []byte{7, 8}, moved.bytesOf(1, 2))
	arrow.Release(unsafe.Pointer(&movedSchema), unsafe.Pointer(&moved))
	assert.Equal(t, before, arrow.Count())
}

func TestNoRowsAndNoColumns(t *testing.T) {
	s, a := export(t, 0, arrow.Column{Name: "words", Format: "z", Offsets: []int32{0}})
	assert.Equal(t, []byte{0, 0, 0, 0}, (*a.child).bytesOf(1, 4))
	arrow.Release(unsafe.Pointer(s), unsafe.Pointer(a))
	s, a = export(t, 5)
	assert.Zero(t, s.children+a.children)
	arrow.Release(unsafe.Pointer(s), unsafe.Pointer(a))
}
