package table_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

func Example() {
	file := spool.Bytes{Data: []byte("path,label\na.jpg,cat\nb.jpg,dog\n")}
	columns := table.Columns{Path: []string{"file", "path"}, Label: []string{"label"}}
	rows, err := table.Open(context.Background(), ".csv", func(context.Context) (spool.Object, error) { return file, nil },
		columns)
	if err != nil {
		fmt.Println(err)
		return
	}
	for k := range rows.Len() {
		row, err := rows.Row(k)
		fmt.Println(row.Path, row.Label, err)
	}
	// Output:
	// a.jpg cat <nil>
	// b.jpg dog <nil>
}
