package bench

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// processors matches the suffix that go test adds to a benchmark's name if GOMAXPROCS is not 1.
var processors = regexp.MustCompile(`-\d+$`)

// ReadGo reads the output of `go test -bench` (https://go.dev/design/14313-benchmark-format) for a package. It returns
// the median of each unit of each benchmark, by the benchmark's name without "Benchmark" and the number of processors.
func ReadGo(r io.Reader, pkg string) (map[string]map[string]float64, error) {
	values := map[string]map[string][]float64{}
	current := ""
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 2 && fields[0] == "pkg:" {
			current = fields[1]
		}
		if current != pkg || len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := processors.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		if values[name] == nil {
			values[name] = map[string][]float64{}
		}
		for i := 2; i < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", fields[0], err)
			}
			values[name][fields[i+1]] = append(values[name][fields[i+1]], v)
		}
	}
	medians := map[string]map[string]float64{}
	for name, units := range values {
		medians[name] = map[string]float64{}
		for unit, v := range units {
			medians[name][unit] = Median(v)
		}
	}
	return medians, lines.Err()
}
