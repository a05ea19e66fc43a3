package checkup

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"runtime/debug"
	"slices"
)

// License is the licence of a part of the program.
type License struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	License string `json:"license"` // an SPDX expression; for FFmpeg, what it was built with
}

// Licenses returns the licences of spool, of the C libraries that it runs with and of the Go modules in it, by name.
func Licenses() []License {
	found := []License{{"spool", Commit(), "Apache-2.0"}}
	for _, l := range libraries() {
		found = append(found, License{l.name, l.version, l.license})
	}
	found = append(found, static()...)
	if info, ok := debug.ReadBuildInfo(); ok {
		found = append(found, License{"Go", info.GoVersion, "BSD-3-Clause"})
		for _, m := range info.Deps {
			found = append(found, License{m.Path, m.Version, cmp.Or(modules[m.Path], "unknown")})
		}
	}
	slices.SortFunc(found[1:], func(a, b License) int { return cmp.Compare(a.Name, b.Name) })
	return found
}

//go:embed sdk.json
var sdk []byte // of tools/sdk/lock.py licenses: the libraries of static builds

// static returns the libraries inside a static build, besides those of libraries.
func static() (found []License) {
	if !isStatic {
		return nil
	}
	if err := json.Unmarshal(sdk, &found); err != nil {
		panic("sdk.json: " + err.Error()) // it is part of the program
	}
	return found
}

// modules has the licences of the Go modules that the command and the library are built from.
var modules = map[string]string{
	"github.com/asticode/go-astiav":     "MIT",
	"github.com/asticode/go-astikit":    "MIT",
	"github.com/expr-lang/expr":         "MIT",
	"github.com/google/renameio/v2":     "Apache-2.0",
	"github.com/klauspost/compress":     "BSD-3-Clause AND MIT AND Apache-2.0",
	"github.com/klauspost/cpuid/v2":     "MIT",
	"github.com/minio/crc64nvme":        "Apache-2.0",
	"github.com/minio/md5-simd":         "Apache-2.0",
	"github.com/minio/minio-go/v7":      "Apache-2.0",
	"github.com/elastic/go-seccomp-bpf": "Apache-2.0",
	"github.com/parquet-go/bitpack":     "Apache-2.0",
	"github.com/parquet-go/parquet-go":  "Apache-2.0",
	"github.com/spf13/cobra":            "Apache-2.0",
	"github.com/spf13/pflag":            "BSD-3-Clause",
	"go.yaml.in/yaml/v3":                "MIT AND Apache-2.0",
	"golang.org/x/image":                "BSD-3-Clause",
	"golang.org/x/net":                  "BSD-3-Clause",
	"golang.org/x/sync":                 "BSD-3-Clause",
	"golang.org/x/sys":                  "BSD-3-Clause",
	"golang.org/x/term":                 "BSD-3-Clause",
	"golang.org/x/text":                 "BSD-3-Clause",
	"gopkg.in/ini.v1":                   "Apache-2.0",
	"mvdan.cc/sh/v3":                    "BSD-3-Clause",
}
