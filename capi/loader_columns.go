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

	"github.com/spoolmedia/spool/batch/column"
	"github.com/spoolmedia/spool/cbridge/arrow"
)

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
