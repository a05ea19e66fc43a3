package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAffected(t *testing.T) {
	const reader = module + "/internal/archtest"
	root := t.TempDir()
	for _, folder := range []string{"kernel", "jpeg"} {
		if err := os.Mkdir(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "kernel", "sink.h"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../kernel/sink.h", filepath.Join(root, "jpeg", "sink.h")); err != nil {
		t.Fatal(err)
	}
	p := func(name, folder string, deps ...string) listed {
		return listed{ImportPath: name, Dir: filepath.Join(root, folder), Deps: deps}
	}
	all := packages{
		p("m", ""), p("m.test", "", "m [m.test]", "m/golden", "testing"),
		p("m/golden", "golden"),
		p("m/kernel", "kernel", "m"),
		p("m/jpeg", "jpeg", "m"),
		p("m/decode", "decode", "m", "m/jpeg", "m/kernel"),
		p("m/decode_test [m/decode.test]", "decode", "m/decode [m/decode.test]", "m/golden"),
		p("m/decode.test", "decode", "m", "m/jpeg", "m/kernel", "m/decode [m/decode.test]", "m/golden"),
		p(reader, "internal/archtest"),
	}
	all[3].HFiles, all[4].HFiles = []string{"sink.h"}, []string{"sink.h"}
	everything := []string{reader, "m", "m/decode", "m/golden", "m/jpeg", "m/kernel"}

	for _, c := range []struct {
		name            string
		files           []string
		changed, tested []string
		uncached        bool
	}{
		{"nothing", nil, nil, nil, false},
		{"the root", []string{"pool.go"}, []string{"m"}, []string{reader, "m", "m/decode", "m/jpeg", "m/kernel"}, false},
		{"what only tests import", []string{"golden/a.go"}, []string{"m/golden"},
			[]string{reader, "m", "m/decode", "m/golden"}, false},
		{"a test", []string{"jpeg/a_test.go"}, []string{"m/jpeg"}, []string{reader, "m/jpeg"}, false},
		{"a header that another package links", []string{"kernel/sink.h"}, []string{"m/jpeg", "m/kernel"},
			[]string{reader, "m/decode", "m/jpeg", "m/kernel"}, false},
		{"what a package has in a folder", []string{"decode/testdata/a.c"}, []string{"m/decode"},
			[]string{reader, "m/decode"}, true},
		{"media of all", []string{"testdata/a.jpg"}, []string{"m"}, []string{reader, "m", "m/decode", "m/jpeg", "m/kernel"},
			true},
		{"dependencies", []string{"go.sum"}, everything, everything, false},
		{"documents and scripts", []string{"docs/a.md", "README.md", "tools/a.go", "python/spool/a.py"}, nil,
			[]string{reader}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := all.affected(root, c.files)
			if !slices.Equal(got.changed, c.changed) || !slices.Equal(got.tested, c.tested) || got.uncached != c.uncached {
				t.Errorf("%+v", got)
			}
		})
	}
}
