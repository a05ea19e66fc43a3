package arrow

/*
#cgo CFLAGS: -O2 -Wall -Wextra -Werror
#include "export.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Column is the buffers of a column: see package batch/column.
type Column struct {
	Name, Format string
	Len, Nulls   int
	Valid        []byte
	Offsets      []int32
	Data         []byte
	Elements     *Column // of lists
}

// Export copies columns of n values into C memory, and describes them in an ArrowSchema and an ArrowArray at the given
// addresses, which belong to the caller. Together they are a record batch. The error is ErrOutOfMemory.
func Export(columns []Column, n int, schema, array unsafe.Pointer) error {
	size := fixedSize(len(columns))
	for i := range columns {
		size += columns[i].size()
	}
	memory := C.spool_arrow_alloc(C.size_t(size))
	if memory == nil {
		return fmt.Errorf("%w: %d bytes for columns", spool.ErrOutOfMemory, size)
	}
	defer C.spool_arrow_free(memory)
	e := &export{memory: memory, rest: unsafe.Slice((*byte)(memory), size)}
	s, a := (*C.struct_ArrowSchema)(schema), (*C.struct_ArrowArray)(array)
	*s = C.struct_ArrowSchema{format: e.text("+s"), name: e.text(""), n_children: C.int64_t(len(columns)),
		children: schemas(e, len(columns))}
	*a = C.struct_ArrowArray{length: C.int64_t(n), n_buffers: 1, buffers: e.buffers(nil),
		n_children: C.int64_t(len(columns)), children: arrays(e, len(columns))}
	for i := range columns {
		e.column(&columns[i], unsafe.Slice(s.children, len(columns))[i], unsafe.Slice(a.children, len(columns))[i])
	}
	C.spool_arrow_hold_schema(s, memory)
	C.spool_arrow_hold_array(a, memory)
	return nil
}

// Release releases what Export has filled, as a consumer does.
func Release(schema, array unsafe.Pointer) {
	C.spool_arrow_release((*C.struct_ArrowSchema)(schema), (*C.struct_ArrowArray)(array))
}

// Count returns the number of exports that are not released.
func Count() int64 { return int64(C.spool_arrow_count()) }

// SchemaSize and ArraySize are the bytes of the structures.
const (
	SchemaSize = C.sizeof_struct_ArrowSchema
	ArraySize  = C.sizeof_struct_ArrowArray
)

// pointer is the bytes of a pointer.
const pointer = int(unsafe.Sizeof(uintptr(0)))

// align is the alignment of buffers that Arrow recommends.
const align = 64

func aligned(n int) int { return (n + align - 1) &^ (align - 1) }

// structSize is the bytes of a schema and an array, with pointers to n children and 3 buffers.
func structSize(n int) int {
	return aligned(SchemaSize) + aligned(ArraySize) + 2*aligned(n*pointer) + aligned(3*pointer)
}

// fixedSize is the bytes of a record batch without its columns.
func fixedSize(columns int) int { return structSize(columns) + 2*align }

// size is the bytes of a column, with those of a list's elements.
func (c *Column) size() int {
	names := aligned(len(c.Name)+1) + aligned(len(c.Format)+1)
	size := names + structSize(1) + aligned(len(c.Valid)) + aligned(4*len(c.Offsets)) + aligned(len(c.Data))
	if c.Elements != nil {
		size += c.Elements.size()
	}
	return size
}

// export is memory that is being filled.
type export struct {
	memory unsafe.Pointer
	rest   []byte
}

// take returns memory of n bytes; nil for none.
func (e *export) take(n int) unsafe.Pointer {
	if n == 0 {
		return nil
	}
	at := unsafe.Pointer(unsafe.SliceData(e.rest))
	e.rest = e.rest[aligned(n):]
	return at
}

func (e *export) text(s string) *C.char {
	at := e.take(len(s) + 1)
	copy(unsafe.Slice((*byte)(at), len(s)), s)
	return (*C.char)(at)
}

// copied returns a copy of a buffer.
func (e *export) copied(data []byte) unsafe.Pointer {
	at := e.take(len(data))
	copy(unsafe.Slice((*byte)(at), len(data)), data)
	return at
}

// buffers returns a list of buffers.
func (e *export) buffers(list ...unsafe.Pointer) *unsafe.Pointer {
	at := (*unsafe.Pointer)(e.take(len(list) * pointer))
	copy(unsafe.Slice(at, len(list)), list)
	return at
}

// schemas returns pointers to n schemas.
func schemas(e *export, n int) **C.struct_ArrowSchema {
	list := (**C.struct_ArrowSchema)(e.take(n * pointer))
	for i := range n {
		unsafe.Slice(list, n)[i] = (*C.struct_ArrowSchema)(e.take(SchemaSize))
	}
	return list
}

// arrays returns pointers to n arrays.
func arrays(e *export, n int) **C.struct_ArrowArray {
	list := (**C.struct_ArrowArray)(e.take(n * pointer))
	for i := range n {
		unsafe.Slice(list, n)[i] = (*C.struct_ArrowArray)(e.take(ArraySize))
	}
	return list
}

// column fills the structures of a column.
func (e *export) column(c *Column, s *C.struct_ArrowSchema, a *C.struct_ArrowArray) {
	*s = C.struct_ArrowSchema{format: e.text(c.Format), name: e.text(c.Name), flags: C.ARROW_FLAG_NULLABLE}
	*a = C.struct_ArrowArray{length: C.int64_t(c.Len), null_count: C.int64_t(c.Nulls)}
	buffers := []unsafe.Pointer{e.copied(c.Valid)}
	if c.Offsets != nil {
		first := (*byte)(unsafe.Pointer(unsafe.SliceData(c.Offsets)))
		buffers = append(buffers, e.copied(unsafe.Slice(first, 4*len(c.Offsets))))
	}
	if c.Elements == nil {
		buffers = append(buffers, e.copied(c.Data))
	} else {
		s.n_children, s.children, a.n_children, a.children = 1, schemas(e, 1), 1, arrays(e, 1)
		e.column(c.Elements, *s.children, *a.children)
	}
	a.n_buffers, a.buffers = C.int64_t(len(buffers)), e.buffers(buffers...)
	C.spool_arrow_hold_schema(s, e.memory)
	C.spool_arrow_hold_array(a, e.memory)
}
