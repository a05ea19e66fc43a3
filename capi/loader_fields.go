package main

/*
#include "array.h"
*/
import "C"

import (
	"context"
	"slices"
	"strings"
	"unsafe"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/batch/column"
	"github.com/spoolmedia/spool/cbridge/arrow"
	"github.com/spoolmedia/spool/record"
)

// maxValueDims is the number of dimensions that a spool_value has room for.
const maxValueDims = 3

// recordField is a result of a field in a batch of records. format is the type of a column, and element that of a
// list's elements.
type recordField struct {
	record.Output
	format, element string
}

// recordFields returns a batch's fields: the arrays, then the fields of any length. It is nil for a batch that is no
// batch of records.
func recordFields(b *batch.Batch, about recordInfo) (fields []recordField) {
	add := func(name string) {
		f := recordField{Output: record.Output{Name: name, Field: name, View: -1}}
		if i := slices.IndexFunc(about.outputs, func(o record.Output) bool { return o.Name == name }); i >= 0 {
			f.Output = about.outputs[i]
		}
		for _, c := range about.columns {
			if c.Name == name {
				f.format, f.element = c.Format, c.Element
			}
		}
		fields = append(fields, f)
	}
	for _, f := range b.Fields() {
		if f.Name != "" {
			add(f.Name)
		}
	}
	for _, v := range b.Samples[0].Values {
		add(v.Field)
	}
	return fields
}

// recordInfo is what is known of all batches of a schema.
type recordInfo struct {
	outputs []record.Output
	columns []column.Field
}

// fieldsSize returns the size of the result of writeFields.
func fieldsSize(b *batch.Batch, fields []recordField) int {
	if len(fields) == 0 {
		return 0
	}
	n, varying := b.Len(), len(b.Samples[0].Values)
	size := aligned(len(fields)*C.sizeof_spool_field) + varying*aligned(n*C.sizeof_spool_value) + 8*n
	for f := range b.Fields() {
		if b.Varies(f) {
			size += 8 * n * (len(b.SampleDesc(f, 0).Shape) + 2)
		}
	}
	for _, f := range fields {
		for _, text := range []string{f.Name, f.Field, f.Part, f.format, f.element} {
			size += aligned(len(text) + 1)
		}
	}
	for _, s := range b.Samples {
		size += aligned(len(strings.Join(s.Absent, "\n")) + 1)
		for _, v := range s.Values {
			size += aligned(len(v.Data) + 1)
		}
	}
	return size
}

// writeFields writes the fields of a batch of records, and the values of any length.
func writeFields(b *batch.Batch, fields []recordField, m *metadata, to *C.spool_batch) {
	if len(fields) == 0 {
		return
	}
	to.field_count = C.int32_t(len(fields))
	to.fields = (*C.spool_field)(m.take(len(fields), C.sizeof_spool_field))
	rows := unsafe.Slice(to.fields, len(fields))
	arrays := len(fields) - len(b.Samples[0].Values)
	for f, field := range fields {
		rows[f] = C.spool_field{name: m.text(field.Name), field: m.text(field.Field), part: m.text(field.Part),
			view: C.int32_t(field.View), array: -1}
		if field.format != "" {
			rows[f].format = m.text(field.format)
		}
		if field.element != "" {
			rows[f].element = m.text(field.element)
		}
		if f < arrays {
			rows[f].array = C.int32_t(f)
			writeShapes(b, f, m, &rows[f])
			continue
		}
		rows[f].values = (*C.spool_value)(m.take(b.Len(), C.sizeof_spool_value))
		values := unsafe.Slice(rows[f].values, b.Len())
		for i, s := range b.Samples {
			values[i] = writeValue(s.Values[f-arrays], m)
		}
	}
	to.absent = (**C.char)(m.take(b.Len(), int(unsafe.Sizeof(uintptr(0)))))
	absent := unsafe.Slice(to.absent, b.Len())
	for i, s := range b.Samples {
		absent[i] = m.text(strings.Join(s.Absent, "\n"))
	}
}

