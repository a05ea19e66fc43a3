package device_test

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/floor/device"
)

func ExampleLoad() {
	_, err := device.Load("/dev/null")
	fmt.Println(errors.Is(err, spool.ErrDevice))
	// Output: true
}
