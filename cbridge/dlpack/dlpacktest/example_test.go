package dlpacktest_test

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/dlpack"
	"github.com/spoolmedia/spool/cbridge/dlpack/dlpacktest"
)

func Example() {
	a := dlpack.Array{Desc: spool.Desc{Shape: spool.Shape{3}}, Bytes: []byte{1, 2, 3}, Device: dlpack.CPU}
	tensor, err := dlpack.New(a, dlpack.Options{Versioned: true, ReadOnly: true}, func() {})
	if err != nil {
		fmt.Println(err)
		return
	}
	taken := dlpacktest.Take(tensor, true)
	fmt.Println(taken.Major, taken.Flags, taken.Bytes())
	taken.Delete()
	// Output: 1 1 [1 2 3]
}