// writeShapes writes the shapes of the samples of an array, if they differ.
func writeShapes(b *batch.Batch, f int, m *metadata, to *C.spool_field) {
	if !b.Varies(f) {
		return
	}
	dims := len(b.SampleDesc(f, 0).Shape)
	to.ragged, to.ndim = cBool(b.Ragged(f)), C.int32_t(dims)
	to.shapes = (*C.int64_t)(m.take(b.Len()*dims, 8))
	sides := unsafe.Slice(to.shapes, b.Len()*dims)
	for i := range b.Len() {
		for d, n := range b.SampleDesc(f, i).Shape {
			sides[i*dims+d] = C.int64_t(n)
		}
	}
	if to.patched = cBool(b.Patched(f)); to.patched == 0 {
		return
	}
	to.grids = (*C.int64_t)(m.take(2*b.Len(), 8))
	grids := unsafe.Slice(to.grids, 2*b.Len())
	for i := range b.Len() {
		rows, columns := b.Grid(f, i)
		grids[2*i], grids[2*i+1] = C.int64_t(rows), C.int64_t(columns)
	}
}

// writeValue writes a value of any length. A NUL follows its bytes.
func writeValue(v batch.Value, m *metadata) C.spool_value {
	if v.Desc.Shape == nil {
		return C.spool_value{}
	}
	value := C.spool_value{size: C.int64_t(len(v.Data)), dtype_code: dtypes[v.Desc.DType],
		dtype_bits: C.int32_t(8 * v.Desc.DType.Size()), ndim: C.int32_t(len(v.Desc.Shape))}
	at := m.take(len(v.Data)+1, 1)
	copy(unsafe.Slice((*byte)(at), len(v.Data)), v.Data)
	value.data = (*C.uint8_t)(at)
	for i, n := range v.Desc.Shape[:min(len(v.Desc.Shape), maxValueDims)] {
		value.shape[i] = C.int64_t(n)
	}
	return value
}

//export goBatchColumns
func goBatchColumns(b *C.spool_batch, schema *C.struct_ArrowSchema, array *C.struct_ArrowArray,
	e *C.spool_error) C.int32_t {
	return guard(e, "columns", func() error {
		columns, err := columnsOf(b)
		if err != nil {
			return err
		}
		return arrow.Export(columns, int(b.count), unsafe.Pointer(schema), unsafe.Pointer(array))
	})
}

// columnsOf returns the columns of a batch that C holds.
func columnsOf(b *C.spool_batch) ([]arrow.Column, error) {
	var columns []arrow.Column
	for _, f := range unsafe.Slice(b.fields, b.field_count) {
		if f.format == nil {
			continue
		}
		var c column.Column
		var err error
		if f.array >= 0 {
			c, err = numberColumn(b, f)
		} else {
			c, err = valueColumn(b, f)
		}
		if err != nil {
			return nil, err
		}
		if c.Format != "" {
			columns = append(columns, *buffersOf(&c))
		}
	}
	return columns, nil
}

// buffersOf returns a column for Arrow.
func buffersOf(c *column.Column) *arrow.Column {
	if c == nil {
		return nil
	}
	return &arrow.Column{Name: c.Name, Format: c.Format, Len: c.Len, Nulls: c.Nulls, Valid: c.Valid, Offsets: c.Offsets,
		Data: c.Data, Elements: buffersOf(c.Elements)}
}

// valueColumn returns the column of a field of any length.
func valueColumn(b *C.spool_batch, f C.spool_field) (column.Column, error) {
	of := column.Field{Name: C.GoString(f.name), Format: C.GoString(f.format)}
	if f.element != nil {
		of.Element = C.GoString(f.element)
	}
	builder, err := column.NewBuilder(of, int(b.count))
	if err != nil {
		return column.Column{}, err
	}
	for _, v := range unsafe.Slice(f.values, b.count) {
		if v.data == nil {
			builder.Null()
		} else if err := builder.Append(unsafe.Slice((*byte)(v.data), int(v.size))); err != nil {
			return column.Column{}, err
		}
	}
	return builder.Column(), nil
}

// numberColumn returns the column of an array in host memory. That of an array on a device has no format.
func numberColumn(b *C.spool_batch, f C.spool_field) (c column.Column, err error) {
	name := C.GoString(f.name)
	absent := unsafe.Slice(b.absent, b.count)
	missing := func(i int) bool { return slices.Contains(strings.Split(C.GoString(absent[i]), "\n"), name) }
	err = use(C.spool_array_owner(b.pixels), func(_ context.Context, a *spool_array) error {
		if pixels, ok := a.Closer.(batchRef); ok {
			of := column.NumberField(name, pixels.Fields()[f.array].Sample)
			c = column.Numbers(of, int(b.count), pixels.FieldBytes(int(f.array)), missing)
		}
		return nil
	})
	return c, err
}
