// Command fuzz runs the fuzz targets of the named packages, or of all packages, one after the other. It keeps a ledger
// of the number of inputs that each target has survived. It also counts those of a libFuzzer target.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// target is one fuzz function.
type target struct{ pkg, name string }

// result is the outcome of one run of a target.
type result struct {
	executions int64
	accepted   int64
	seconds    float64
	cpu        float64 // seconds of processors, of the processes that ran inputs

	disagreements map[string]int64 // by reason
}

// explained is the number of explained differences from an oracle, as part of a line.
func (r result) explained() string {
	var n int64
	for _, count := range r.disagreements {
		n += count
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d explained differences", n)
}

type settings struct {
	each   time.Duration
	budget time.Duration
	asan   bool
	ledger string
	only   string
	mutate bool
	goal   int64
	cases  int64
	seed   uint64
	native string
	total  bool

	packages []string
}

func main() {
	var s settings
	flag.DurationVar(&s.each, "time", time.Minute, "time for each target")
	flag.DurationVar(&s.budget, "budget", 0, "time for all targets together; 0 is no bound")
	flag.BoolVar(&s.asan, "asan", false, "build with the address sanitizer")
	flag.StringVar(&s.ledger, "ledger", "testdata/fuzz-ledger.json", "the file that counts executions")
	flag.StringVar(&s.only, "only", "", "regular expression of the targets to run, of PACKAGE.NAME")
	flag.BoolVar(&s.mutate, "mutate", false,
		"run mutated files where a target takes them, which is faster than the fuzz engine")
	flag.Int64Var(&s.goal, "goal", 0,
		"run mutated files, through the targets that take them, until the ledger has this `number` for each; a target "+
			"takes no longer than -time")
	flag.Int64Var(&s.cases, "cases", 0,
		"instead, run this `number` of mutated files for each target, which are the same for the same -seed; the ledger is "+
			"left alone")
	flag.Uint64Var(&s.seed, "seed", 0, "which mutations; 0 draws them")
	flag.StringVar(&s.native, "native", "",
		"run the libFuzzer target of this `folder`, built as bin/FOLDER/target, for -time, or until the ledger has -goal")
	flag.BoolVar(&s.total, "total", false, "only print the time of each target in the ledger, and its findings")
	flag.Parse()
	if s.packages = flag.Args(); len(s.packages) == 0 {
		s.packages = []string{"./..."}
	}
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

func run(s settings) error {
	only, err := regexp.Compile(s.only)
	if err != nil {
		return err
	}
	ledger, err := readLedger(s.ledger)
	if err != nil {
		return err
	}
	if s.total {
		ledger.print(os.Stdout)
		return nil
	}
	if s.native != "" {
		return runNative(s, ledger)
	}
	targets, err := find(s.packages, s.asan)
	if err != nil {
		return err
	}
	kept := targets[:0]
	for _, t := range targets {
		if only.MatchString(t.pkg + "." + t.name) {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return errors.New("no fuzz target found")
	}
	if s.cases > 0 {
		return repeat(s, kept)
	}
	ledger.leastFirst(kept)
	each := s.each
	if s.budget > 0 {
		each = min(each, s.budget/time.Duration(len(kept)))
	}
	fmt.Printf("fuzz: %d targets, %v each\n", len(kept), each.Round(time.Second))
	tests, err := newTests(s)
	if err != nil {
		return err
	}
	defer tests.remove()

	var failures []error
	for _, t := range kept {
		key := t.pkg + "." + t.name
		entry := ledger[key]
		r, err := tests.run(t, s, entry, each)
		entry.judge(err, func() bool { return t.passes(s.asan) })
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", key, err))
			fmt.Printf("fuzz: again: go test -asan=%v -run '^%s$' %s\n", s.asan, t.name, t.pkg)
		}
		entry.add(r, s.asan)
		ledger[key] = entry
		fmt.Printf("fuzz: %s: %d executions, %d accepted%s; so far %d, and %d under asan\n",
			key, r.executions, r.accepted, r.explained(), entry.Executions, entry.AsanExecutions)
		if err := writeLedger(s.ledger, ledger); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

// run runs one target for as long as the settings say.
func (s *tests) run(t target, how settings, so tally, each time.Duration) (result, error) {
	if !how.mutate && how.goal == 0 {
		return s.explore(t, each)
	}
	takes, err := s.takesMutations(t)
	if err != nil {
		return result{}, err
	}
	n := int64(math.MaxInt64)
	if how.goal > 0 {
		n = how.goal - so.of(how.asan)
	}
	switch {
	case takes:
		return s.mutate(t, n, each)
	case how.goal > 0: // the fuzz engine would need hours
		return result{}, nil
	}
	return s.explore(t, each)
}

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// find lists the fuzz targets of packages. `go test -list` would build all their tests.
func find(packages []string, asan bool) ([]target, error) {
	args := []string{"list", "-f", `{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}`}
	if asan {
		args = append(args, "-asan")
	}
	out, err := command(append(args, packages...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("listing the targets: %w", err)
	}
	var all []target
	for line := range strings.Lines(string(out)) {
		pkg, file, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("listing the targets: %w", err)
		}
		for _, name := range declared.FindAllSubmatch(text, -1) {
			all = append(all, target{pkg, string(name[1])})
		}
	}
	return all, nil
}

// passes reports whether the inputs that are kept for a target pass.
func (t target) passes(asan bool) bool {
	return command("test", fmt.Sprintf("-asan=%v", asan), "-count=1", "-run", "^"+t.name+"$", t.pkg).Run() == nil
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	return cmd
}
