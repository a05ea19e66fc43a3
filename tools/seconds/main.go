// Command seconds prints, as a table of Markdown, how long the tests of each package took, from what go test -json
// has written: seconds SHORT WHOLE.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

const module = "github.com/spoolmedia/spool"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "seconds: wants two files of go test -json: in short mode, and whole")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "seconds:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, short, whole string) error {
	inShort, err := read(short)
	if err != nil {
		return err
	}
	inAll, err := read(whole)
	if err != nil {
		return err
	}
	names := maps.Clone(inShort)
	maps.Copy(names, inAll)
	fmt.Fprintf(w, "| package | short | whole |\n|---|--:|--:|\n")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(w, "| %s | %s | %s |\n", name, cell(inShort, name), cell(inAll, name))
	}
	fmt.Fprintf(w, "| all | %.0f | %.0f |\n", sum(inShort), sum(inAll))
	return nil
}

// read gives the seconds of each package that has tests. One that failed has taken no time worth a table.
func read(file string) (map[string]float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seconds := map[string]float64{}
	for decoder := json.NewDecoder(f); ; {
		var event struct {
			Action, Package, Test string
			Elapsed               float64
		}
		switch err := decoder.Decode(&event); {
		case errors.Is(err, io.EOF):
			return seconds, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", file, err)
		case event.Test != "" || event.Package == "":
		case event.Action == "fail":
			return nil, fmt.Errorf("%s: %s has failed", file, event.Package)
		case event.Action == "pass":
			name := strings.TrimPrefix(strings.TrimPrefix(event.Package, module), "/")
			if name == "" {
				name = "spool"
			}
			seconds[name] = event.Elapsed
		}
	}
}

func cell(seconds map[string]float64, name string) string {
	if s, ok := seconds[name]; ok {
		return fmt.Sprintf("%.1f", s)
	}
	return "-"
}

func sum(seconds map[string]float64) (all float64) {
	for _, s := range seconds {
		all += s
	}
	return all
}
