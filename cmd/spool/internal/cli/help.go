package cli

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpText has the description and the examples of each command: a line in brackets with its name, paragraphs, and
// indented lines.
//
//go:embed help.txt
var helpText string

// describe sets the descriptions and examples of a command and all commands below it.
func describe(root *cobra.Command) {
	for section := range strings.SplitSeq("\n"+strings.TrimSpace(helpText), "\n[") {
		name, text, _ := strings.Cut(section, "]\n")
		if name == "" {
			continue
		}
		c := root
		if name != root.Name() {
			c, _, _ = root.Find(strings.Fields(name)) // or the command above it
			if c.CommandPath() != root.Name()+" "+name {
				continue // the call needs some of the commands only
			}
		}
		text, examples, _ := strings.Cut(strings.TrimSpace(text), "\n\n    ")
		c.Long = text
		if examples != "" {
			c.Example = "  " + strings.ReplaceAll(examples, "\n    ", "\n  ")
		}
	}
}

// groups are the headings of flags in help texts, and the flags under each.
var groups = []struct {
	title string
	flags []string
}{
	{"Size", []string{"size", "mode", "resize-shorter", "max-size", "crop", "crops", "filter", "profile", "pad-color"}},
	{"Pixels", []string{"color", "alpha", "dtype", "mean", "std", "layout", "orient", "icc", "planes", "chroma", "filters",
		"filter-files", "fill", "convert", "repack", "restart-rows", "masks"}},
	{"Frames", []string{"frame", "frames", "sample", "times", "range", "start", "end", "stride", "random", "windows",
		"pts-out", "video-codec", "gop", "crf"}},
	{"Audio", []string{"rate", "channels", "duration", "quality", "audio-codec", "audio-bitrate"}},
	{"Training", []string{"train", "random-scale", "random-ratio", "random-crop", "flip-x", "flip-y", "augment"}},
	{"Records", []string{"field", "schema", "images", "views", "columns", "delta", "episodes", "cameras", "record",
		"members", "values"}},
	{"Batches", []string{"batch", "last", "form", "form-multiple", "form-fill", "form-memory", "buckets", "bucket-field",
		"bucket-lengths", "budget-pixels", "budget-tokens", "budget-frames", "budget-samples", "budget-ragged", "patch",
		"patch-merge", "patch-frames"}},
	{"Order", []string{"epochs", "shuffle", "seed", "cluster", "order", "limit", "per-shard", "shard-bytes", "sampler",
		"split", "unique", "only-shards", "shuffle-window", "weights", "draws", "lengths", "length-buckets",
		"repeats", "mix", "rank", "world", "rest", "state-out", "state-every", "resume"}},
	{"Sources", []string{"files", "kind", "label", "labels", "ignore-columns", "where", "streaming", "index-dir", "probe",
		"refresh"}},
	{"Batches and machines", []string{"receipt", "cores", "latency", "stage-workers"}},
	{"Bad files", []string{"on-error", "max-failures", "deadline", "attempts", "watch", "ledger", "on-damage",
		"accept", "exclude"}},
	{"Speed", []string{"workers", "cpu-share", "prefetch", "cache", "device", "decode-on", "normalize-on", "headspace",
		"repeat", "stages", "bytes", "batches"}},
	{"Disk cache", []string{"disk-cache", "disk-cache-bytes", "disk-cache-of", "prefix", "unused-for", "all"}},
	{"Decoders", []string{"medium", "stream", "language", "bsf", "codec", "codec-option", "threads", "hwaccel", "jpeg",
		"nvjpeg", "allow", "isolate"}},
	{"Stores", []string{"endpoint-url", "region", "no-sign-request", "max-concurrent-requests"}},
	{"Limits", []string{"max-pixels", "max-bytes", "max-frames", "max-memory", "max-cpu"}},
	{"Comparison", []string{"against", "python", "strict"}},
	{"Output", []string{"out", "format", "format-option",
		"checksum", "save-first", "report", "metrics", "serve", "trace", "trace-seconds", "costs", "receipts",
		"receipt-digests", "digest", "explain",
		"plot", "json", "licenses", "markdown"}},
	{"Help", []string{"help", "version"}},
}

// group is flags under a heading.
type group struct {
	Title string
	Flags *pflag.FlagSet
}

// grouped returns the flags of a command by group, in the order of the groups. Flags without a group come last.
func grouped(c *cobra.Command) (all []group) {
	rest := map[string]bool{}
	c.Flags().VisitAll(func(f *pflag.Flag) { rest[f.Name] = true })
	add := func(title string, names []string) {
		flags := pflag.NewFlagSet(title, pflag.ContinueOnError)
		flags.SortFlags = false
		for _, name := range names {
			if f := c.Flags().Lookup(name); f != nil {
				flags.AddFlag(f)
				delete(rest, name)
			}
		}
		if flags.HasFlags() {
			all = append(all, group{title, flags})
		}
	}
	for _, g := range groups {
		add(g.title, g.flags)
	}
	add("Other", slices.Sorted(maps.Keys(rest)))
	return all
}

// usageWidth is the width of help texts, in columns.
const usageWidth = 100

// printUsage prints how a command is called, as help texts and cobra's UsageString have it.
func printUsage(c *cobra.Command) error {
	var text strings.Builder
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(&text, "Usage:\n  %s\n", line)
	if c.HasExample() {
		fmt.Fprintf(&text, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		text.WriteString("\nCommands:\n")
		for _, member := range c.Commands() {
			if member.IsAvailableCommand() || member.Name() == "help" {
				fmt.Fprintf(&text, "  %-*s %s\n", c.NamePadding(), member.Name(), member.Short)
			}
		}
	}
	for _, g := range grouped(c) {
		fmt.Fprintf(&text, "\n%s:\n", g.Title)
		for line := range strings.Lines(g.Flags.FlagUsagesWrapped(usageWidth)) {
			text.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&text, "\nUse \"%s COMMAND --help\" for more about a command.\n", c.CommandPath())
	}
	_, err := fmt.Fprint(c.OutOrStderr(), text.String())
	return err
}
