package clitest

import "strings"

// Digests returns the lines of --digest.
func Digests(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) == 3 && len(fields[2]) == 64 {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
