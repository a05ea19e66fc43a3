package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/object"
)

func doctorCommand() cli.Command {
	return cli.Command{Use: "doctor [URL]",
		Short: "Report what is installed, what is missing, and the limits; or test a remote store", Define: defineDoctor}
}

func defineDoctor(c *cobra.Command, args []string) {
	var (
		asJSON, licenses bool
		with             object.Options
	)
	f := cli.NewFlags(c, args)
	f.Boolean("json", &asJSON, false, "print one JSON object")
	f.Boolean("licenses", &licenses, false, "print the licences of spool, of its C libraries and of its Go modules")
	f.Stores(&with)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 0, 1, "")
		if len(args) > 0 && !strings.Contains(args[0], "://") {
			f.Refuse("%s is not a URL like s3://bucket/prefix or https://host/path", args[0])
		}
		if err := f.Problem(); err != nil {
			return err
		}
		if len(args) > 0 {
			found, err := checkup.ExamineStore(c.Context(), args[0], with)
			found.Advice = settings.AllAs(found.Advice, settings.AsFlags)
			if asJSON {
				return cmp.Or(output.JSON(c.OutOrStdout(), found), err)
			}
			return cmp.Or(printStore(c.OutOrStdout(), found), err)
		}
		if licenses {
			return printLicenses(c.OutOrStdout(), checkup.Licenses(), asJSON)
		}
		found, err := checkup.Examine(vips.Reads, "")
		if err != nil {
			return err
		}
		if asJSON {
			return output.JSON(c.OutOrStdout(), found)
		}
		return printCheckup(c.OutOrStdout(), found)
	}
}

// printLicenses prints a line for each part of the program, or a JSON array.
func printLicenses(w io.Writer, found []checkup.License, asJSON bool) error {
	if asJSON {
		return output.JSON(w, found)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range found {
		fmt.Fprintf(t, "%s\t%s\t%s\n", l.Name, l.Version, l.License)
	}
	return t.Flush()
}

// printStore prints the findings about a store in one write.
func printStore(w io.Writer, s checkup.Store) error {
	var out bytes.Buffer
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "URL\t%s\nasked at\t%s\n", output.Printable(s.URL), s.Endpoint)
	if s.Region != "" {
		fmt.Fprintf(t, "region\t%s\n", output.Printable(s.Region))
	}
	fmt.Fprintf(t, "credentials\t%s\n", s.Credentials)
	for _, step := range s.Steps {
		what := step.Text
		if step.Error != "" {
			what = "failed: " + output.OneLine(step.Error)
		}
		fmt.Fprintf(t, "%s\t%.1f ms  %s\n", step.Name, step.MS, what)
	}
	if l := s.Latency; l != nil {
		fmt.Fprintf(t, "latency\t%.1f ms (p50), %.1f ms (p95) of %d small reads\n", l.P50MS, l.P95MS, l.Requests)
	}
	for _, b := range s.Bandwidth {
		fmt.Fprintf(t, "%d at a time\t%.1f MB/s, %.0f requests/s\n", b.InFlight, b.Bytes/1e6, b.Requests)
	}
	for _, line := range s.Advice {
		fmt.Fprintf(t, "advice\t%s\n", line)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// printCheckup prints the findings in one write.
func printCheckup(w io.Writer, c checkup.Checkup) error {
	var out bytes.Buffer
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "spool\t%s\nGo\t%s %s\n", c.Spool, c.Go, c.Platform)
	for _, name := range slices.Sorted(maps.Keys(c.Versions)) {
		fmt.Fprintf(t, "%s\t%s (%s)\n", name, c.Versions[name], cmp.Or(c.Packages[name], "inside"))
	}
	fmt.Fprintf(t, "kernels\t%s\nJPEG kernels\t%s\n", c.SIMD, c.JPEGSIMD)
	can, cannot := split(c.Formats)
	fmt.Fprintf(t, "decodes\t%s\n", can)
	if cannot != "" {
		fmt.Fprintf(t, "does not decode\t%s\n", cannot)
	}
	fmt.Fprintf(t, "filters\t%d of FFmpeg's\n", len(c.Filters))
	can, _ = split(c.Loaders)
	fmt.Fprintf(t, "with --allow\t%s\n", can)
	can, cannot = split(c.Encodes)
	fmt.Fprintf(t, "encodes\t%s\n", can)
	if cannot != "" {
		fmt.Fprintf(t, "does not encode\t%s\n", cannot)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Limits)) {
		fmt.Fprintf(t, "%s\t%s\n", strings.ReplaceAll(name, "_", " "), amount(name, c.Limits[name]))
	}
	fmt.Fprintf(t, "isolation\t%s\n", output.OneLine(c.Isolation))
	deviceRows(t, c.Devices)
	decoderRow(t, "nvJPEG", c.Decoders.NvJPEG)
	decoderRow(t, "NVDEC", c.Decoders.NVDEC)
	for _, m := range c.Missing {
		how := "this build has its libraries inside"
		if m.Package != "" {
			how = "apt-get install " + m.Package
		}
		fmt.Fprintf(t, "missing\t%s, for %s: %s\n", m.What, m.For, how)
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

// split lists the names that are true, and the others.
func split(found map[string]bool) (can, cannot string) {
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if found[name] {
			can += " " + name
		} else {
			cannot += " " + name
		}
	}
	return strings.TrimSpace(can), strings.TrimSpace(cannot)
}

// amount formats a limit for people.
func amount(name string, n int64) string {
	switch {
	case n < 0:
		return "no limit"
	case strings.HasSuffix(name, "_bytes"):
		return fmt.Sprintf("%d (%d MiB)", n, n>>20)
	}
	return fmt.Sprint(n)
}

// deviceRows prints a line per device.
func deviceRows(w io.Writer, d checkup.Devices) {
	if d.Why != "" {
		fmt.Fprintf(w, "devices\tnone: %s\n", output.OneLine(d.Why))
		return
	}
	for _, one := range d.List {
		fmt.Fprintf(w, "%s\t%s, %s, compute capability %s, driver for CUDA %s\n", one.Name, one.Model,
			amount("memory_bytes", one.MemoryBytes), one.Capability, d.CUDA)
	}
}

// decoderRow prints a line about a decoder on devices.
func decoderRow(w io.Writer, name string, d checkup.DeviceDecoder) {
	switch {
	case d.Why != "":
		fmt.Fprintf(w, "%s\tnone: %s\n", name, output.OneLine(d.Why))
	case d.Version != "":
		fmt.Fprintf(w, "%s\t%s\n", name, d.Version)
	default:
		fmt.Fprintf(w, "%s\tfound\n", name)
	}
}
