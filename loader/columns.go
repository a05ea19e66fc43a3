package loader

import "github.com/spoolmedia/spool/batch/column"

// Columns returns the fields of records that are columns, in the order of the schema: text, JSON, bytes, numbers, and
// columns of tables. Package column gives those of a batch. It returns nil for a loader of other samples.
func (l *Loader) Columns() []column.Field {
	if l.mediumSpec.record == nil {
		return nil
	}
	var format func(input int) (format, element string)
	if typed, ok := l.source.(interface {
		Format(input int) (format, element string)
	}); ok {
		format = typed.Format
	}
	return l.mediumSpec.record.Columns(format)
}
