package inject

import (
	"fmt"
	"os"
	"strings"
)

// mappings are the executable parts of the memory of processes, which are read when a call comes from an unknown one.
type mappings struct{ known map[int][]mapping }

type mapping struct {
	begin, end uint64
	origin     Origin
}

// forget drops what is known of a thread, which runs another program from now on.
func (m *mappings) forget(thread int) { delete(m.known, thread) }

// origin returns which code has an address.
func (m *mappings) origin(thread int, address uint64) Origin {
	for range 2 {
		for _, x := range m.known[thread] {
			if x.begin <= address && address < x.end {
				return x.origin
			}
		}
		m.known[thread] = read(thread) // a library may be new
	}
	return Library
}

// read returns the executable mappings of a thread.
func read(thread int) (all []mapping) {
	program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", thread)) // none: all is library
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", thread))
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, " r-xp ") {
			continue
		}
		var x mapping
		var rights, offset, device, inode, file string
		_, _ = fmt.Sscanf(line, "%x-%x %s %s %s %s %s", &x.begin, &x.end, &rights, &offset, &device, &inode, &file)
		switch {
		case file == program:
			x.origin = Program
		case strings.Contains(file, "/ld-linux"):
			x.origin = Linker
		}
		all = append(all, x)
	}
	return all
}
