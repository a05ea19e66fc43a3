package trace_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/trace"
)

// BenchmarkWorked writes the slice of a decode with one call of C.
func BenchmarkWorked(b *testing.B) {
	w := trace.NewWriter(io.Discard)
	begin := time.Now()
	parts := []pipe.Part{{Name: "spool jpeg: decode", Begin: begin.Add(1000), End: begin.Add(2000)}}
	for b.Loop() {
		w.Worked(pipe.Span{Stage: "decode", Worker: 1, Begin: begin, End: begin.Add(345678), ID: "1234",
			File: "train/n01440764/n01440764_10026.JPEG", Parts: parts})
	}
	require.NoError(b, w.Close())
}
