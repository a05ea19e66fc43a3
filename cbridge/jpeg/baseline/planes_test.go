package baseline_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/internal/short"
)

// firstDifference compares the blocks that overlap the image. libjpeg-turbo decodes only these.
func firstDifference(l *baseline.Layout, ours, theirs []byte) string {
	for i, p := range l.Planes {
		w, h := (p.Width+7)/8*8, (p.Height+7)/8*8
		for y := range h {
			a, b := ours[y*p.Stride:][:w], theirs[y*w:][:w]
			if bytes.Equal(a, b) {
				continue
			}
			for x := range w {
				if a[x] != b[x] {
					return fmt.Sprintf("component %d, column %d, row %d: %d, not %d", i, x, y, a[x], b[x])
				}
			}
		}
		ours, theirs = ours[p.Stride*p.Rows:], theirs[w*h:]
	}
	return ""
}

// For all available JPEG files, planes equal those of libjpeg-turbo. Only files that are damaged or out of scope are
// declined.
func TestPlanesOfFiles(t *testing.T) {
	files, all := files(t), engines(t)
	assert.Greater(t, len(files), 60)
	var m comparison
	c := enter(t)
	count := map[baseline.Reason]int{}
	for i, file := range short.Some(files, 5) {
		data := read(t, file)
		some := all
		if len(data) > 1<<20 {
			some = []*baseline.Engine{all[len(all)-1], all[i%len(all)]}
		}
		reason, difference := m.planes(t, c, data, some...)
		count[reason]++
		assert.Empty(t, difference, file)
		switch reason {
		case baseline.Decoded, baseline.Frame, baseline.Channels, baseline.Sampling, baseline.Scans:
		default:
			t.Log(file, reason)
		}
	}
	t.Log(count)
	assert.Greater(t, count[baseline.Decoded], short.Of(40, 10))
}
