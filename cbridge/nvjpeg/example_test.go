package nvjpeg_test

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
)

// Loading fails on a machine without the library.
func Example() {
	l, err := nvjpeg.Load("/nowhere/libnvjpeg.so.12")
	if errors.Is(err, spool.ErrDevice) {
		fmt.Println("no nvJPEG")
		return
	}
	fmt.Println(l.Version())
	// Output: no nvJPEG
}
