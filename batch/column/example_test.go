package column_test

import (
	"fmt"

	"github.com/spoolmedia/spool/batch/column"
)

func Example() {
	b, err := column.NewBuilder(column.Field{Name: "width", Format: "i"}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"640", "", "480"} {
		if text == "" {
			b.Null()
		} else if err := b.Append([]byte(text)); err != nil {
			fmt.Println(err)
		}
	}
	c := b.Column()
	fmt.Println(c.Value(0), c.Value(1), c.Value(2), c.Nulls)
	// Output: 640 <nil> 480 1
}
