package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cbridge/vips"
)

func doctorCommand(args []string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "doctor", Short: "Say what was found, what limits, and what is missing"}
	f := newFlags(c, args)
	f.boolean("json", &asJSON, false, "print one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 0, 0, "")
		if err := f.err(); err != nil {
			return err
		}
		found, err := examine(vips.Reads)
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(c.OutOrStdout(), found)
		}
		return found.print(c.OutOrStdout())
	}
	return c
}

// print writes the findings in one piece.
func (c checkup) print(w io.Writer) error {
	var out bytes.Buffer
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "spool\t%s\nGo\t%s %s\n", c.Spool, c.Go, c.Platform)
	for _, name := range sorted(c.Versions) {
		fmt.Fprintf(t, "%s\t%s (%s)\n", name, c.Versions[name], c.Packages[name])
	}
	fmt.Fprintf(t, "kernels\t%s\nJPEG kernels\t%s\n", c.SIMD, c.JPEGSIMD)
	can, cannot := split(c.Formats)
	fmt.Fprintf(t, "decodes\t%s\n", can)
	if cannot != "" {
		fmt.Fprintf(t, "does not decode\t%s\n", cannot)
	}
	can, _ = split(c.Loaders)
	fmt.Fprintf(t, "with --allow\t%s\n", can)
	for _, name := range sorted(c.Limits) {
		fmt.Fprintf(t, "%s\t%s\n", strings.ReplaceAll(name, "_", " "), amount(name, c.Limits[name]))
	}
	c.Devices.rows(t)
	for _, m := range c.Missing {
		fmt.Fprintf(t, "missing\t%s, for %s: apt-get install %s\n", m.What, m.For, m.Package)
	}
	if len(c.Missing) == 0 {
		fmt.Fprintf(t, "missing\tnothing\n")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// split names what is there and what is not.
func split(found map[string]bool) (can, cannot string) {
	for _, name := range sorted(found) {
		if found[name] {
			can += " " + name
		} else {
			cannot += " " + name
		}
	}
	return strings.TrimSpace(can), strings.TrimSpace(cannot)
}

// amount is a limit as a person reads it.
func amount(name string, n int64) string {
	switch {
	case n < 0:
		return "no limit"
	case strings.HasSuffix(name, "_bytes"):
		return fmt.Sprintf("%d (%d MiB)", n, n>>20)
	}
	return fmt.Sprint(n)
}
