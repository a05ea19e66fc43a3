// Package spool defines the types that every package of the toolkit shares. [Buffer] and [Pool] are memory. [Shape],
// [DType], [Layout] and [Desc] describe its contents. An [Object] is the bytes of an input: a [File], [Bytes] or a
// [Stream]. [Class] and [Error] describe failures of an input, and [OptionError] describes wrong options.
//
// spool decodes images, video and audio into pooled buffers, makes batches of them, and passes these to programs that
// train or serve a model. It also encodes files. Most programs start with package loader, which builds the whole
// pipeline. Packages decode, batch, pipe and transfer are for programs that have their own pipeline, and package encode
// writes files.
//
// # Ownership
//
// One rule holds in all packages: arguments are lent, and results are owned. A value received from a stage is a result,
// too. The owner calls Release once, or passes ownership on by returning or sending the value. A function that returns
// an error returns nothing owned, and the caller still owns the arguments.
//
// # Concurrency
//
// A Pool is safe for concurrent use, and so is the reference count of a Buffer. The owner of a Buffer synchronizes
// access to its bytes.
//
// # Limits of scope
//
// spool does not train models. It has no autograd, and no tensors other than bytes with a shape. It does not schedule
// work across machines.
package spool
