package predicate_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/predicate"
	"github.com/spoolmedia/spool/source/table"
)

func Example() {
	file := spool.Bytes{Data: []byte("path,width,lang\na.jpg,300,en\nb.jpg,200,en\nc.jpg,400,\n")}
	ctx := context.Background()
	rows, err := table.Open(ctx, ".csv", func(context.Context) (spool.Object, error) { return file, nil },
		table.Columns{Cells: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"width >= 256 and lang == 'en'", "lang == nil", "widht > 3"} {
		p, err := predicate.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		filter, err := p.Bind(ctx, rows.(table.Cells))
		if err != nil {
			fmt.Println(err)
			continue
		}
		kept, err := filter.Rows(ctx)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(slices.Collect(kept.All()))
	}
	// Output:
	// [0]
	// [2]
	// no column is called widht; there are path, width, lang; did you mean width?
}
