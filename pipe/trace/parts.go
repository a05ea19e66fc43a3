package trace

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/spoolmedia/spool/pipe"
)

// lanes is the number of tracks of a worker: its own, and those of parts that overlap others.
const lanes = 8

// parts writes the parts of a span, below its slice. Slices of a track are nested or disjoint: a part that overlaps
// another one gets a track of its own. The caller has the lock.
func (t *Writer) parts(s *pipe.Span) {
	slices.SortStableFunc(s.Parts, func(a, b pipe.Part) int { // the outer ones first
		return cmp.Or(a.Begin.Compare(b.Begin), b.End.Compare(a.End))
	})
	var open [lanes][]time.Time // ends of the slices that may contain a part, the innermost last
	for _, p := range s.Parts {
		lane := 0
		for ; lane < lanes-1; lane++ {
			for n := len(open[lane]); n > 0 && !open[lane][n-1].After(p.Begin); n-- {
				open[lane] = open[lane][:n-1]
			}
			if n := len(open[lane]); n == 0 || !p.End.After(open[lane][n-1]) {
				break
			}
		}
		open[lane] = append(open[lane], p.End)
		t.slice(t.track(track{s.Stage, s.Worker, lane}), p.Begin, p.End, p.Name)
		t.line = append(t.line, '}')
		t.write()
	}
}

// slice begins the line of a slice, and leaves it open for more keys. The caller has the lock.
func (t *Writer) slice(number int, begin, end time.Time, name string) {
	t.line = append(t.line[:0], ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":"...)
	b := strconv.AppendInt(t.line, int64(number), 10)
	b = append(b, `,"ts":`...)
	b = microseconds(b, begin.Sub(t.begun))
	b = append(b, `,"dur":`...)
	b = microseconds(b, end.Sub(begin))
	b = append(b, `,"name":`...)
	t.line = quoted(b, name)
}
