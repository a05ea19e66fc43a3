package cuda

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
)

// ParseName returns N of a device's name, "cuda:N"; "cuda" is "cuda:0". It does not check that the device exists. The
// error is spool.ErrOptions.
func ParseName(name string) (n int, err error) {
	if name == "cuda" {
		return 0, nil
	}
	number, ok := strings.CutPrefix(name, "cuda:")
	parsed, err := strconv.ParseUint(number, 10, 31)
	if !ok || err != nil {
		return 0, fmt.Errorf("%w: device %q: must be cuda:N, with the number of a device", spool.ErrOptions, name)
	}
	return int(parsed), nil
}

// Name returns the name of device n, "cuda:0".
func Name(n int) string { return "cuda:" + strconv.Itoa(n) }
