package npy

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Append appends an NPY file of the array, version 1, as numpy.save writes it.
func (a Array) Append(to []byte) []byte {
	const alignment = 64
	order := "False"
	if a.Fortran {
		order = "True"
	}
	header := fmt.Sprintf("{'descr': '%v', 'fortran_order': %s, 'shape': %s, }", a.Type, order, tuple(a.Shape))
	before := len(magic) + 4
	header += strings.Repeat(" ", alignment-1-(before+len(header))%alignment) + "\n"
	to = append(to, magic+"\x01\x00"...)
	to = binary.LittleEndian.AppendUint16(to, uint16(len(header)))
	return append(append(to, header...), a.Data...)
}

// tuple returns a shape in Python's form.
func tuple(shape []int) string {
	if len(shape) == 1 {
		return fmt.Sprintf("(%d,)", shape[0])
	}
	return "(" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]") + ")"
}
