package helper

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memory is bytes that this process and a helper map: the input of a task, then its output. Only the pages that were
// written take memory.
type memory struct {
	bytes []byte
	input int64 // bytes of the first part
}

// keptBytes is the memory that a helper keeps for the next task.
const keptBytes = 32 << 20

// newMemory makes the memory, and the file by which a helper maps it. The helper cannot change its size: the pages of a
// file that was cut would be missing here.
func newMemory(input, output int64) (m memory, file *os.File, err error) {
	fd, err := unix.MemfdCreate("spool-helper", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return memory{}, nil, fmt.Errorf("memory for a helper: %w", err)
	}
	file = os.NewFile(uintptr(fd), "memory of a helper")
	const fixed = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if err = unix.Ftruncate(fd, input+output); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, fixed)
	}
	if err == nil {
		m, err = mapMemory(fd, input, output)
	}
	if err != nil {
		_ = file.Close() // the first error says more
		return memory{}, nil, fmt.Errorf("memory for a helper: %w", err)
	}
	return m, file, nil
}

func mapMemory(fd int, input, output int64) (memory, error) {
	bytes, err := unix.Mmap(fd, 0, int(input+output), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_NORESERVE)
	return memory{bytes: bytes, input: input}, err
}

// trim gives memory back to the system if the helper has written more than it keeps.
func (m memory) trim(file *os.File) error {
	var status unix.Stat_t
	fd := int(file.Fd())
	if err := unix.Fstat(fd, &status); err != nil || status.Blocks*512 <= keptBytes {
		return err
	}
	return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, int64(len(m.bytes)))
}

func (m memory) inputs() []byte  { return m.bytes[:m.input:m.input] }
func (m memory) outputs() []byte { return m.bytes[m.input:] }

func (m memory) close() error { return unix.Munmap(m.bytes) }
