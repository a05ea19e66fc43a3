package helper

// worker is what a Pool knows of a process. process and err are set before ready is closed. The others are under the
// pool's lock.
type worker struct {
	ready   chan struct{} // closed when the start has ended
	process *process
	err     error  // of the start
	session uint64 // of the task that was assigned last; 0 for none
	tasks   int
	areas   []bool // those that tasks use
}

// starting reports whether the process is not ready yet.
func (w *worker) starting() bool {
	select {
	case <-w.ready:
		return false
	default:
		return true
	}
}

// dead reports whether the process has ended, is about to, or could not be started.
func (w *worker) dead() bool { return !w.starting() && (w.process == nil || w.process.dead()) }

// load orders the processes for a further task: by their tasks, and of those with as many, one that starts is the last.
func (w *worker) load() int {
	if w.starting() {
		return 2*w.tasks + 1
	}
	return 2 * w.tasks
}

// end frees what belongs to the process, and waits for it.
func (w *worker) end() {
	if w.process != nil {
		w.process.end()
	}
}
