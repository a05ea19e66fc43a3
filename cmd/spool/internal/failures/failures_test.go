package failures

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/pipe"
)

// Advice in the text of a failure names a flag, and not the field of Go.
func TestFailureNamesFlags(t *testing.T) {
	bad := &Ledger{Silent: true}
	require.NoError(t, bad.Add(pipe.Failure{ID: "7", Text: "the bucket is in eu-west-1: set object.Options.Region"}))
	require.Len(t, bad.First(), 1)
	assert.Equal(t, "the bucket is in eu-west-1: set --region", bad.First()[0].Text)
}

// A sample that failed without a class is reported by its file, or by its id if it has none.
func TestFailureWithoutClass(t *testing.T) {
	var out bytes.Buffer
	bad := &Ledger{Console: output.NewConsole(&out)}
	bad.Flow()
	require.NoError(t, bad.Add(pipe.Failure{ID: "7", Class: "panic", Text: "index out of range",
		Err: errors.New("index out of range")}))
	assert.Equal(t, "spool: sample 7: panic: index out of range\n", out.String())
	out.Reset()
	require.NoError(t, bad.Add(pipe.Failure{ID: "8", File: "a.jpg", Class: "error", Text: "out of memory: 100 bytes",
		Err: spool.ErrOutOfMemory}))
	assert.Equal(t, "spool: a.jpg: error: out of memory: 100 bytes\n", out.String())
	assert.Equal(t, cli.ExitInternal, cli.Report(&out, bad.first))
}
