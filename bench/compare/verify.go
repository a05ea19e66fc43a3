package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
)

// verify holds what spool loads to torchvision's pixels, batch by batch, and gives the number of pictures.
func (s *settings) verify(ctx context.Context, files []string) (int, error) {
	shape := []string{"--batch", strconv.Itoa(s.batch), "--size", strconv.Itoa(s.size)}
	want, err := output(ctx, s.python, append(append([]string{s.reference, "batches"}, shape...), files...)...)
	if err != nil {
		return 0, err
	}
	got, err := output(ctx, s.spool, append(append([]string{"run", "images", "--json", "--digest", "--workers", strconv.Itoa(s.workers)}, shape...), files...)...)
	if err != nil {
		return 0, err
	}
	wanted, lines := bytes.Split(bytes.TrimSpace(want), []byte("\n")), bytes.Split(got, []byte("\n"))
	for i, line := range wanted {
		if i >= len(lines) || !bytes.Equal(line, lines[i]) {
			return 0, fmt.Errorf("batch %d does not have torchvision's pixels; make test-peers says which pictures", i)
		}
	}
	return len(files), nil
}
