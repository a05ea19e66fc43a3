package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// changed lists the files that differ from a revision, including untracked and deleted files.
func changed(ctx context.Context, base string) (revision string, files []string, err error) {
	if base == "" {
		base = "HEAD"
		if fork, err := git(ctx, "merge-base", "HEAD", "@{upstream}"); err == nil {
			base = strings.TrimSpace(fork)
		}
	}
	differ, err := git(ctx, "diff", "--name-only", "--no-renames", "-z", base, "--")
	if err != nil {
		return "", nil, err
	}
	unknown, err := git(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return "", nil, err
	}
	files = strings.FieldsFunc(differ+unknown, func(r rune) bool { return r == 0 })
	slices.Sort(files)
	return base, slices.Compact(files), nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
