package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Result is what comparing came to: where and how, and every work with every run.
type Result struct {
	Date     time.Time         `json:"date"`
	Commit   string            `json:"commit"` // of the spool that ran
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"` // of libraries and of the other loaders
	Works    []Comparison      `json:"works"`
}

// Comparison is one work, and how everybody did it.
type Comparison struct {
	Work Work `json:"work"`
	// Verified is how many files had torchvision's pixels, torchcodec's frames, or its audio: all that were compared; 0 when
	// there was nothing to compare with.
	Verified    int       `json:"verified"`
	Checks      []Check   `json:"checks,omitempty"`  // what was compared before the first run
	Partial     bool      `json:"partial,omitempty"` // only some of the contestants ran, which is not published
	Contestants []Summary `json:"contestants"`       // those of spool first
	Duels       []Duel    `json:"duels"`
	Pairs       []Pair    `json:"pairs"` // in the order in which they were run
}

// Work is what every contestant did in each run.
type Work struct {
	Name       string  `json:"name"`           // images, train, png, webp, video
	Kind       string  `json:"kind,omitempty"` // of files: video or audio, Remote or Requests; empty: pictures
	Set        string  `json:"set"`
	Latency    int     `json:"latency_ms,omitempty"` // of a store's answers
	Pictures   int     `json:"pictures"`             // different files
	Megapixels float64 `json:"megapixels,omitempty"` // of pictures
	Repeat     int     `json:"repeat"`
	Batch      int     `json:"batch"`
	Size       int     `json:"size"`
	Workers    int     `json:"workers"`
	Rounds     int     `json:"rounds"`
}

// Kinds of work with an object store: photos that are loaded from one, whose rates are those of whole runs, start included; and what
// a request costs its client.
const (
	Remote   = "remote"
	Requests = "requests"
)

// Check is an output that was compared with a reference. Differences are of uint8 samples, means over an image; of audio they
// are the root mean square.
type Check struct {
	What  string  `json:"what"`
	Files int     `json:"files"`
	Worst float64 `json:"worst"`
	Bound float64 `json:"bound"`
	File  string  `json:"file"` // that the largest difference is in
}

// Run is one run of one contestant, with the keys of `spool bench --json`.
type Run struct {
	Load  float64 `json:"load"` // of the machine when the run began, over a minute
	Peer  string  `json:"peer"`
	Items float64 `json:"items,omitempty"`
	Rate  float64 `json:"rate,omitempty"`   // items a second after the first batch
	TTFB  float64 `json:"ttfb_s,omitempty"` // from the start of loading to the first batch
	CPU   float64 `json:"cpu_ms,omitempty"` // an item, child processes included
	RSS   float64 `json:"rss_mb,omitempty"` // peak, child processes included
	Wall  float64 `json:"wall_s,omitempty"`
	Error string  `json:"error,omitempty"` // why it has no figures
}

// Pair is two runs right after one another, whichever was first.
type Pair struct {
	Own   Run `json:"own"` // one of spool's
	Other Run `json:"other"`
}

// Name is what the result's file is called, without extension: DATE-TIME-COMMIT.
func (r *Result) Name() string {
	const short = 10
	commit, changed, _ := strings.Cut(r.Commit, "+")
	name := r.Date.UTC().Format("2006-01-02-1504") + "-" + commit[:min(short, len(commit))]
	if changed != "" {
		name += "+"
	}
	return name
}

// Write writes the result as JSON.
func (r *Result) Write(path string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// Read reads a result that Write wrote.
func Read(path string) (*Result, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Result)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// ReadAll reads the results of a folder, oldest first. The error wraps fs.ErrNotExist when there is none.
func ReadAll(dir string) ([]*Result, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []*Result
	for _, p := range paths {
		r, err := Read(p)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, errors.Join(fmt.Errorf("no result in %s", dir), fs.ErrNotExist)
	}
	slices.SortFunc(all, func(a, b *Result) int { return a.Date.Compare(b.Date) })
	return all, nil
}
