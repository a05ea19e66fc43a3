package transfer_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/transfer"
)

// The system records the preferred node of the memory.
func TestMemoryPrefersANode(t *testing.T) {
	memory, err := spool.Mmap{}.Alloc(1 << 16)
	require.NoError(t, err)
	defer func() { require.NoError(t, spool.Mmap{}.Free(memory)) }()
	policy := func() (mode int32, nodes uint64, errno unix.Errno) {
		const ofAddress = 2 // MPOL_F_ADDR of linux/mempolicy.h
		_, _, errno = unix.Syscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&mode)), uintptr(unsafe.Pointer(&nodes)),
			65, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), ofAddress, 0)
		return mode, nodes, errno
	}
	for _, nowhere := range []int{-1, 64} {
		transfer.Prefer(memory, nowhere)
		mode, _, errno := policy()
		if errno != 0 {
			need.Skip(t, need.System, "the system does not tell: %v", errno)
		}
		assert.Zero(t, mode)
	}
	transfer.Prefer(memory, 0)
	mode, nodes, errno := policy()
	require.Zero(t, errno)
	assert.EqualValues(t, 1, mode, "preferred")
	assert.EqualValues(t, 1, nodes)
}
