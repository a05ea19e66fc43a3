package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// The number of cases that one process runs: few at first, then doubled until they take some seconds. Then the start of
// the process is negligible, and the loss when it ends early is limited, for fast and for slow targets.
const (
	leastCases = 250
	mostCases  = 20_000
	someTime   = 5 * time.Second
)

// tests holds the compiled tests of packages. Each is built when it is first needed.
type tests struct {
	asan   bool
	seed   uint64 // 0: a different seed for each target
	folder string
	built  map[string]testBinary
}

func newTests(s settings) (*tests, error) {
	folder, err := os.MkdirTemp("", "fuzz")
	return &tests{asan: s.asan, seed: s.seed, folder: folder, built: map[string]testBinary{}}, err
}

// repeat runs the same mutated files through the targets in each run. A finding is then due to the change under test.
// Exploration with new seeds may find older bugs at any time.
func repeat(s settings, targets []target) error {
	s.seed = max(s.seed, 1)
	tests, err := newTests(s)
	if err != nil {
		return err
	}
	defer tests.remove()
	var failures []error
	for _, t := range targets {
		takes, err := tests.takesMutations(t)
		var r result
		if takes {
			r, err = tests.mutate(t, s.cases, s.each)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s.%s: %w", t.pkg, t.name, err))
		}
		if r.executions > 0 {
			fmt.Printf("fuzz: %s.%s: %d cases, %d accepted%s, in %.1f s\n", t.pkg, t.name, r.executions, r.accepted,
				r.explained(), r.seconds)
		}
	}
	return errors.Join(failures...)
}

// takesMutations reports whether a target runs mutated files. Such a target writes the number of the current case.
func (s *tests) takesMutations(t target) (bool, error) {
	b, err := s.binary(t.pkg)
	if err != nil || !b.mutates {
		return false, err
	}
	note, err := os.CreateTemp("", "mutation")
	if err != nil {
		return false, err
	}
	defer os.Remove(note.Name())
	defer note.Close()
	_, _ = b.test(t.name, 1, 0, "", "-mutations", "1", "-mutation.at", note.Name()) // a finding will recur in the real run
	info, err := note.Stat()
	return err == nil && info.Size() > 0, err
}

// binary returns the tests of a package. It builds them at the first call.
func (s *tests) binary(pkg string) (b testBinary, err error) {
	b, ok := s.built[pkg]
	if !ok {
		if b, err = describe(pkg, s.folder); err == nil && b.mutates {
			err = b.build(s.asan)
		}
		if err != nil {
			return b, err
		}
		s.built[pkg] = b
	}
	return b, nil
}

// mutate runs mutated files through a target that supports them.
func (s *tests) mutate(t target, n int64, limit time.Duration) (r result, err error) {
	if n <= 0 {
		return r, nil
	}
	b, err := s.binary(t.pkg)
	if err != nil {
		return r, err
	}
	seed := s.seed
	if seed == 0 {
		seed = rand.Uint64() >> 1
	}
	return b.mutate(t.name, seed, n, limit)
}

func (s *tests) remove() { os.RemoveAll(s.folder) }

// testBinary is the compiled tests of a package.
type testBinary struct {
	path    string
	folder  string // of the package; the tests run there
	mutates bool   // some target may be made by internal/mutate; other packages are not built
}

// describe returns the tests of a package, which are to be built in a folder.
func describe(pkg, into string) (testBinary, error) {
	folder, err := command("list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		return testBinary{}, err
	}
	imports, err := command("list", "-f", `{{join .TestImports " "}} {{join .XTestImports " "}}`, pkg).Output()
	if err != nil {
		return testBinary{}, err
	}
	return testBinary{
		path:    filepath.Join(into, strings.ReplaceAll(pkg, "/", "_")),
		folder:  strings.TrimSpace(string(folder)),
		mutates: strings.Contains(string(imports), "/internal/mutate"),
	}, nil
}

func (b testBinary) build(asan bool, flags ...string) error {
	args := append([]string{"test", "-c", "-o", b.path, fmt.Sprintf("-asan=%v", asan)}, flags...)
	cmd := command(append(args, ".")...)
	cmd.Dir = b.folder
	return cmd.Run()
}

// mutate runs n mutated files through a target, in one process for each core, and counts those that ran without a
// finding.
func (b testBinary) mutate(name string, seed uint64, n int64, limit time.Duration) (r result, err error) {
	accepted, err := newAcceptance()
	if err != nil {
		return r, err
	}
	defer accepted.remove()
	begin, before := time.Now(), cpuOfChildren()
	var mu sync.Mutex // of the next case, the executions and the failures
	var next int64
	var failures []error
	take := func(wish int64) (first, count int64) {
		mu.Lock()
		defer mu.Unlock()
		if len(failures) > 0 || limit > 0 && time.Since(begin) > limit {
			return 0, 0
		}
		first, count = next, min(wish, n-next)
		next += count
		return first, count
	}
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for wish := int64(leastCases); ; {
				first, count := take(wish)
				if count == 0 {
					return
				}
				started := time.Now()
				err := b.run(name, seed, first, count, accepted)
				mu.Lock()
				if err != nil {
					failures = append(failures, err)
				} else {
					r.executions += count
				}
				mu.Unlock()
				if time.Since(started) < someTime {
					wish = min(2*wish, mostCases)
				}
			}
		})
	}
	workers.Wait()
	r.seconds, r.cpu = time.Since(begin).Seconds(), cpuOfChildren()-before
	return r, errors.Join(append(failures, accepted.of(&r))...)
}

// run runs one chunk of cases in a new process, and saves the input of a failed case.
func (b testBinary) run(name string, seed uint64, first, count int64, accepted acceptance) error {
	note, err := os.CreateTemp("", "mutation")
	if err != nil {
		return err
	}
	note.Close()
	defer os.Remove(note.Name())
	out, err := b.test(name, seed, first, accepted, "-mutations", fmt.Sprint(count), "-mutation.at", note.Name(),
		"-test.timeout", "20m")
	if err == nil {
		return nil
	}
	os.Stdout.Write(out)
	if bytes.Contains(out, []byte("input written to")) {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	number, readErr := os.ReadFile(note.Name()) // the process ended in C, or hung
	if readErr != nil || len(number) != 8 {
		return errors.Join(err, readErr)
	}
	at := int64(binary.LittleEndian.Uint64(number))
	saved, saveErr := b.test(name, seed, at, accepted, "-mutation.save", "-test.v", "-test.run", "^"+name+"$/^none$")
	os.Stdout.Write(saved)
	return errors.Join(fmt.Errorf("seed %d, case %d: %w", seed, at, err), saveErr)
}

func (b testBinary) test(name string, seed uint64, first int64, accepted acceptance, more ...string) ([]byte, error) {
	args := append([]string{"-test.run", "^" + name + "$", "-mutation.seed", fmt.Sprint(seed), "-mutation.first",
		fmt.Sprint(first)}, more...)
	cmd := exec.Command(b.path, args...)
	cmd.Dir = b.folder
	cmd.Env = append(accepted.environment(), "GOMAXPROCS=1",
		"ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:"+os.Getenv("ASAN_OPTIONS"))
	return cmd.CombinedOutput()
}
