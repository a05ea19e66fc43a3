// Package spool holds the words that every package of the toolkit shares: [Buffer] and [Pool] for
// memory, [Shape], [DType], [Layout] and [Desc] for what lies in it, [Class] and [Error] for what went wrong.
//
// spool decodes images, video and audio into pooled buffers, batches them without copies and hands
// them to whoever trains or serves a model. The usual way in is package loader, which composes the
// whole road; decode and batch serve programs that bring their own pipeline.
//
// # Ownership
//
// One rule holds everywhere: an argument is lent; a result, or an item received from a stage, is
// owned. An owner calls Release once, or hands the value on by returning or sending it. On error a
// function returns nothing owned, and its arguments are still the caller's.
//
// # Concurrency
//
// A Pool is safe for concurrent use. A Buffer's reference count is; its bytes are the owner's to guard.
//
// # What spool is not
//
// It does not train, it has no autograd and no tensors beyond bytes with a shape, and it schedules
// no work across machines.
package spool
