package main

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench/codec"
	"github.com/spoolmedia/spool/bench/copies"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/internal/probed"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/pipe"
)

// sections are those of docs/command.md, by their headings.
func sections(t testing.TB) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/command.md")
	require.NoError(t, err)
	all := map[string]string{}
	for part := range strings.SplitSeq(string(page), "\n## ") {
		heading, body, _ := strings.Cut(part, "\n")
		all[heading] = body
	}
	return all
}

// leaves are the commands that do something.
func leaves(c *cobra.Command) (all []*cobra.Command) {
	if !c.HasSubCommands() {
		return []*cobra.Command{c}
	}
	for _, member := range c.Commands() {
		if member.Name() != "help" && member.Name() != "completion" {
			all = append(all, leaves(member)...)
		}
	}
	return all
}

// The page has a section for each command, which names each of its flags with the default, and no other.
func TestPageNamesAllFlags(t *testing.T) {
	page := sections(t)
	alike := regexp.MustCompile("Flags and keys are those of `([a-z ]+)`")
	word := regexp.MustCompile("--[a-z][a-z-]*")
	commands := leaves(rootCommand(nil))
	require.NotEmpty(t, commands)
	for _, c := range commands {
		section := page[c.CommandPath()]
		require.NotEmpty(t, section, "no section ## %s", c.CommandPath())
		if same := alike.FindStringSubmatch(section); same != nil {
			section = page["spool "+same[1]]
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			row := regexp.MustCompile("(?m)^\\|[^|]*`--" + f.Name + "[ `][^|]*\\|([^|]*)\\|").FindStringSubmatch(section)
			if row == nil {
				row = regexp.MustCompile("(?m)^\\|[^|]*`--" + f.Name + "[ `][^|]*\\|([^|]*)\\|").FindStringSubmatch(page["Pixels"] + page["Limits"] + page["Stores"] + page["Disk cache"])
				assert.True(t, strings.Contains(section, "`--"+f.Name+"`") || strings.Contains(section, "[--"+f.Name+"]"), "%s: no --%s", c.CommandPath(), f.Name)
			}
			if row == nil { // a flag without a default may stand in a sentence
				assert.Contains(t, []string{"", "false"}, f.DefValue, "%s: no row for --%s", c.CommandPath(), f.Name)
				return
			}
			if f.DefValue != "" {
				assert.Equal(t, f.DefValue, strings.TrimSpace(row[1]), "%s: the default of --%s", c.CommandPath(), f.Name)
			}
		})
		for _, name := range word.FindAllString(section, -1) {
			assert.NotNil(t, c.Flags().Lookup(name[2:]), "%s has no %s", c.CommandPath(), name)
		}
	}
}

// keysOf are the JSON keys of a struct and of the structs in it.
func keysOf(kind reflect.Type) (keys []string) {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct {
		return nil
	}
	for field := range kind.Fields() {
		if key, _, _ := strings.Cut(field.Tag.Get("json"), ","); key != "" && key != "-" {
			keys = append(append(keys, key), keysOf(field.Type)...)
		}
	}
	return keys
}

// The page on the JPEG engine names each reason for which it leaves a picture.
func TestPageNamesAllReasons(t *testing.T) {
	page, err := os.ReadFile("../../docs/jpeg.md")
	require.NoError(t, err)
	for reason := baseline.Decoded + 1; int(reason) < baseline.Reasons; reason++ {
		assert.Contains(t, string(page), "\n| `"+reason.String()+"` |")
	}
}

// The page names each key of each JSON object.
func TestPageNamesAllKeys(t *testing.T) {
	page := sections(t)
	for heading, object := range map[string][]any{
		"spool probe": {probed.File{}}, "spool run images": {tally.Tally{}, pipe.Failure{}}, "spool bench images": {benched{}, stagesBenched{}}, "spool bench codec": {codec.Result{}}, "spool bench transfer": {copies.Result{}}, "spool index": {indexed{}}, "spool cache ls": {kept{}, holds{}}, "spool decode video": {frameTimes{}}, "spool parity": {comparison{}, parityReport{}}, "spool doctor": {checkup.Checkup{}, checkup.Store{}},
	} {
		for _, o := range object {
			keys := keysOf(reflect.TypeOf(o))
			require.NotEmpty(t, keys)
			for _, key := range keys {
				assert.Contains(t, page[heading], "`"+key+"`", heading)
			}
		}
	}
	found, err := checkup.Examine(vips.Reads)
	require.NoError(t, err)
	for key := range found.Limits {
		assert.Contains(t, page["spool doctor"], "`"+key+"`")
	}
}
