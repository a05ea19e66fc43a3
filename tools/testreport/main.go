// Command testreport lists skipped tests with their reasons, and the run times of packages: testreport FILE.xml...
//
// The files are JUnit reports of gotestsum and pytest, one for each run. A test counts as skipped if every run skipped
// it.
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

// suite is a package's tests in a run, or all tests of pytest.
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

// test is a test of a package, or of a Python module. Subtests and parametrized tests have separate names.
type test struct{ pkg, name string }

// runTime is the run time of a package or module in a run.
type runTime struct {
	run, pkg string
	seconds  float64
}

type report struct {
	skipped map[test]string // the reasons
	ran     map[test]bool
	times   []runTime
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

// add adds a run, and counts its tests.
func (r *report) add(run string, suites []suite) (all, skipped int) {
	for _, s := range suites {
		seconds := map[string]float64{}
		for _, c := range s.Cases {
			t := test{strings.TrimPrefix(c.Place, module), c.Name}
			seconds[t.pkg] += c.Time
			all++
			if c.Skipped == nil {
				r.ran[t] = true
				continue
			}
			skipped++
			r.skipped[t] = reason(c.Skipped.Message)
		}
		if s.Name != "pytest" { // a Go package, whose total counts each test once
			seconds = map[string]float64{strings.TrimPrefix(s.Name, module): s.Time}
		}
		for pkg, n := range seconds {
			r.times = append(r.times, runTime{run, pkg, n})
		}
	}
	return all, skipped
}

var logged = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (.*)`)

// reason returns the last message of a test, from gotestsum's output for Go.
func reason(message string) string {
	if lines := logged.FindAllStringSubmatch(message, -1); len(lines) > 0 {
		return lines[len(lines)-1][1]
	}
	return strings.TrimSpace(message)
}

var part = regexp.MustCompile(`[/\[].*`)

// reasons lists the tests that every run skipped, by reason. A test and its subtests share a line.
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
		reasons[why][strings.TrimSpace(t.pkg+" "+part.ReplaceAllString(t.name, ""))]++
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

// slowest lists the packages and modules that took a second or more, for each run.
func (r *report) slowest(to io.Writer) {
	slices.SortFunc(r.times, func(a, b runTime) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), cmp.Compare(a.run, b.run), cmp.Compare(a.pkg, b.pkg))
	})
	fmt.Fprintf(to, "\nseconds:\n")
	for _, t := range r.times {
		if t.seconds >= 1 {
			fmt.Fprintf(to, "%8.1f  %-12s %s\n", t.seconds, t.run, t.pkg)
		}
	}
}
