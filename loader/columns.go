package loader

import (
	"github.com/spoolmedia/spool/batch/column"
	"github.com/spoolmedia/spool/record"
)

// Columns returns the fields of records that are columns, in the order of the schema: text, JSON, bytes, numbers, and
// columns of tables. Package column gives those of a batch. It returns nil for a loader of other samples.
func (l *Loader) Columns() (columns []column.Field) {
	if l.mediumSpec.record == nil {
		return nil
	}
	schema := l.mediumSpec.record.Schema()
	_, inputs := schema.Inputs()
	for i, f := range schema {
		switch k := f.Kind.(type) {
		case record.Text, record.JSON:
			columns = append(columns, column.Field{Name: f.Name, Format: "u"})
		case record.Bytes:
			columns = append(columns, column.Field{Name: f.Name, Format: "z"})
		case record.Number:
			columns = append(columns, column.NumberField(f.Name, k.Sample()))
		case record.Column:
			c := column.Field{Name: f.Name, Format: "u"}
			if typed, ok := l.source.(interface {
				Format(input int) (format, element string)
			}); ok {
				c.Format, c.Element = typed.Format(inputs[i])
			}
			columns = append(columns, c)
		}
	}
	return columns
}
