package live

import (
	"slices"
	"sync"

	"github.com/spoolmedia/spool/pipe"
)

// shown is the number of failures on the page.
const shown = 12

// Recent is the last failures of a loader, one for each file. It is safe for concurrent use.
type Recent struct {
	mu   sync.Mutex
	list []pipe.Failure // the newest one last
}

// Add adds a failure.
func (r *Recent) Add(f pipe.Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(old pipe.Failure) bool { return old.File == f.File })
	if len(r.list) == shown {
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, f)
}

// List returns the failures, the newest one first.
func (r *Recent) List() []pipe.Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.list)
	slices.Reverse(list)
	return list
}
