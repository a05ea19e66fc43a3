package device_test

import (
	"fmt"

	"github.com/spoolmedia/spool/decode/device"
)

// Why an image of a batch is decoded by the host.
func ExampleHostReason() {
	fmt.Println(device.OnDevice, device.HostProgressive, device.HostTruncated)
	// Output: device progressive truncated
}
