// Command soak checks that the memory of the built spool stays flat over very many samples. It runs parts, each in a
// process of its own, and reads the resident memory of the command and of its helpers each second. The record in
// bin/results has each part with its memory, and lies beside a plot. A part that the record of this commit has is not
// run again, so the whole may be done in pieces:
//
//	go run ./bench/soak                 all parts, some hours
//	go run ./bench/soak clips audio     these
//	go run ./bench/soak -share 0.01     all, with a hundredth of the samples
//
// See [judgment] for the rule.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// soak is the settings of all parts.
type soak struct {
	spool    string
	results  string
	plot     string
	share    float64
	again    bool
	interval time.Duration // from one look at the memory to the next
}

func main() {
	s := soak{interval: time.Second}
	flag.StringVar(&s.spool, "spool", "bin/spool", "the `command` to measure")
	flag.StringVar(&s.results, "results", "bin/results", "the `folder` of the record; none if empty")
	flag.StringVar(&s.plot, "plot", "", "the `file` of the plot; beside the record if empty")
	flag.Float64Var(&s.share, "share", 1,
		"the share of the samples to load; less than 1 is not judged, except by the limits")
	flag.BoolVar(&s.again, "again", false, "run parts again that the record has")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "soak [FLAG...] [PART...]\n\nParts: %s\n", strings.Join(names(), " "))
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := s.all(ctx, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// all runs the named parts, or all, and records each when it has ended.
func (s *soak) all(ctx context.Context, wanted []string) error {
	if len(wanted) == 0 {
		wanted = names()
	}
	if s.share <= 0 {
		return errors.New("-share must be positive")
	}
	for _, name := range wanted {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("there is no part %q; the parts are %s", name, strings.Join(names(), " "))
		}
	}
	commit, err := s.commit(ctx)
	if err != nil {
		return err
	}
	r, err := openRecord(s.results, commit)
	if err != nil {
		return err
	}
	var failures []error
	for _, p := range parts() {
		if !slices.Contains(wanted, p.name) {
			continue
		}
		o, recorded := r.find(p.name, s.share)
		if !recorded || s.again {
			if o, err = s.part(ctx, p); err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", p.name, err))
				continue
			}
			if err := r.add(o); err != nil {
				return err
			}
		}
		fmt.Println("soak:", o)
		if o.Problem != "" {
			failures = append(failures, fmt.Errorf("%s: %s", p.name, o.Problem))
		}
	}
	if err := r.draw(s.plot); err != nil {
		return err
	}
	return errors.Join(failures...)
}

// commit is the version that the command was built from, or that of the checkout if the build has none.
func (s *soak) commit(ctx context.Context) (string, error) {
	//nolint:gosec // the command is the point
	out, err := exec.CommandContext(ctx, s.spool, "doctor", "--json").Output()
	if err != nil {
		return "", fmt.Errorf("%s doctor: %w", s.spool, err)
	}
	var doctor struct {
		Spool string `json:"spool"`
	}
	if err := json.Unmarshal(out, &doctor); err != nil {
		return "", fmt.Errorf("%s doctor: %w", s.spool, err)
	}
	if doctor.Spool != unknown {
		return doctor.Spool, nil
	}
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse: %w", err)
	}
	changes, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "-uno").Output()
	if err != nil {
		return "", fmt.Errorf("git status: %w", err)
	}
	commit := strings.TrimSpace(string(head))
	if len(changes) > 0 {
		commit += "+changes"
	}
	return commit, nil
}

// unknown is the version of a build in a worktree of git, of which Go does not know the commit.
const unknown = "(devel)"
