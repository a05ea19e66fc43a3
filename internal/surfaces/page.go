package main

import (
	"bytes"
	"fmt"
	"strings"
)

const introduction = `# Go, Python, C and the command

What Python, C and the command have for each exported name of the public Go packages. Names in a cell do the same there,
or have the same content. A cell that does not begin with a name says why there is none. Methods belong to the row of
their type, and constants to that of theirs. A name of C that is no function or type is a key of JSON, which
[the headers](capi.md) describe.

` + "`go run ./internal/surfaces`" + ` writes this page, from the sources and internal/surfaces/surfaces.txt. Tests check that
it is fresh, and that the names in its cells exist.

`

// write returns the page: a count of the names, and a table for each package.
func write(all []goPackage, m mapping) []byte {
	var out bytes.Buffer
	out.WriteString(introduction + "| package | names | in Python | in C | in the command |\n|---|--:|--:|--:|--:|\n")
	var total row
	for _, p := range all {
		r := p.count(m[p.path])
		r.write(&out, fmt.Sprintf("[%s](#%s)", p.path, anchor(p.path)))
		total.add(r)
	}
	total.write(&out, "all")
	for _, p := range all {
		fmt.Fprintf(&out, "\n## %s\n\n| Go | Python | C | command |\n|---|---|---|---|\n", p.path)
		for _, s := range p.symbols {
			columns := m[p.path][s.name]
			fmt.Fprintf(&out, "| %s | %s |\n", p.cell(s), strings.Join(columns[:], " | "))
		}
	}
	return out.Bytes()
}

// row is a row of the counts: symbols, and how many of them each surface has a name for.
type row [1 + surfaces]int

func (p goPackage) count(rows map[string]cells) row {
	r := row{len(p.symbols)}
	for _, s := range p.symbols {
		for i, cell := range rows[s.name] {
			if strings.HasPrefix(cell, "`") {
				r[1+i]++
			}
		}
	}
	return r
}

func (r *row) add(other row) {
	for i, n := range other {
		r[i] += n
	}
}

func (r *row) write(out *bytes.Buffer, label string) {
	fmt.Fprintf(out, "| %s | %d | %d | %d | %d |\n", label, r[0], r[1], r[2], r[3])
}

// cell returns the names of a symbol: `format.Format`: `JPEG`, `PNG`.
func (p goPackage) cell(s symbol) string {
	text := fmt.Sprintf("`%s.%s`", p.name, s.name)
	if len(s.others) > 0 {
		text += ": `" + strings.Join(s.others, "`, `") + "`"
	}
	return text
}

// anchor returns the anchor that GitHub and mkdocs give to a package's heading.
func anchor(path string) string { return strings.ReplaceAll(path, "/", "") }
