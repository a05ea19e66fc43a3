package clitest

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/half"
)

// Array is an NPY file, parsed as numpy.lib.format describes it.
type Array struct {
	Dtype string
	Shape []int
	Data  []byte
}

// NPYHeader matches the header of an array that Python can read.
var NPYHeader = regexp.MustCompile(`^\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(([0-9, ]*)\), \} *\n$`)

// ReadNPY parses an NPY file.
func ReadNPY(t testing.TB, file []byte) Array {
	t.Helper()
	require.True(t, bytes.HasPrefix(file, []byte("\x93NUMPY\x01\x00")), "magic and version 1.0")
	n := int(binary.LittleEndian.Uint16(file[8:]))
	require.Zero(t, (10+n)%64, "the data are aligned")
	fields := NPYHeader.FindSubmatch(file[10 : 10+n])
	require.NotNil(t, fields, "%q", file[10:10+n])
	a := Array{Dtype: string(fields[1]), Data: file[10+n:]}
	for word := range strings.FieldsFuncSeq(string(fields[2]), func(r rune) bool { return r == ',' || r == ' ' }) {
		edge, err := strconv.Atoi(word)
		require.NoError(t, err)
		a.Shape = append(a.Shape, edge)
	}
	size, err := strconv.Atoi(a.Dtype[2:])
	require.NoError(t, err)
	for _, edge := range a.Shape {
		size *= edge
	}
	require.Len(t, a.Data, size)
	return a
}

// Floats returns the values of an array of float32 or float16.
func (a Array) Floats(t testing.TB) (values []float32) {
	t.Helper()
	switch a.Dtype {
	case "<f4":
		for i := 0; i < len(a.Data); i += 4 {
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(a.Data[i:])))
		}
	case "<f2":
		for i := 0; i < len(a.Data); i += 2 {
			values = append(values, float32(half.Float(binary.LittleEndian.Uint16(a.Data[i:]))))
		}
	default:
		require.FailNow(t, "no floats", a.Dtype)
	}
	return values
}

// ReadArray reads an NPY file from disk.
func ReadArray(t testing.TB, name string) Array {
	t.Helper()
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	return ReadNPY(t, file)
}

// Decoded returns the array that decode image, decode video or decode audio writes.
func (x Tool) Decoded(t testing.TB, kind, file string, flags ...string) Array {
	t.Helper()
	return ReadNPY(t, []byte(x.Done(t, append([]string{"decode", kind, file, "--out", "-"}, flags...)...)))
}

// Channel returns the samples of one channel of (C,T).
func (a Array) Channel(t testing.TB, c int) []float32 {
	t.Helper()
	values := a.Floats(t)
	return values[c*a.Shape[1] : (c+1)*a.Shape[1]]
}

// frame returns frame n of an array of frames.
func (a Array) frame(n int) []byte {
	size := len(a.Data) / a.Shape[0]
	return a.Data[n*size : (n+1)*size]
}

// Pick returns the frames with these indices.
func (a Array) Pick(frames ...int) (data []byte) {
	for _, n := range frames {
		data = append(data, a.frame(n)...)
	}
	return data
}
