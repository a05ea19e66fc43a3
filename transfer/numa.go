package transfer

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nodeOf returns the NUMA node of a PCI device; below 0 if the system does not report it, or has only one.
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

// prefer asks the system to allocate memory from a node as long as the node has some. It is best effort: the call fails
// on machines without nodes, and in containers that may not choose.
func prefer(memory []byte, node int) {
	const preferred, bits = 1, 64 // MPOL_PREFERRED of linux/mempolicy.h; nodes in the mask
	if node < 0 || node >= bits {
		return
	}
	mask := uint64(1) << node
	_, _, _ = unix.Syscall6(unix.SYS_MBIND, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(len(memory)),
		preferred, uintptr(unsafe.Pointer(&mask)), bits+1, 0)
}
