package transfer

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nodeOf is the memory node that a PCI device hangs on; below 0 where the system does not say, or has only one.
func nodeOf(bus string) int {
	text, err := os.ReadFile(filepath.Join("/sys/bus/pci/devices", bus, "numa_node"))
	if err != nil {
		return -1
	}
	node, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return -1
	}
	return node
}

// prefer has the system take memory from a node as long as that has some. It is a wish: nothing depends on it, and
// machines refuse it that have no nodes, or containers that may not choose.
func prefer(memory []byte, node int) {
	const preferred, bits = 1, 64 // MPOL_PREFERRED of linux/mempolicy.h; nodes in the mask
	if node < 0 || node >= bits {
		return
	}
	mask := uint64(1) << node
	_, _, _ = unix.Syscall6(unix.SYS_MBIND, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(len(memory)),
		preferred, uintptr(unsafe.Pointer(&mask)), bits+1, 0)
}
