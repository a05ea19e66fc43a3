package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
)

// BenchmarkDecode decodes the same image by a call from C, and by one from Go. "entry" is a call from C that does
// nothing.
func BenchmarkDecode(b *testing.B) {
	file := photos(b, 1)[0]
	b.Run("C", func(b *testing.B) {
		program := compile(b, "testdata/speed.c", "-O2")
		b.ResetTimer()
		out := start(b, "", program, `{"size": "224x224"}`, file, strconv.Itoa(b.N))
		b.StopTimer()
		var call, entry float64
		_, err := fmt.Sscan(out, &call, &entry)
		require.NoError(b, err)
		b.ReportMetric(call, "ns/op") // without the start of the program
		b.ReportMetric(entry, "entry-ns")
	})
	b.Run("Go", func(b *testing.B) {
		d, err := decoders.New(decoders.Options{})
		require.NoError(b, err)
		defer d.Close()
		data, err := os.ReadFile(file)
		require.NoError(b, err)
		spec := image.Spec{Resize: resize.Spec{Width: 224, Height: 224}}
		for b.Loop() {
			pixels, _, err := d.Images.Decode(context.Background(), spool.Bytes{Data: data}, spec)
			require.NoError(b, err)
			pixels.Release()
		}
	})
}
