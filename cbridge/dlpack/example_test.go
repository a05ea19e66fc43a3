package dlpack_test

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/dlpack"
	"github.com/spoolmedia/spool/cbridge/dlpack/dlpacktest"
)

func Example() {
	memory := []byte{1, 2, 3, 4, 5, 6}
	desc := spool.Desc{Shape: spool.Shape{2, 3}}
	tensor, err := dlpack.New(dlpack.Array{Desc: desc, Bytes: memory, Device: dlpack.CPU}, dlpack.Options{},
		func() { fmt.Println("released") })
	if err != nil {
		fmt.Println(err)
		return
	}
	taken := dlpacktest.Take(tensor, false)
	fmt.Println(taken.Shape, taken.Strides, taken.Bytes())
	taken.Delete()
	// Output:
	// [2 3] [3 1] [1 2 3 4 5 6]
	// released
}
