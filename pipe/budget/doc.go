// Package budget limits the bytes that several users have at a time. [Bytes] only counts them; a pool of buffers, which
// also provides the memory, limits them in the same way. pipe.Admit reserves the bytes of a pipeline's items.
package budget
