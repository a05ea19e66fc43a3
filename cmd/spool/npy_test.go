package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
)

// array is an NPY file, read as numpy.lib.format describes it.
type array struct {
	dtype string
	shape []int
	data  []byte
}

var npyHeader = regexp.MustCompile(`^\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(([0-9, ]*)\), \} *\n$`)

func readNPY(t testing.TB, file []byte) array {
	t.Helper()
	require.True(t, bytes.HasPrefix(file, []byte("\x93NUMPY\x01\x00")), "magic and version 1.0")
	n := int(binary.LittleEndian.Uint16(file[8:]))
	require.Zero(t, (10+n)%64, "the data are aligned")
	fields := npyHeader.FindSubmatch(file[10 : 10+n])
	require.NotNil(t, fields, "%q", file[10:10+n])
	a := array{dtype: string(fields[1]), data: file[10+n:]}
	for word := range strings.FieldsFuncSeq(string(fields[2]), func(r rune) bool { return r == ',' || r == ' ' }) {
		edge, err := strconv.Atoi(word)
		require.NoError(t, err)
		a.shape = append(a.shape, edge)
	}
	size, err := strconv.Atoi(a.dtype[2:])
	require.NoError(t, err)
	for _, edge := range a.shape {
		size *= edge
	}
	require.Len(t, a.data, size)
	return a
}

// floats are the values of an array of float32 or float16.
func (a array) floats(t testing.TB) (values []float32) {
	t.Helper()
	switch a.dtype {
	case "<f4":
		for i := 0; i < len(a.data); i += 4 {
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(a.data[i:])))
		}
	case "<f2":
		for i := 0; i < len(a.data); i += 2 {
			values = append(values, half(binary.LittleEndian.Uint16(a.data[i:])))
		}
	default:
		require.FailNow(t, "no floats", a.dtype)
	}
	return values
}

// half is the value of an IEEE 754 binary16.
func half(bits uint16) float32 {
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)/1024
	switch exponent {
	case 0:
		return float32(sign * math.Ldexp(fraction, -14))
	case 31:
		return float32(sign * math.Inf(1))
	}
	return float32(sign * math.Ldexp(1+fraction, exponent-15))
}

func TestNPY(t *testing.T) {
	for _, c := range []struct {
		desc  spool.Desc
		dtype string
	}{
		{spool.Desc{Shape: spool.Shape{2, 3, 3}, DType: spool.Uint8}, "|u1"},
		{spool.Desc{Shape: spool.Shape{1, 262144, 262144, 3}, DType: spool.Float16}, "<f2"},
		{spool.Desc{Shape: spool.Shape{7}, DType: spool.Float32}, "<f4"},
		{spool.Desc{Shape: spool.Shape{4, 5}, DType: spool.Int64}, "<i8"},
	} {
		var file bytes.Buffer
		require.NoError(t, writeNPY(&file, c.desc, nil))
		header := file.Bytes()[10:]
		fields := npyHeader.FindSubmatch(header)
		require.NotNil(t, fields, "%q", header)
		assert.Equal(t, c.dtype, string(fields[1]))
		want := strings.Trim(fmt.Sprint([]int(c.desc.Shape)), "[]")
		assert.Equal(t, want, strings.Join(strings.Fields(strings.ReplaceAll(string(fields[2]), ",", " ")), " "))
		if len(c.desc.Shape) == 1 {
			assert.Equal(t, "7,", string(fields[2]), "a tuple of one")
		}
		assert.Zero(t, file.Len()%64)
	}
}

// readFile reads an NPY file from disk.
func readFile(t testing.TB, name string) array {
	t.Helper()
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	return readNPY(t, file)
}
