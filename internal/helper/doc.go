// Package helper runs work on untrusted bytes in other processes, the helpers. A helper does one task at a time, and
// has no rights: see fence. Whatever a file does to a helper, this process sees an error, of class spool.ErrCrashed or
// spool.ErrTimeout, and starts another helper for the next task.
//
//	this process                                 a helper
//	Pool.Do: copies the input  ----------------> memory that both map: an input, then an output
//	         task          ---- socket ------->  Serve: calls the Handler
//	         Task.Answer  <---- question ------  Call.Ask
//	         answer        ------------------->
//	         Task.Use     <---- reply ---------  the Handler has returned
//	         copies the output
//
// A helper gets its next task while it does one, so it need not wait for this process between them. Tasks have turns
// (turn.go), in the order in which they were sent. If a helper dies, the task whose turn it is has failed, and another
// helper does the one behind it.
//
// The socket has JSON messages (message.go), the memory has bytes (memory.go). A Pool (pool.go) has several processes
// (worker.go, process.go), which it starts when they are needed. The package knows nothing of media: setup, tasks,
// questions and replies are what the two ends agree on.
//
// What a helper sends is not trusted. Messages are bounded and decoded as JSON, never as pointers or lengths of memory.
// The memory cannot shrink under this process. Callers check a reply before they use it.
package helper
