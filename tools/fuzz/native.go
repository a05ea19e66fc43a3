package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// runTime is the run time of one libFuzzer process, and so the most that is lost when a process is stopped.
const runTime = 3 * time.Minute

// libFuzzer is a target in C, built with the address and undefined-behaviour sanitizers.
type libFuzzer struct {
	binary string
	corpus string // committed inputs, including findings
	found  string // inputs that reach new code; next to the binary
}

var executed = regexp.MustCompile(`(?m)^stat::number_of_executed_units: (\d+)`)

// runNative runs a target in one process for each core, and updates the ledger after each run.
func runNative(s settings, l ledger) error {
	folder := filepath.Clean(s.native)
	built := filepath.Join("bin", folder)
	f := libFuzzer{filepath.Join(built, "target"), filepath.Join(folder, "corpus"), filepath.Join(built, "corpus")}
	if err := os.MkdirAll(f.found, 0o755); err != nil {
		return err
	}
	commit, err := version(filepath.Dir(folder))
	if err != nil {
		return err
	}
	module, err := command("list", "-m").Output()
	if err != nil {
		return err
	}
	key := strings.TrimSpace(string(module)) + "/" + filepath.ToSlash(folder)
	entry := l[key]
	for begin := time.Now(); time.Since(begin) < s.each && (s.goal == 0 || entry.AsanExecutions < s.goal); {
		started, before := time.Now(), cpuOfChildren()
		execs, err := f.run(min(runTime, s.each-time.Since(begin)))
		entry.AsanExecutions += execs
		entry.AsanSeconds += time.Since(started).Seconds()
		entry.CPUSeconds += cpuOfChildren() - before
		if err != nil { // the input is in the corpus
			entry.Findings++
		}
		if entry.ByCommit == nil {
			entry.ByCommit = map[string]int64{}
		}
		entry.ByCommit[commit] += execs
		l[key] = entry
		fmt.Printf("fuzz: %s: %d executions; so far %d\n", key, execs, entry.AsanExecutions)
		if err := errors.Join(err, writeLedger(s.ledger, l)); err != nil {
			return err
		}
	}
	return nil
}

// version returns the commit that last changed the C sources of a folder, with a plus if they have uncommitted changes.
func version(folder string) (string, error) {
	sources := ":(glob)" + filepath.ToSlash(folder) + "/*.[ch]"
	commit, err := exec.Command("git", "log", "-1", "--format=%h", "--", sources).Output()
	if err != nil {
		return "", fmt.Errorf("git log: %w", err)
	}
	name := strings.TrimSpace(string(commit))
	if err := exec.Command("git", "diff", "--quiet", "HEAD", "--", sources).Run(); err != nil {
		name += "+"
	}
	return name, nil
}

// run runs one process on each core, and returns the number of inputs that all of them survived.
func (f *libFuzzer) run(each time.Duration) (int64, error) {
	var (
		mu       sync.Mutex // of total and failures
		total    int64
		failures []error
		workers  sync.WaitGroup
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			n, err := f.process(each)
			mu.Lock()
			defer mu.Unlock()
			total += n
			if err != nil {
				failures = append(failures, err)
			}
		})
	}
	workers.Wait()
	return total, errors.Join(failures...)
}

// process runs the target once. It writes a finding to the corpus, where the tests run it from then on.
func (f *libFuzzer) process(each time.Duration) (int64, error) {
	cmd := exec.Command(f.binary, "-max_total_time="+strconv.Itoa(max(int(each.Seconds()), 1)), "-max_len=4096",
		"-print_final_stats=1", "-verbosity=0", "-report_slow_units=120", "-artifact_prefix="+f.corpus+"/", f.found, f.corpus)
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=quarantine_size_mb=4:detect_leaks=0:"+os.Getenv("ASAN_OPTIONS"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil {
		os.Stdout.Write(out.Bytes())
	}
	m := executed.FindSubmatch(out.Bytes())
	if m == nil {
		return 0, errors.Join(err, fmt.Errorf("%s tells no count", f.binary))
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64) // the expression matches only digits
	return n, err
}
