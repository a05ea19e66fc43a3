package run

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/failures"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source/object"
)

// Without a terminal there is a line every few seconds after the first batch, and nothing before it. Earlier failures
// are printed with the first batch.
func TestProgressLines(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		bad, err := failures.New(output.NewConsole(&out), "")
		require.NoError(t, err)
		remote, err := inputs.New(object.Options{})
		require.NoError(t, err)
		defer remote.Close()
		p := &progress{failures: bad, summary: newSummary(), total: 100, stores: remote}
		said := func() string {
			defer out.Reset()
			return out.String()
		}
		add := func(wait time.Duration) string {
			<-time.After(wait)
			p.add(&batch.Batch{Samples: make([]batch.Sample, 10)})
			return said()
		}
		fail := func(file string) string {
			require.NoError(t, bad.Add(pipe.Failure{Err: &spool.Error{File: file, Class: spool.ErrCorrupt, Text: "broken"}}))
			return said()
		}
		bad.Note("a note")
		assert.Empty(t, fail("a.jpg"))
		<-time.After(time.Hour)
		assert.Equal(t, "a note\nspool: a.jpg: corrupt: broken\n", add(0))
		p.summary.Began = time.Now().Add(-time.Second) // not an hour ago
		assert.Empty(t, add(4*time.Second))
		assert.Equal(t, "spool: b.jpg: corrupt: broken\n", fail("b.jpg"))
		assert.Equal(t, "32/100 samples, 2 failed, 5.3/s, 13s left\n", add(time.Second))
		assert.Empty(t, add(time.Second))
		assert.Equal(t, "52/100 samples, 2 failed, 2.0/s, 24s left\n", add(19*time.Second))
		p.total = -1 // a stream
		assert.Equal(t, "62 samples, 2 failed, 2.0/s\n", add(5*time.Second))
		p.end()
		assert.Empty(t, said())
	})
}
