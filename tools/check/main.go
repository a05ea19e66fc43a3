// Command check runs, within three minutes, the checks that a change can break. It checks the format of the files that
// differ from BASE, and lints their packages. It tests these and the packages that depend on them, in short mode and
// without the race detector: all of them, or the near ones if there are many. If the library or the Python package has
// changed, it tests the Python package. After a failed step it continues with the next. The last line names what is left
// for make test.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	base := flag.String("base", "",
		"the `revision` that files are compared with; by default where the branch has left its upstream, or HEAD")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	passed, err := run(ctx, *base)
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
	}
	if err != nil || !passed {
		os.Exit(1)
	}
}

func run(ctx context.Context, base string) (passed bool, err error) {
	start := time.Now()
	base, files, err := changed(ctx, base)
	if err != nil {
		return false, err
	}
	known, err := list(ctx)
	if err != nil {
		return false, err
	}
	at, err := os.Getwd()
	if err != nil {
		return false, err
	}
	all := known.near(known.affected(at, files), wide)
	fmt.Printf("check: %d files differ from %s; %d packages are changed, %d are tested\n", len(files), base,
		len(all.changed), len(all.tested))

	s := &steps{ctx: ctx, out: os.Stdout}
	s.format(files)
	s.lint(all, files)
	s.tools(files)
	python := len(within(files, "python")) > 0
	built := python || slices.Contains(all.tested, library)
	if built {
		s.run("build", "make", "-s", "build") // of both, since tests compare the library with the command
	}
	// Both wait for a part of their time. What Python prints follows.
	var printed bytes.Buffer
	beside := &steps{ctx: ctx, out: &printed}
	var group sync.WaitGroup
	if built {
		group.Go(func() { beside.python(python) })
	}
	s.golang(all, built, filepath.Join(at, "python/spool/_lib/libspool.so"))
	group.Wait()
	s.join(beside, &printed)
	passed = s.done(time.Since(start))
	if n := len(all.compiled); n > 0 {
		fmt.Printf("check: left for make test: %d packages with C that the change reaches, and Python if it did not change\n",
			n)
	}
	return passed, nil
}

// steps runs commands and records which have failed.
type steps struct {
	ctx     context.Context
	out     io.Writer
	failed  []string
	summary []string
	cpu     time.Duration
}

// run runs one step. A command fails by its exit status, or by any output if it must be silent.
func (s *steps) run(name string, command ...string) {
	if s.ctx.Err() != nil {
		return
	}
	fmt.Fprintf(s.out, "== %s: %s\n", name, shown(command))
	start, status := time.Now(), "passed"
	c := exec.CommandContext(s.ctx, command[0], command[1:]...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second // for children that keep the output open
	c.Stdout, c.Stderr = s.out, s.out
	if err := c.Run(); err != nil {
		status = "FAILED"
		s.failed = append(s.failed, name)
		fmt.Fprintf(s.out, "== %s: %v\n", name, err)
	}
	var cpu time.Duration
	if c.ProcessState != nil {
		cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		s.cpu += cpu
	}
	s.summary = append(s.summary, fmt.Sprintf("%-12s %s after %5.1f s, %5.1f s of CPU time", name, status,
		time.Since(start).Seconds(), cpu.Seconds()))
}

// join adds steps that ran beside these, and prints what they printed.
func (s *steps) join(beside *steps, printed *bytes.Buffer) {
	fmt.Fprint(s.out, printed)
	s.failed = append(s.failed, beside.failed...)
	s.summary = append(s.summary, beside.summary...)
	s.cpu += beside.cpu
}

// done prints the summary, and reports whether all steps have passed.
func (s *steps) done(took time.Duration) (passed bool) {
	for _, line := range s.summary {
		fmt.Println(line)
	}
	verdict := "passed"
	switch {
	case s.ctx.Err() != nil:
		verdict = "interrupted"
	case len(s.failed) > 0:
		verdict = "FAILED (" + strings.Join(s.failed, ", ") + ")"
	}
	fmt.Printf("check: %s in %.0f s, %.0f s of CPU time\n", verdict, took.Seconds(), s.cpu.Seconds())
	return verdict == "passed"
}

// format checks the format of each changed file that still exists.
func (s *steps) format(files []string) {
	there := slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		info, err := os.Lstat(name)
		return err != nil || !info.Mode().IsRegular()
	})
	if of := withSuffix(there, ".go"); len(of) > 0 {
		s.run("gofmt", append([]string{"sh", "-c",
			`wrong=$(gofmt -l "$@") && [ -z "$wrong" ] || { echo "gofmt -w these: $wrong"; exit 1; }`, "gofmt"}, of...)...)
	}
	if of := withSuffix(there, ".c", ".h"); len(of) > 0 {
		s.run("clang-format", append([]string{"clang-format", "--dry-run", "--Werror"}, of...)...)
	}
	if of := withSuffix(there, ".sh", ".ci/run"); len(of) > 0 {
		s.run("shellcheck", append([]string{"shellcheck"}, of...)...)
	}
	if len(within(there, "testdata")) > 0 {
		s.run("testdata", "make", "-s", "testdata")
	}
}

