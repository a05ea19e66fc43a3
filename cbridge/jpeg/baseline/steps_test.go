package baseline_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
)

// Each step runs over every file that is decoded, and over no other. Truncated files end it, wherever they are cut.
func TestSteps(t *testing.T) {
	var e baseline.Engine
	defer e.Close()
	c := enter(t)
	steps := []baseline.Step{baseline.Unstuff, baseline.Entropy, baseline.Samples, baseline.Upsample, baseline.Convert}
	count := map[baseline.Step]int{}
	for _, file := range picked(t, "../testdata/*.jpg", "../../../testdata/hard/*/*.jpg",
		"../../../testdata/photos/animal/*.jpg") {
		data := read(t, file)
		l, reason := baseline.ReadLayout(data)
		memory := make([]byte, 3*l.Bytes()+1<<13)
		if reason == baseline.Decoded {
			var err error
			reason, err = e.Planes(c, data, memory)
			require.NoError(t, err)
		}
		for _, step := range steps {
			got, err := e.Run(step, data, memory)
			require.NoError(t, err)
			if step == baseline.Entropy || step == baseline.Samples {
				assert.Equal(t, reason == baseline.Decoded, got == baseline.Decoded, "%s, step %d", file, step)
			}
			if got == baseline.Decoded {
				count[step]++
			}
			for cut := 0; cut < len(data); cut += 1 + len(data)/50 {
				_, err = e.Run(step, data[:cut], memory)
				require.NoError(t, err)
			}
		}
	}
	for _, step := range steps {
		assert.Greater(t, count[step], 10)
	}
	_, err := e.Run(baseline.Samples, read(t, "../testdata/s420.jpg"), nil)
	require.ErrorIs(t, err, spool.ErrShape)
	_, err = e.Run(baseline.Convert, read(t, "../testdata/s420.jpg"), make([]byte, 100))
	require.ErrorIs(t, err, spool.ErrShape)
}
