// Command examples runs the fenced code blocks of Markdown files, so that examples keep working. It runs `sh` blocks
// line by line as one script, and `go` blocks that are whole programs. They run in an empty folder that contains a link
// to testdata, with the built command in the PATH. Blocks of other languages (console, text) are not run.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// block is one fenced block of a file.
type block struct {
	language string
	line     int
	text     string
}

func main() {
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	if err := run(*root, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "examples:", err)
		os.Exit(1)
	}
}

func run(root string, files []string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	var failures []error
	ran := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, b := range blocks(string(data)) {
			if !b.runs() {
				continue
			}
			ran++
			fmt.Printf("examples: %s:%d (%s)\n", file, b.line, b.language)
			if err := b.run(root); err != nil {
				failures = append(failures, fmt.Errorf("%s:%d: %w", file, b.line, err))
			}
		}
	}
	if ran == 0 {
		return errors.New("no example found")
	}
	fmt.Printf("examples: %d run, %d failed\n", ran, len(failures))
	return errors.Join(failures...)
}

// blocks returns the fenced blocks of a Markdown text.
func blocks(text string) []block {
	var all []block
	var open *block
	number := 0
	for line := range strings.Lines(text) {
		number++
		fence, isFence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case isFence && open == nil:
			open = &block{language: fence, line: number}
		case isFence:
			all = append(all, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	return all
}

func (b block) runs() bool {
	return b.language == "sh" || b.language == "go" && strings.HasPrefix(b.text, "package main\n")
}

// run executes the block in a new folder.
func (b block) run(root string) error {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")); err != nil {
		return err
	}
	if b.language == "sh" {
		return execute(root, dir, "bash", "-euo", "pipefail", "-c", b.text)
	}
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(b.text), 0o644); err != nil {
		return err
	}
	if err := execute(root, root, "go", "build", "-o", program, source); err != nil { // in the module, for its imports
		return err
	}
	return execute(root, dir, program)
}

func execute(root, dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd.Run()
}
