package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spoolmedia/spool/internal/chart"
)

// record is the outcomes of a commit's parts.
type record struct {
	Date   time.Time `json:"date"` // of the last part
	Commit string    `json:"commit"`
	Parts  []outcome `json:"parts"`

	path string // without its extension; empty if nothing is recorded
}

// openRecord reads the record of a commit in a folder, or begins one.
func openRecord(folder, commit string) (*record, error) {
	r := &record{Commit: commit}
	if folder == "" {
		return r, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	short, changed, _ := strings.Cut(commit, "+")
	short = short[:min(10, len(short))]
	if changed != "" {
		short += "+"
	}
	found, err := filepath.Glob(filepath.Join(folder, "soak-*-"+short+".json"))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		r.path = filepath.Join(folder, "soak-"+time.Now().UTC().Format("2006-01-02")+"-"+short)
		return r, nil
	}
	r.path = strings.TrimSuffix(found[0], ".json")
	text, err := os.ReadFile(found[0])
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", found[0], err)
	}
	return r, nil
}

// find returns the outcome of a part with at least a share of its samples. That of a build with changes may be of other
// changes.
func (r *record) find(name string, share float64) (o outcome, ok bool) {
	i := slices.IndexFunc(r.Parts, func(o outcome) bool { return o.Part == name && o.Share >= share })
	if i < 0 || strings.Contains(r.Commit, "+") {
		return o, false
	}
	return r.Parts[i], true
}

// add adds an outcome in place of an earlier one, and writes the record, a line for each part.
func (r *record) add(o outcome) error {
	r.Date = time.Now().UTC().Truncate(time.Second)
	r.Parts = slices.DeleteFunc(r.Parts, func(former outcome) bool { return former.Part == o.Part })
	r.Parts = append(r.Parts, o)
	order := names()
	slices.SortFunc(r.Parts, func(a, b outcome) int {
		return cmp.Compare(slices.Index(order, a.Part), slices.Index(order, b.Part))
	})
	if r.path == "" {
		return nil
	}
	lines := make([]string, len(r.Parts))
	for i, o := range r.Parts {
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		lines[i] = string(text)
	}
	text := fmt.Sprintf("{\"date\": %q, \"commit\": %q, \"parts\": [\n%s\n]}\n", r.Date.Format(time.RFC3339), r.Commit,
		strings.Join(lines, ",\n"))
	return os.WriteFile(r.path+".json", []byte(text), 0o644)
}

// draw writes the plot, if there is something to draw: to a path, or beside the record.
func (r *record) draw(path string) error {
	if path == "" && r.path != "" {
		path = r.path + ".svg"
	}
	if path == "" || len(r.Parts) == 0 {
		return nil
	}
	return os.WriteFile(path, []byte(plot(r.Parts)), 0o644)
}

// The resident memory that the plot shows, in percent of the first quarter after the warm-up.
const low, high = 70, 110

// plot draws the memory of each part over its run. The parts take megabytes and times that differ widely, so both axes
// are in percent.
func plot(parts []outcome) string {
	c := chart.Chart{Width: 900, Height: 400, X: chart.Axis{Label: "% of the run", Min: 0, Max: 100},
		Y: chart.Axis{Label: "% of the first quarter after the warm-up", Min: low, Max: high}}
	c.Lines = append(c.Lines, chart.Line{Name: "+2 % after the warm-up", Color: chart.Gray,
		Points: []chart.Point{{X: 100 * warmUp, Y: low}, {X: 100 * warmUp, Y: 100 * (1 + tolerance)},
			{X: 100, Y: 100 * (1 + tolerance)}}})
	color := 0
	for _, o := range parts {
		if o.First == 0 {
			continue
		}
		if color == chart.Gray {
			color++
		}
		l := chart.Line{Name: fmt.Sprintf("%s, %.0f MB", o.Part, o.First), Color: color}
		for i, mb := range o.Resident {
			l.Points = append(l.Points, chart.Point{X: 100 * o.Seconds[i] / o.Wall,
				Y: min(max(100*mb/o.First, low), high)})
		}
		c.Lines = append(c.Lines, l)
		color++
	}
	return c.SVG()
}

// rounded is a tenth of a megabyte or of a second.
func rounded(v float64) float64 { return math.Round(10*v) / 10 }
