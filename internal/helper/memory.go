package helper

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memory is bytes that this process and a helper map. It has an area for each task that a helper may have. Only the
// pages that were written take memory.
type memory struct {
	bytes []byte
	input int64 // bytes of an area's first part
	size  int64 // bytes of an area
}

// area is the memory of one task: its input, then its output.
type area struct {
	bytes  []byte
	input  int64
	offset int64 // in the file
}

// keptBytes is the memory that a helper keeps for the next task.
const keptBytes = 32 << 20

// newMemory makes the memory, and the file by which a helper maps it. The helper cannot change its size: the pages of a
// file that was cut would be missing here.
func newMemory(areas int, input, output int64) (m memory, file *os.File, err error) {
	fd, err := unix.MemfdCreate("spool-helper", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return memory{}, nil, fmt.Errorf("memory for a helper: %w", err)
	}
	file = os.NewFile(uintptr(fd), "memory of a helper")
	const fixed = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if err = unix.Ftruncate(fd, int64(areas)*(input+output)); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, fixed)
	}
	if err == nil {
		m, err = mapMemory(fd, areas, input, output)
	}
	if err != nil {
		_ = file.Close() // the first error says more
		return memory{}, nil, fmt.Errorf("memory for a helper: %w", err)
	}
	return m, file, nil
}

func mapMemory(fd, areas int, input, output int64) (memory, error) {
	bytes, err := unix.Mmap(fd, 0, areas*int(input+output), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_NORESERVE)
	return memory{bytes: bytes, input: input, size: input + output}, err
}

// area returns the i-th area.
func (m memory) area(i int) area {
	offset := int64(i) * m.size
	return area{bytes: m.bytes[offset : offset+m.size : offset+m.size], input: m.input, offset: offset}
}

func (m memory) close() error { return unix.Munmap(m.bytes) }

func (a area) inputs() []byte  { return a.bytes[:a.input:a.input] }
func (a area) outputs() []byte { return a.bytes[a.input:] }

// trim gives the memory of an area back to the system if the tasks of the helper have written more than it keeps. If
// that fails, the memory stays in use until the next task.
func (a area) trim(file *os.File) {
	var status unix.Stat_t
	fd := int(file.Fd())
	if err := unix.Fstat(fd, &status); err == nil && status.Blocks*512 > keptBytes {
		_ = unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, a.offset, int64(len(a.bytes)))
	}
}
