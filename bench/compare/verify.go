package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
)

// verify holds what spool makes of the files to what torchvision and torchcodec make of them. It gives the number of files,
// and what they have.
func (s *settings) verify(ctx context.Context, t task) (n int, what string, err error) {
	switch t.kind {
	case video:
		return len(t.set.Files), "torchcodec's frames", s.agree(ctx, t, 0)
	case audio:
		return len(t.set.Files), "torchcodec's sound", s.agree(ctx, t, 3e-3)
	}
	n, err = s.pixels(ctx, t.set.Files)
	return n, "torchvision's pixels", err
}

// agree has reference.py run spool's decode on the files, and compare. worst is the most that may lie between: of video the
// largest difference of a sample in frames of their own size, of sound the root mean square at 16 kHz.
func (s *settings) agree(ctx context.Context, t task, worst float64) error {
	var found struct {
		Worst float64 `json:"worst"`
		File  string  `json:"file"`
	}
	args := append([]string{s.reference, "agree", "--kind", t.kind, "--spool", s.spool}, t.set.Files...)
	if err := outputJSON(ctx, &found, s.python, args...); err != nil {
		return err
	}
	if found.Worst > worst {
		return fmt.Errorf("%s is %v from torchcodec's, %v is allowed", found.File, found.Worst, worst)
	}
	return nil
}

// pixels holds what spool loads to torchvision's pixels, batch by batch, and gives the number of pictures.
func (s *settings) pixels(ctx context.Context, files []string) (int, error) {
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
