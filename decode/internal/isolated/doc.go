// Package isolated decodes objects in helper processes: what the decoders of video and audio share.
//
// A Session is an object in this process. Its tasks may go to any helper. A helper keeps the object of its last task
// open (Kept). If it does not have the object of a task, it asks for it, and opens it. So a helper that was killed, or
// that has decoded another object meanwhile, costs time and nothing else. Helpers open no files: they ask for bytes,
// which this process reads.
package isolated
