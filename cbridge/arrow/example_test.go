package arrow_test

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/arrow"
)

func Example() {
	columns := []arrow.Column{{Name: "width", Format: "C", Len: 2, Data: []byte{64, 48}}}
	schema, array := make([]uint64, arrow.SchemaSize/8), make([]uint64, arrow.ArraySize/8)
	s, a := unsafe.Pointer(&schema[0]), unsafe.Pointer(&array[0])
	if err := arrow.Export(columns, 2, s, a); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(array[0], "rows") // a consumer imports both structures
	arrow.Release(s, a)
	// Output: 2 rows
}
