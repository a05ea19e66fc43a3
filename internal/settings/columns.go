package settings

import (
	"strings"

	"github.com/spoolmedia/spool/source"
)

// Columns are those of tables that a call names.
type Columns struct {
	label  string
	ignore []string
}

// Columns defines their settings.
func (s *Set) Columns(c *Columns) {
	s.Text("label", &c.label, "COLUMN", "the column of tables that holds the labels; without it the first there is of label, target, cls, class, class_name and category")
	s.Add("ignore-columns", "NAME,...", "", "columns of tables, and extensions of members of tar files, that are not to be used, and of which nothing is said; * is all that would not be used", func(text string) error {
		c.ignore = strings.Split(text, ",")
		return nil
	})
}

// Set sets them for a listing.
func (c *Columns) Set(o *source.Options) { o.Label, o.Ignore = c.label, c.ignore }

// Notices are what a source says, a line each, of what it holds that is not loaded.
func Notices(src source.Source) []string {
	if s, ok := src.(interface{ Notices() []string }); ok {
		return s.Notices()
	}
	return nil
}
