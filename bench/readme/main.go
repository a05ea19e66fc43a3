// Command readme writes the figures of README.md, docs/loaders and docs/transfer.md, all tables of docs/benchmarks.md,
// and two plots. It reads the results in bench/results. Text is written between markers. A table is of one commit
// (bench.Publish). Tests compare the files with the results, so that no figure between the markers is typed by hand.
// Those outside of them are: in docs/benchmarks.md in the sections above its results, from One codec on; in
// docs/transfer.md and docs/loaders around the markers; and in all other pages.
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
	for name, write := range m.pages() {
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
	for name, drawn := range m.plots() {
		if drawn == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(drawn), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const module = "github.com/spoolmedia/spool"

const begin, end = "<!-- bench:begin -->\n", "<!-- bench:end -->\n"

// measured has the published figures.
type measured struct {
	files         []bench.Table
	elsewhere     processors
	stores        stores
	gpus          gpus
	gobench       bench.Result                  // of the output of go test -bench
	steps, codecs map[string]map[string]float64 // from that output
}

// pages returns the files that have figures, and the functions that write them.
func (m *measured) pages() map[string]func(*strings.Builder) {
	return map[string]func(*strings.Builder){
		"README.md":                  m.writeNumbers,
		"docs/loaders/concurrent.md": func(out *strings.Builder) { m.stores.concurrent(out) },
		"docs/benchmarks.md":         m.writeTables,
		"docs/transfer.md":           m.gpus.write,
	}
}

// plots returns the plots by file. A plot without results is "".
func (m *measured) plots() map[string]string {
	return map[string]string{figure: m.stores.plot(), rates: m.bars()}
}

func read(results string) (*measured, error) {
	all, err := bench.ReadAll(results)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		relabel(r)
	}
	files, atStores := bench.Publish(all)
	m := &measured{files: files, elsewhere: bench.Elsewhere(all, files), stores: storesOf(atStores)}
	if m.gpus, err = readGPUs(results); err != nil {
		return nil, err
	}
	var printed []byte // from the newest result that has it
	for _, r := range slices.Backward(all) {
		printed, err = os.ReadFile(filepath.Join(results, r.Name()+".txt"))
		if err == nil {
			m.gobench = *r
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if m.steps, err = bench.ReadGo(bytes.NewReader(printed), module+"/bench"); err != nil {
		return nil, err
	}
	m.codecs, err = bench.ReadGo(bytes.NewReader(printed), module+"/bench/codec")
	return m, err
}

// relabel names Python's loader by its class. Older results have spool.ImageLoader for videos as well.
func relabel(r *bench.Result) {
	for _, c := range r.Works {
		for i, p := range c.Contestants {
			if p.Peer == bench.Loader {
				c.Contestants[i].Label = "spool." + bench.LoaderOf(c.Work.Kind)
			}
		}
	}
}

// generate returns a file with the output of write between its markers.
func generate(text []byte, write func(*strings.Builder)) ([]byte, error) {
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return nil, fmt.Errorf("no place for the tables: the markers %q and %q are missing", begin, end)
	}
	var tables strings.Builder
	write(&tables)
	return []byte(before + begin + tables.String() + end + after), nil
}
