package mutate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var (
	count = flag.Uint64("mutations", 0, "how many mutated files each fuzz target is run on, instead of its seeds")
	seed  = flag.Uint64("mutation.seed", 1, "which mutations")
	first = flag.Uint64("mutation.first", 0, "number of the first case")
	at    = flag.String("mutation.at", "", "file that holds the number of the case under way")
	save  = flag.Bool("mutation.save", false, "write the first case's input to testdata/fuzz and do nothing else")
)

// Fuzz runs a fuzz target: body runs on data and must not fail, whatever the data. body draws its options from knobs,
// which are 0 for the unchanged files. The files should be small real files of all kinds.
func Fuzz(f *testing.F, files [][]byte, body func(t testing.TB, data []byte, knobs uint64)) {
	f.Helper()
	if len(files) == 0 {
		f.Fatal("no files to mutate")
	}
	for _, data := range files {
		f.Add(data, uint64(0))
	}
	switch {
	case *save:
		keep(f, *first, files)
	case *count > 0:
		loop(f, files, body)
		if !f.Failed() {
			f.Skipf("all %d survived", *count) // saved inputs are for go test, and would run again in each process
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, knobs uint64) { body(t, data, knobs) })
}

// loop runs the cases of this process.
func loop(f *testing.F, files [][]byte, body func(t testing.TB, data []byte, knobs uint64)) {
	f.Helper()
	i, survived := *first, false
	defer func() {
		if !survived {
			keep(f, i, files)
		}
	}()
	var note *os.File
	if *at != "" {
		var err error
		if note, err = os.Create(*at); err != nil {
			f.Fatal(err)
		}
		defer note.Close()
	}
	var number [8]byte
	for ; i < *first+*count; i++ {
		if note != nil { // one system call for each case, so that the number outlives the process
			binary.LittleEndian.PutUint64(number[:], i)
			if _, err := note.WriteAt(number[:], 0); err != nil {
				f.Fatal(err)
			}
		}
		data, knobs := Case(files, *seed, i)
		body(f, data, knobs)
		if f.Failed() {
			return
		}
	}
	survived = true
}

// keep writes a case's input to where go test looks for the seeds of a target.
func keep(f *testing.F, i uint64, files [][]byte) {
	f.Helper()
	data, knobs := Case(files, *seed, i)
	var s bytes.Buffer
	fmt.Fprintf(&s, "go test fuzz v1\n[]byte(%q)\nuint64(%d)\n", data, knobs)
	sum := sha256.Sum256(s.Bytes())
	path := filepath.Join("testdata", "fuzz", f.Name(), fmt.Sprintf("%x", sum[:8]))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.Error(err)
		return
	}
	if err := os.WriteFile(path, s.Bytes(), 0o644); err != nil {
		f.Error(err)
		return
	}
	f.Logf("case %d of seed %d: input written to %s", i, *seed, path)
}
