package settings

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/cores"
)

func parseInt(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, errors.New("must be a whole number")
	}
	return n, nil
}

// parseInts reads whole numbers with commas between them. Spaces around a number are ignored.
func parseInts(s string) ([]int, error) {
	list := []int{}
	for word := range strings.SplitSeq(s, ",") {
		n, err := parseInt(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// parseSize reads WxH, both at least 1.
func parseSize(s string) (w, h int, err error) {
	left, right, ok := strings.Cut(s, "x")
	if ok {
		w, err = parseInt(left)
	}
	if ok && err == nil {
		h, err = parseInt(right)
	}
	if !ok || err != nil {
		return 0, 0, errors.New("must be a size like 224x224, width x height")
	}
	if w < 1 || h < 1 {
		return 0, 0, errors.New("width and height must be at least 1")
	}
	return w, h, nil
}

// parseSquare reads WxH, or N for NxN.
func parseSquare(s string) (w, h int, err error) {
	if !strings.Contains(s, "x") {
		s += "x" + s
	}
	if w, h, err = parseSize(s); err != nil && !strings.Contains(err.Error(), "least") {
		err = errors.New("must be a size like 224 or 224x224, width x height")
	}
	return w, h, err
}

// parseColor reads #rrggbb.
func parseColor(s string) (c decode.RGB8, err error) {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "#"))
	if err != nil || len(b) != 3 || !strings.HasPrefix(s, "#") {
		return c, errors.New("must be a color like #808080")
	}
	return decode.RGB8{R: b[0], G: b[1], B: b[2]}, nil
}

// parseFloats reads a list separated by commas.
func parseFloats(s string) (list []float32, err error) {
	for word := range strings.SplitSeq(s, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(word), 32)
		if err != nil {
			return nil, errors.New("must be numbers like 0.485,0.456,0.406")
		}
		list = append(list, float32(f))
	}
	return list, nil
}

// parseLimit reads a number, with an optional unit KiB, MiB, GiB or TiB. 0 becomes -1: no limit.
func parseLimit(s string) (int64, error) {
	number, shift := s, 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			number, shift = n, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n<<shift>>shift != n {
		return 0, errors.New("must be a number like 1048576 or 64MiB (KiB, MiB, GiB, TiB), or 0 for no limit")
	}
	if n == 0 {
		return -1, nil
	}
	return n << shift, nil
}

// maxWorkers is more than any machine can use: a larger number is a mistake.
const maxWorkers = 1024

// parseWorkers reads a number from 1 to maxWorkers, or auto: one worker for each core that this process may use.
func parseWorkers(s string) (int, error) {
	if s == "auto" {
		return min(cores.Count(), maxWorkers), nil
	}
	n, err := parseInt(s)
	if err != nil || n < 1 || n > maxWorkers {
		return 0, fmt.Errorf("must be a number from 1 to %d, or auto for all cores", maxWorkers)
	}
	return n, nil
}

// budget is the number of samples that may fail.
type budget struct {
	count    int
	fraction float64 // of the samples
}

var noLimit = budget{fraction: 1}

// parseBudget reads N, or P% of the samples.
func parseBudget(s string) (budget, error) {
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		f, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(f >= 0 && f <= 100) {
			return noLimit, errors.New("must be a percentage from 0% to 100%")
		}
		return budget{fraction: f / 100}, nil
	}
	n, err := parseInt(s)
	if err != nil || n < 0 {
		return noLimit, errors.New("must be a number of failures like 10, or a share of the samples like 1%")
	}
	return budget{count: n}, nil
}
