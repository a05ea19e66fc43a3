// Command readme writes the tables of README.md, between its markers, from the results in bench/results: of each work
// the newest. A test holds README.md to them, so that no figure in it is typed.
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
	file := flag.String("readme", "README.md", "the file to rewrite")
	results := flag.String("results", "bench/results", "the folder of results")
	flag.Parse()
	if err := run(*file, *results); err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

func run(file, results string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err := generate(old, results)
	if err != nil || bytes.Equal(text, old) {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

const module = "github.com/spoolmedia/spool"

const begin, end = "<!-- bench:begin -->\n", "<!-- bench:end -->\n"

// generate gives the file with what the results say between the markers.
func generate(text []byte, results string) ([]byte, error) {
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return nil, fmt.Errorf("no place for the tables: it lies between %q and %q", begin, end)
	}
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
	steps, err := bench.ReadGo(bytes.NewReader(printed), module+"/bench")
	if err != nil {
		return nil, err
	}
	codecs, err := bench.ReadGo(bytes.NewReader(printed), module+"/bench/codec")
	if err != nil {
		return nil, err
	}
	var tables strings.Builder
	for i, r := range current {
		if i > 0 {
			tables.WriteString("\n")
		}
		writeResult(&tables, r)
	}
	writeSteps(&tables, steps)
	writeCodecs(&tables, codecs)
	return []byte(before + begin + tables.String() + end + after), nil
}
