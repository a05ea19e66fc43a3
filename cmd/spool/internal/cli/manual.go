package cli

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/checkup"
)

//go:embed manual.tmpl
var manualText string

// manual is the template of a man page.
var manual = template.Must(template.New("manual").Funcs(template.FuncMap{
	"roff": roff, "page": pageName, "groups": grouped, "flags": flags,
	"children": children, "lines": lines,
}).Parse(manualText))

// manualCommand returns the command that writes the help texts of all commands, as man pages or as one page.
func manualCommand(commands []Command) Command {
	return Command{Use: "manual FOLDER", Short: "Write a man page for each command",
		Define: func(c *cobra.Command, args []string) { defineManual(c, args, commands) }}
}

func defineManual(c *cobra.Command, args []string, commands []Command) {
	markdown := false
	f := NewFlags(c, args)
	f.Boolean("markdown", &markdown, false, "write help.md instead, a page with all help texts")
	c.RunE = func(_ *cobra.Command, args []string) error {
		f.Arguments(args, 1, 1, "the folder to write to")
		if err := f.Problem(); err != nil {
			return err
		}
		root := Root(nil, commands...)
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		if markdown {
			return write(filepath.Join(args[0], "help.md"), helpTexts(root))
		}
		date, err := buildDate()
		if err != nil {
			return err
		}
		for _, command := range documented(root) {
			text, err := manPage(command, date)
			if err != nil {
				return err
			}
			if err := write(filepath.Join(args[0], pageName(command)+".1"), text); err != nil {
				return err
			}
		}
		return nil
	}
}

func write(path string, text []byte) error {
	to, err := output.Create(path)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return to.Finish(err)
}

// buildDate is today, or the day of SOURCE_DATE_EPOCH, for builds that are the same on every day.
func buildDate() (string, error) {
	now := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return "", Usagef("SOURCE_DATE_EPOCH=%s: not a number of seconds", epoch)
		}
		now = time.Unix(seconds, 0)
	}
	return now.UTC().Format(time.DateOnly), nil
}

// children returns the commands below a command that have a page.
func children(c *cobra.Command) (all []*cobra.Command) {
	for _, member := range c.Commands() {
		if member.IsAvailableCommand() && member.Name() != "help" && member.Name() != "completion" {
			all = append(all, member)
		}
	}
	return all
}

// documented returns a command and all commands below it that have a page.
func documented(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, child := range children(c) {
		all = append(all, documented(child)...)
	}
	return all
}

// manPage returns the man page of a command.
func manPage(c *cobra.Command, date string) ([]byte, error) {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	var page bytes.Buffer
	err := manual.Execute(&page, map[string]any{"Command": c, "Date": date, "Build": checkup.Commit()})
	return page.Bytes(), err
}

// helpTexts returns a page of the documentation with the help text of each command.
func helpTexts(root *cobra.Command) []byte {
	var page bytes.Buffer
	page.WriteString("# Help texts\n\nWhat `spool help COMMAND` prints. [The command](../command.md) explains more.\n")
	for _, c := range documented(root) {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		fmt.Fprintf(&page, "\n## %s\n\n```text\n%s\n\n%s```\n", c.CommandPath(), cmp.Or(c.Long, c.Short), c.UsageString())
	}
	return page.Bytes()
}

// pageName returns the name of a command's page, like spool-run-images.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// roff escapes text for man pages, which never begins a line there.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, `^`, `\(ha`, `~`, `\(ti`).Replace(text)
}

// flag is a flag as the help text shows it.
type flag struct{ Short, Long, Value, Usage string }

// lines returns the lines of a text without the indentation of examples.
func lines(text string) []string {
	return strings.Split(strings.ReplaceAll("\n"+text, "\n  ", "\n")[1:], "\n")
}

// flags returns the flags of a group.
func flags(g group) (all []flag) {
	g.Flags.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" {
			usage += " (default " + f.DefValue + ")"
		}
		all = append(all, flag{f.Shorthand, f.Name, value, usage})
	})
	return all
}
