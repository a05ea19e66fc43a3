package baseline_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
)

var (
	record  = flag.String("record", "", "the `file` that keeps what generated files became of")
	sources = flag.String("sources", "", "for the record: the `commit` of the engine's sources")
)

// identical compares the engines with libjpeg-turbo, with all kernels, and counts the results.
type identical struct {
	call    *call.Call
	engines []*baseline.Engine
	random  *rand.Rand
	wild    bool // coefficients may be out of range
	files   int
	planes  map[baseline.Reason]int
	rows    map[baseline.Reason]int
	areas   int
	began   time.Time
	m       comparison
}

func newIdentical(t testing.TB, r *rand.Rand) *identical {
	t.Helper()
	return &identical{call: enter(t), engines: engines(t), random: r, planes: map[baseline.Reason]int{},
		rows: map[baseline.Reason]int{}, began: time.Now()}
}

// Larger images take longer, so they are compared with two sets of kernels instead of all.
const smallImage = 100 * 100

// check compares planes, all rows, and those of two areas. The engine must decline exactly the files that are out of
// scope.
func (i *identical) check(t testing.TB, data []byte, what string) {
	t.Helper()
	planes, rows, gray := expected(data)
	l, _ := baseline.ReadLayout(data)
	some := i.engines
	if l.Width*l.Height > smallImage {
		some = []*baseline.Engine{some[i.random.IntN(len(some))], some[len(some)-1]}
	}
	inGray := i.random.IntN(4) == 0
	if inGray {
		rows = gray
	}
	reason, difference := i.m.planes(t, i.call, data, some...)
	i.files++
	i.planes[reason]++
	if difference == "" && !i.is(planes, reason) {
		difference = fmt.Sprintf("planes: %s instead of %s", reason, planes)
	}
	if difference == "" && planes == baseline.Decoded {
		areas := []area{{0, 0, l.Width, l.Height}, someArea(i.random, l.Width, l.Height),
			someArea(i.random, l.Width, l.Height)}
		reason, difference = i.m.rows(t, i.call, data, inGray, areas, some...)
		if difference == "" && !i.is(rows, reason) {
			difference = fmt.Sprintf("rows: %s instead of %s", reason, rows)
		}
		i.areas += len(areas)
	}
	i.rows[reason]++
	if difference != "" {
		file := filepath.Join(os.TempDir(), "differs.jpg")
		_ = os.WriteFile(file, data, 0o600)
		t.Fatalf("%s: %s; the file is %s", what, difference, file)
	}
}

func (i *identical) is(expected, reason baseline.Reason) bool {
	return reason == expected || expected == baseline.Decoded && i.wild && reason == baseline.Range
}

// expected returns the expected results for a valid file, read from its markers without the engine: for planes, and for
// rows in color and in gray.
func expected(data []byte) (planes, rows, gray baseline.Reason) {
	var factors, ids []byte
	jfif, adobe, progressive := false, -1, false
	for p := 2; ; {
		marker, content := data[p+1], data[p+4:]
		p += 2 + (int(data[p+2])<<8 | int(data[p+3]))
		switch {
		case marker == 0xE0:
			jfif = jfif || string(content[:5]) == "JFIF\x00"
		case marker == 0xEE && string(content[:5]) == "Adobe":
			adobe = int(content[11])
		case 0xC0 <= marker && marker <= 0xC2:
			progressive = marker == 0xC2
			for c := range int(content[5]) {
				ids, factors = append(ids, content[6+3*c]), append(factors, content[7+3*c])
			}
			blocks := 0
			for _, f := range factors {
				if f>>4 > 2 || f&15 > 2 {
					return baseline.Sampling, baseline.Sampling, baseline.Sampling
				}
				blocks += int(f>>4) * int(f&15)
			}
			if len(factors) != 1 && len(factors) != 3 {
				return baseline.Channels, baseline.Channels, baseline.Channels
			}
			if len(factors) == 3 && blocks > 10 {
				return baseline.Sampling, baseline.Sampling, baseline.Sampling
			}
		case 0xC3 <= marker && marker <= 0xCF && marker != 0xC4:
			return baseline.Frame, baseline.Frame, baseline.Frame
		case marker == 0xDA:
			if int(content[0]) != len(ids) && !progressive {
				return baseline.Scans, baseline.Scans, baseline.Scans
			}
			if len(ids) == 1 {
				return baseline.Decoded, baseline.Decoded, baseline.Decoded
			}
			if adobe == 0 && !jfif || adobe < 0 && !jfif && string(ids) == "RGB" {
				return baseline.Decoded, baseline.Color, baseline.Color
			}
			most := factors[0] | factors[1] | factors[2] // the factors are 1 and 2
			h, v := factors[0]>>4 == 2 || most>>4 == 1, factors[0]&15 == 2 || most&15 == 1
			if !h || !v {
				return baseline.Decoded, baseline.Sampling, baseline.Sampling
			}
			if factors[1] != factors[2] {
				return baseline.Decoded, baseline.Sampling, baseline.Decoded
			}
			return baseline.Decoded, baseline.Decoded, baseline.Decoded
		}
	}
}

// outcome is the recorded result of one kind of files.
type outcome struct {
	Files   int            `json:"files"`
	Planes  map[string]int `json:"planes"` // by result
	Rows    map[string]int `json:"rows"`
	Areas   int            `json:"areas"`   // compared, including the whole image
	Kernels int            `json:"kernels"` // number of kernel sets on the machine of this run
	Seconds float64        `json:"seconds"`
	Sources string         `json:"sources,omitempty"`
}

func named(counts map[baseline.Reason]int) map[string]int {
	names := map[string]int{}
	for reason, n := range counts {
		names[reason.String()] = n
	}
	return names
}

// done logs the counts, and writes them to the record.
func (i *identical) done(t testing.TB, kind string) {
	t.Helper()
	o := outcome{i.files, named(i.planes), named(i.rows), i.areas, len(i.engines), time.Since(i.began).Seconds(), *sources}
	t.Logf("%+v", o)
	assert.Positive(t, i.planes[baseline.Decoded])
	assert.Positive(t, i.rows[baseline.Decoded])
	if *record == "" || t.Failed() {
		return
	}
	all := map[string]outcome{}
	if data, err := os.ReadFile(*record); err == nil {
		require.NoError(t, json.Unmarshal(data, &all))
	}
	all[kind] = o
	data, err := json.MarshalIndent(all, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(*record, append(data, '\n'), 0o600))
}
