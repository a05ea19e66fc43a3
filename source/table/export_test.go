package table

// SplitRows splits a table of comma-separated fields without treating it as a manifest.
func SplitRows(text []byte) (rows [][]string) {
	s := &separated{comma: ',', quotes: true}
	for at := 0; ; {
		if at += blank(text[at:]); at == len(text) {
			return rows
		}
		end := at + s.end(text[at:])
		fields, err := s.fields(text[at:end])
		if err != nil {
			fields = []string{err.Error()}
		}
		rows = append(rows, fields)
		at = end
	}
}
