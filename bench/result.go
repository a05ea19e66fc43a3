package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Result is the outcome of a comparison: the machine, the versions, and every work with all its runs.
type Result struct {
	Date     time.Time         `json:"date"`
	Commit   string            `json:"commit"` // of spool
	Machine  Machine           `json:"machine"`
	Build    string            `json:"build,omitempty"` // which libraries the command uses: SystemBuild or StaticBuild
	Versions map[string]string `json:"versions"`        // of libraries and of the other loaders
	Note     string            `json:"note,omitempty"`  // sentences on how it was measured, published beside its figures
	Works    []Comparison      `json:"works"`
}

// Builds of the command.
const (
	SystemBuild = "system libraries"
	StaticBuild = "the wheel's libraries"
)

// Comparison is one work, with the runs of all contestants.
type Comparison struct {
	Work Work `json:"work"`
	// Verified is the number of files whose pixels, frames or audio were compared with torchvision's or torchcodec's, with
	// success; 0 if there was nothing to compare with.
	Verified    int       `json:"verified"`
	Checks      []Check   `json:"checks,omitempty"`  // comparisons before the first run
	Partial     bool      `json:"partial,omitempty"` // only some of the contestants ran; it is not published
	Contestants []Summary `json:"contestants"`       // spool's first
	Duels       []Duel    `json:"duels"`
	Pairs       []Pair    `json:"pairs"` // in the order of the runs
}

// Work is the task of every contestant in each run.
type Work struct {
	Name       string  `json:"name"`           // images, train, png, webp, video
	Kind       string  `json:"kind,omitempty"` // Video, Audio, Remote or Requests; empty for images
	Set        string  `json:"set"`
	Latency    int     `json:"latency_ms,omitempty"` // of a store
	Files      int     `json:"pictures"`             // different ones
	Megapixels float64 `json:"megapixels,omitempty"` // mean of the images
	Repeat     int     `json:"repeat"`
	Batch      int     `json:"batch"`
	Size       int     `json:"size"`
	Workers    int     `json:"workers"`
	Rounds     int     `json:"rounds"`
	Seconds    float64 `json:"seconds,omitempty"` // of a run, approximately; 0 if it has a fixed number of items
}

// Kinds of files other than images.
const (
	Video = "video"
	Audio = "audio"
)

// Kinds of work with an object store. Remote loads photos from it; the rate is that of the whole run, including the
// start. Requests measures the cost of a request for a client.
const (
	Remote   = "remote"
	Requests = "requests"
)

// Check is the comparison of an output with a reference. Differences are means over an image, of uint8 samples. For
// audio they are the root mean square.
type Check struct {
	What  string  `json:"what"`
	Files int     `json:"files"`
	Worst float64 `json:"worst"`
	Bound float64 `json:"bound"`
	File  string  `json:"file"` // with the largest difference
}

// Run is one run of one contestant, with the keys of `spool bench --json`.
type Run struct {
	Load  float64 `json:"load"` // of the machine over the last minute, when the run began
	Peer  string  `json:"peer"`
	Items float64 `json:"items,omitempty"`
	Rate  float64 `json:"rate,omitempty"`   // items a second after the first batch
	TTFB  float64 `json:"ttfb_s,omitempty"` // from the start of loading to the first batch
	CPU   float64 `json:"cpu_ms,omitempty"` // for an item, including child processes
	RSS   float64 `json:"rss_mb,omitempty"` // peak, including child processes
	Moved
	Wall  float64 `json:"wall_s,omitempty"`
	Error string  `json:"error,omitempty"` // why it has no figures
}

// Moved is what a run moves for an item, including child processes. The copies between reading and delivery cannot be
// counted alike for all loaders. Pages that are used for the first time show those that go through new memory.
type Moved struct {
	Read   float64 `json:"read_kb,omitempty"` // KiB that system calls read: files, and pipes between processes
	Out    float64 `json:"out_kb,omitempty"`  // KiB of the delivered batches
	Faults float64 `json:"faults,omitempty"`  // pages that the kernel maps because they are used for the first time
}

// Pair is two consecutive runs, in either order.
type Pair struct {
	Own   Run `json:"own"` // of spool
	Other Run `json:"other"`
}

// Begin returns a result without runs, on this machine, of the command that printed this for `spool doctor --json`.
func Begin(doctor []byte) (*Result, error) {
	var said struct {
		Spool    string            `json:"spool"`
		Go       string            `json:"go"`
		Versions map[string]string `json:"versions"`
		Packages map[string]string `json:"packages"` // of the system's libraries; none in a static build
	}
	if err := json.Unmarshal(doctor, &said); err != nil {
		return nil, fmt.Errorf("spool doctor printed no JSON object: %w", err)
	}
	r := &Result{Date: time.Now().UTC().Truncate(time.Second), Machine: ThisMachine(), Commit: CommitOf(said.Spool),
		Build: SystemBuild, Versions: map[string]string{"Go": said.Go}}
	if len(said.Packages) == 0 {
		r.Build = StaticBuild
	}
	maps.Copy(r.Versions, said.Versions)
	return r, nil
}

// CommitOf returns the commit of a version of spool: a commit, or a release's version, which may name one after ".g".
func CommitOf(version string) string {
	if _, commit, named := strings.Cut(version, ".g"); named {
		return commit
	}
	return version
}

// Name returns the name of the result's file without its extension: DATE-TIME-COMMIT.
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

// ReadAll reads the results of a folder, oldest first. If there are none, the error wraps fs.ErrNotExist.
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
