package cuda_test

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// Loading fails on a machine without a driver.
func Example() {
	d, err := cuda.Load("/nowhere/libcuda.so.1")
	if errors.Is(err, spool.ErrDevice) {
		fmt.Println("no driver")
		return
	}
	fmt.Println(d.Version(), d.Devices())
	// Output: no driver
}
