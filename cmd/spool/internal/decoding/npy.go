package decoding

import (
	"fmt"
	"io"
	"strings"

	"github.com/spoolmedia/spool"
)

// writeNPY writes an array in NumPy's format, version 1.0, C order:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
func writeNPY(w io.Writer, d spool.Desc, data []byte) error {
	if _, err := io.WriteString(w, npyHead(d, 0)); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}

// npyHead returns the bytes before an array's elements, at least that many.
func npyHead(d spool.Desc, least int) string {
	kind := map[spool.DType]string{spool.Uint8: "|u1", spool.Uint16: "<u2", spool.Int16: "<i2", spool.Int32: "<i4",
		spool.Int64: "<i8", spool.Float16: "<f2", spool.Float32: "<f4",
		spool.Float64: "<f8", spool.BFloat16: "<V2"}[d.DType] // bfloat16 as NumPy writes that of package ml_dtypes
	shape := strings.Join(strings.Fields(strings.Trim(d.Shape.String(), "[]")), ", ")
	if len(d.Shape) == 1 {
		shape += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape)
	const preamble, align = 10, 64
	size := max((preamble+len(header)+1+align-1)/align*align, least)
	header += strings.Repeat(" ", size-preamble-len(header)-1) + "\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header
}
