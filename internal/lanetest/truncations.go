package lanetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
)

// Cut is a file that does not decode when truncated.
type Cut struct {
	File  string
	End   int // bytes at the end whose loss is not noticed
	Steps int // number of truncations to test; 0: at each byte
}

func (l Lane) truncations(t *testing.T) {
	for _, cut := range l.Cut {
		data := Read(t, cut.File)
		step := 1
		if cut.Steps > 0 {
			step += len(data) / cut.Steps
		}
		for n := 0; n < len(data)-cut.End; n += step {
			p, err := l.Open(t, cut.File, data[:n])
			if err == nil {
				_, err = p.whole(t)
				p.close()
			}
			classes := []spool.Class{spool.ErrTruncated, spool.ErrCorrupt}
			switch {
			case n == 0:
				classes = []spool.Class{spool.ErrEmpty}
			case n < 16: // within the signature
				classes = append(classes, spool.ErrNotMedia)
			}
			require.Contains(t, classes, spool.ClassOf(err), "%s cut to %d bytes: %v", cut.File, n, err)
		}
	}
}
