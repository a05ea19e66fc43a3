// Command surfaces writes docs/surfaces.md: what Python, C and the command have for each exported name of the public
// packages. The names are read from the sources, and the other columns from surfaces.txt. Tests check that the page is
// fresh, and that the names in its cells exist.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

const page = "docs/surfaces.md"

func main() {
	root := flag.String("root", ".", "the repository whose page is written")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "surfaces:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	text, err := generate(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, page), text, 0o644)
}

// generate returns the page.
func generate(root string) ([]byte, error) {
	all, err := packages(root)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(root, "internal/surfaces/surfaces.txt"))
	if err != nil {
		return nil, err
	}
	m, err := parse(string(data))
	if err != nil {
		return nil, err
	}
	if err := m.covers(all); err != nil {
		return nil, err
	}
	return write(all, m), nil
}
