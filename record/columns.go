package record

import "github.com/spoolmedia/spool/batch/column"

// Columns returns the fields that are columns, in the order of the schema: text, JSON, bytes, numbers, and columns of
// tables. Package column gives those of a batch. format returns the type of a table's column by the position of its
// input, and the type of the elements of lists, in the form of Arrow's C data interface. If it is nil, columns of
// tables are text.
func (p *Plan) Columns(format func(input int) (format, element string)) (columns []column.Field) {
	for i := range p.fields {
		f := &p.fields[i]
		switch k := f.Kind.(type) {
		case Text, JSON:
			columns = append(columns, column.Field{Name: f.Name, Format: "u"})
		case Bytes:
			columns = append(columns, column.Field{Name: f.Name, Format: "z"})
		case Number:
			columns = append(columns, column.NumberField(f.Name, k.Sample()))
		case Column:
			c := column.Field{Name: f.Name, Format: "u"}
			if format != nil {
				c.Format, c.Element = format(f.input)
			}
			columns = append(columns, c)
		}
	}
	return columns
}
