package baseline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

// Progressive files of random symbols, with any script of scans. As in sequential files, coefficients out of range are
// declined.
func TestPlanesOfAnyProgressive(t *testing.T) {
	for kind, name := range []string{tame: "tame", wild: "wild"} {
		t.Run(name, func(t *testing.T) {
			all := newIdentical(t, seed.Rand(t))
			all.wild = kind != tame
			for i := range share(short.Of(150, 40)) {
				all.check(t, newProgressive(all.random, kind, side(all.random)), fmt.Sprint("file ", i))
			}
			all.done(t, "progressive, "+name)
			if kind != tame {
				assert.Positive(t, all.planes[baseline.Range])
			}
		})
	}
}

// scripts are sequences of scans that occur in practice: only spectral selection, only luma in steps, many bits one by
// one.
var scripts = []string{
	"0 1 2: 0-0, 0, 0;\n0: 1-9, 0, 0;\n2: 1-63, 0, 0;\n1: 1-63, 0, 0;\n0: 10-63, 0, 0;",
	"0: 0-0, 0, 0;\n1 2: 0-0, 0, 0;\n0: 1-8, 0, 2;\n1: 1-8, 0, 0;\n2: 1-8, 0, 0;\n0: 9-63, 0, 2;\n0: 1-63, 2, 1;\n0: " +
		"1-63, 1, 0;\n1: 9-63, 0, 0;\n2: 9-63, 0, 0;",
	"0 1 2: 0-0, 0, 3;\n0: 1-63, 0, 4;\n0 1 2: 0-0, 3, 2;\n0: 1-63, 4, 3;\n1: 1-63, 0, 1;\n2: 1-63, 0, 0;\n0 1 2: 0-0, " +
		"2, 1;\n" +
		"0: 1-63, 3, 2;\n0 1 2: 0-0, 1, 0;\n1: 1-63, 1, 0;\n0: 1-63, 2, 1;\n0: 1-63, 1, 0;",
}

// Progressive files of libjpeg-turbo's encoder.
func TestPlanesOfTurboProgressive(t *testing.T) {
	cjpeg := program(t, "cjpeg")
	var files []string
	for i, script := range scripts {
		files = append(files, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		require.NoError(t, os.WriteFile(files[i], []byte(script), 0o600))
	}
	all := newIdentical(t, seed.Rand(t))
	paint := newPainter(t, all.random)
	for range share(60) {
		args := []string{"-quality", fmt.Sprint(1 + paint.IntN(100)), "-sample", turboSampling(paint.Rand)}
		switch i := paint.IntN(len(files) + 3); {
		case i < len(files):
			args = append(args, "-scans", files[i])
		case i == len(files):
			args = append(args, "-progressive", "-grayscale")
		default:
			args = append(args, "-progressive")
		}
		if paint.IntN(4) == 0 {
			args = append(args, "-restart", fmt.Sprint(1+paint.IntN(3)))
		}
		checkTurbo(t, all, paint, cjpeg, args)
	}
	all.done(t, "libjpeg-turbo, progressive")
}
