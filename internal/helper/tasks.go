package helper

// Tasks is what a helper process does for a medium of type M. D is the decoder whose memory all media share.
type Tasks[M comparable, D any] struct {
	Medium M
	// Start makes the handler, with the memory of a decoder. It does what needs files: afterwards the process opens none.
	Start func(D) (Handler, error)
}

// TasksHolder is embedded, under an unexported name, in a type that users see. [TasksOf] finds its tasks.
type TasksHolder[M comparable, D any] struct{ tasks Tasks[M, D] }

func (h *TasksHolder[M, D]) held() *Tasks[M, D] { return &h.tasks }

// TasksOf returns the tasks of a value that embeds a TasksHolder, to be read or set.
func TasksOf[M comparable, D any](t interface{ held() *Tasks[M, D] }) *Tasks[M, D] { return t.held() }
