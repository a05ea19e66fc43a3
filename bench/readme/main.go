// Command readme writes the figures of README.md and docs/loaders, and all tables of docs/benchmarks.md, between their markers, and
// a plot, from the results in bench/results: of each work the newest. A test holds the files to them, so that no figure is typed.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

func main() {
	root := flag.String("root", ".", "the repository whose README.md and docs are rewritten")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	m, err := read(filepath.Join(root, "bench/results"))
	if err != nil {
		return err
	}
	for name, write := range m.files() {
		file := filepath.Join(root, name)
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text, err := generate(old, write)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if bytes.Equal(text, old) {
			continue
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	drawn, err := storesOf(m.current).plot()
	if err != nil || drawn == nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, figure), drawn, 0o644)
}

const module = "github.com/spoolmedia/spool"

const begin, end = "<!-- bench:begin -->\n", "<!-- bench:end -->\n"

// measured is what the results say.
type measured struct {
	current       []*bench.Result
	steps, codecs map[string]map[string]float64 // by go test -bench
}

// files are those that have figures, and what writes them.
func (m *measured) files() map[string]func(*strings.Builder) {
	return map[string]func(*strings.Builder){
		"README.md":                  func(out *strings.Builder) { writeSummary(out, m.current); storesOf(m.current).write(out, figure) },
		"docs/loaders/concurrent.md": func(out *strings.Builder) { storesOf(m.current).concurrent(out) },
		"docs/benchmarks.md":         func(out *strings.Builder) { writeTables(out, m.current, m.steps, m.codecs) },
	}
}

func read(results string) (*measured, error) {
	current, err := bench.Current(results)
	if err != nil {
		return nil, err
	}
	var printed []byte // by go test -bench, beside the newest result that has it; one without it is a result, too
	for _, r := range slices.Backward(current) {
		printed, err = os.ReadFile(filepath.Join(results, r.Name()+".txt"))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	m := &measured{current: current}
	if m.steps, err = bench.ReadGo(bytes.NewReader(printed), module+"/bench"); err != nil {
		return nil, err
	}
	m.codecs, err = bench.ReadGo(bytes.NewReader(printed), module+"/bench/codec")
	return m, err
}

// generate gives a file with what write writes between the markers.
func generate(text []byte, write func(*strings.Builder)) ([]byte, error) {
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return nil, fmt.Errorf("no place for the tables: it lies between %q and %q", begin, end)
	}
	var tables strings.Builder
	write(&tables)
	return []byte(before + begin + tables.String() + end + after), nil
}
