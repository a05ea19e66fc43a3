// Command testreport says which tests were skipped and why, and how long packages took: testreport FILE.xml...
//
// The files are what gotestsum and pytest write for JUnit, each of one run. A test counts as skipped if no run had it otherwise.
package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/spoolmedia/spool/"

// suite is a package's tests in a run, or all of pytest's.
type suite struct {
	Name  string  `xml:"name,attr"`
	Time  float64 `xml:"time,attr"`
	Cases []struct {
		Place   string  `xml:"classname,attr"`
		Name    string  `xml:"name,attr"`
		Time    float64 `xml:"time,attr"`
		Skipped *struct {
			Message string `xml:"message,attr"`
		} `xml:"skipped"`
	} `xml:"testcase"`
}

// test is one of a package, or of a module of Python; subtests and parametrized ones have names of their own.
type test struct{ place, name string }

// took is how long a package or module took in a run.
type took struct {
	run, place string
	seconds    float64
}

type report struct {
	skipped map[test]string // the reasons
	ran     map[test]bool
	times   []took
}

func main() {
	if err := write(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

func write(to io.Writer, files []string) error {
	r := report{skipped: map[test]string{}, ran: map[test]bool{}}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var run struct {
			Suites []suite `xml:"testsuite"`
		}
		if err := xml.Unmarshal(text, &run); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".xml")
		all, skipped := r.add(name, run.Suites)
		fmt.Fprintf(to, "%-12s %5d tests, %4d skipped\n", name, all, skipped)
	}
	r.reasons(to)
	r.slowest(to)
	return nil
}

// add enters a run, and counts its tests.
func (r *report) add(run string, suites []suite) (all, skipped int) {
	for _, s := range suites {
		seconds := map[string]float64{}
		for _, c := range s.Cases {
			t := test{strings.TrimPrefix(c.Place, module), c.Name}
			seconds[t.place] += c.Time
			all++
			if c.Skipped == nil {
				r.ran[t] = true
				continue
			}
			skipped++
			r.skipped[t] = reason(c.Skipped.Message)
		}
		if s.Name != "pytest" { // a package, whose time has each test once
			seconds = map[string]float64{strings.TrimPrefix(s.Name, module): s.Time}
		}
		for place, n := range seconds {
			r.times = append(r.times, took{run, place, n})
		}
	}
	return all, skipped
}

var logged = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (.*)`)

// reason is what a test has said last, of the output that gotestsum gives for Go.
func reason(message string) string {
	if lines := logged.FindAllStringSubmatch(message, -1); len(lines) > 0 {
		return lines[len(lines)-1][1]
	}
	return strings.TrimSpace(message)
}

var part = regexp.MustCompile(`[/\[].*`)

// reasons lists what no run had, by reason: a line for a test with all of its subtests.
func (r *report) reasons(to io.Writer) {
	count := 0
	reasons := map[string]map[string]int{}
	for t, why := range r.skipped {
		if r.ran[t] {
			continue
		}
		if reasons[why] == nil {
			reasons[why] = map[string]int{}
		}
		reasons[why][strings.TrimSpace(t.place+" "+part.ReplaceAllString(t.name, ""))]++
		count++
	}
	fmt.Fprintf(to, "\n%d tests were skipped in every run:\n", count)
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(to, "  %s\n", why)
		for _, name := range slices.Sorted(maps.Keys(reasons[why])) {
			times := ""
			if n := reasons[why][name]; n > 1 {
				times = " x " + strconv.Itoa(n)
			}
			fmt.Fprintf(to, "      %s%s\n", name, times)
		}
	}
}

// slowest lists what took a second or more, of each run.
func (r *report) slowest(to io.Writer) {
	slices.SortFunc(r.times, func(a, b took) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), cmp.Compare(a.run, b.run), cmp.Compare(a.place, b.place))
	})
	fmt.Fprintf(to, "\nseconds:\n")
	for _, t := range r.times {
		if t.seconds >= 1 {
			fmt.Fprintf(to, "%8.1f  %-12s %s\n", t.seconds, t.run, t.place)
		}
	}
}
