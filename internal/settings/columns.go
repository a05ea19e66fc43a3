package settings

import (
	"strings"

	"github.com/spoolmedia/spool/source"
)

// Columns are the columns of tables that a call names.
type Columns struct {
	label  string
	ignore []string
}

// Columns defines the settings of c.
func (s *Set) Columns(c *Columns) {
	s.Text("label", &c.label, "COLUMN",
		"the column of tables that holds the labels; by default the first of label, target, cls, class, class_name and "+
			"category that exists")
	s.Add("ignore-columns", "NAME,...", "",
		"columns of tables, and extensions of tar members, that are left unused without a message; * stands for all unused "+
			"ones", func(text string) error {
			c.ignore = strings.Split(text, ",")
			return nil
		})
}

// Set copies the columns to the options of a listing.
func (c *Columns) Set(o *source.Options) { o.Label, o.Ignore = c.label, c.ignore }

// Notices returns what a source reports about content that is not loaded, one line each.
func Notices(src source.Source) []string {
	if s, ok := src.(interface{ Notices() []string }); ok {
		return s.Notices()
	}
	return nil
}