// lint runs the linters, which include vet, on the packages with changed files.
func (s *steps) lint(all affected, files []string) {
	if len(all.changed) > 0 && len(withSuffix(files, ".go")) > 0 {
		s.run("lint", append([]string{"go", "tool", "-modfile=tools/go.mod", "golangci-lint", "run"},
			relative(all.changed)...)...)
	}
}

// golang compiles and tests. The tests of the library take the one that is built, which saves a second build.
func (s *steps) golang(all affected, built bool, libspool string) {
	if len(all.tested) > 0 {
		command := []string{"go", "test", "-short", "-vet=off", "-ldflags=-w", "-timeout", "10m"}
		if all.uncached {
			command = append(command, "-count=1")
		}
		if built {
			command = append([]string{"env", "SPOOL_LIBRARY=" + libspool}, command...)
		}
		s.run("test", append(command, all.tested...)...)
	}
	if len(all.compiled) > 0 { // with go list, which does not link the commands
		s.run("compile", append([]string{"go", "list", "-export", "-f", `{{""}}`}, all.compiled...)...)
	}
}

// tools checks the tools, which are a separate module.
func (s *steps) tools(files []string) {
	if len(withSuffix(within(files, "tools"), ".go", "go.mod")) > 0 {
		s.run("tools", "sh", "-c", "go -C tools vet ./... && go -C tools test -short ./...")
	}
}

// python tests the Python package with the library built from the tree.
func (s *steps) python(changed bool) {
	if changed {
		s.run("ruff", "sh", "-c", `cd python && python=$(./venv.sh) && "$python" -m ruff check . && "$python" -m ruff format --check .`)
	}
	s.run("python", "python/test.sh", "-q", "-m", "not slow")
}

// withSuffix returns the names that end with one of the suffixes.
func withSuffix(names []string, suffixes ...string) (of []string) {
	for _, name := range names {
		if slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) }) {
			of = append(of, name)
		}
	}
	return of
}

// within returns the names below a folder.
func within(names []string, folder string) (of []string) {
	for _, name := range names {
		if strings.HasPrefix(name, folder+"/") {
			of = append(of, name)
		}
	}
	return of
}

// relative converts import paths to folders, as the linter requires.
func relative(packages []string) []string {
	folders := make([]string, len(packages))
	for i, path := range packages {
		folders[i] = "." + strings.TrimPrefix(path, module)
	}
	return folders
}

// shown returns a command with a shortened list of arguments.
func shown(command []string) string {
	const most = 12
	if more := len(command) - most; more > 0 {
		return fmt.Sprintf("%s ... and %d more", strings.Join(command[:most], " "), more)
	}
	return strings.Join(command, " ")
}
