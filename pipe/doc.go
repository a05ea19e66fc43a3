// Package pipe runs typed stages, joined by bounded queues, each in goroutines of its own.
//
// A pipeline begins with sources, goes through stages, and is run by ranging over its last flow:
//
//	p := pipe.New(pipe.Options{})
//	names := pipe.FromSlice(p, "list", list)
//	files := pipe.Map(names, "read", pipe.Stage{Workers: 8}, read)
//	images := pipe.Map(files, "decode", pipe.Stage{Workers: 4}, decode)
//	for batch, err := range pipe.Batch(images, "batch", pipe.Stage{}, 32).All(ctx) {
//		...
//	}
//
// Stages are functions func(context.Context, In) (Out, error). The package knows nothing of what
// flows through them and needs the standard library only.
//
//   - Sources: [FromSlice], [FromSeq], [From], [FromChan], [FromNext], [FromFunc], [FromEpochs].
//   - One flow to one: [Map], [Filter], [FlatMap], [Unbatch], [Batch], [BatchBy], [Collate], [Shuffle],
//     [Limit], [Prefetch], [Admit]; a function behind a [Cache] by [Cached].
//   - Several flows: [Merge], [MergeAny], [MergeFunc], [Route], [Tee].
//   - Ends: [Flow.All], [Flow.Epochs], and [To] and [ToChan], whose pipelines [Pipeline.Run] runs.
//
// A piece of pipeline is a function from flow to flow, put in place by [Within]; a whole one is a source
// of another, by FromFunc and the method value flow.All.
//
// # Ownership
//
// A stage's function takes its item over when it succeeds: it passes the item on in its result or gives
// it back. When it fails, the item is pipe's still. A result is owned by the next stage, and what All
// gives by the loop's body. What never reaches anybody, because it failed, is filtered, or the run is
// cancelled, fails, or is broken off, pipe drops: an item with a method Release is released, exactly
// once, and so are the items of a slice.
//
// # Order
//
// Results come in the order of input, unless a stage asks for AsCompleted. Order costs no throughput
// until the queue behind the stage is full of results that wait for a slow item: with 8 workers and
// one item in a hundred fifty times slower than the others, a Queue of 256 keeps 0.95 of the
// unordered rate, and one of 8 about a third. Where all stages keep the order, results do not depend
// on the number of workers.
//
// # Epochs
//
// A source may give one epoch after the other ([FromEpochs]). Between them goes a border that no item
// crosses, in either order: collectors are flushed there, and [Flow.Epochs] has a loop for each. Nobody
// waits at it: workers go on with the next epoch while the last items of one are in work.
//
// # Back-pressure
//
// A worker takes an item only when there is room for its result. So behind each stage there are at
// most as many items, in work or waiting, as it has workers and its Queue says, and a slow consumer
// brings everything to rest. Nothing is held back either: a result is there for the next stage as
// soon as it is done. Stage.QueueBytes bounds what waits in bytes, and [Admit] what is under way in all
// stages together. Functions that take memory from a common pool need one that holds all of these
// items, or that is asked in the order of input: else the items that came first may wait for memory
// that finished ones hold, while these wait for the first to pass.
//
// # Errors
//
// An error, or a panic, is its item's failure, after as many tries as [Retry] says. A Failure goes to the ledger. By
// default it ends the run too, and All yields it. With [Skip] the item is dropped and the run goes on, unless Options
// or the Stage say that it is one too many. Options.Replace decides for each item, and may give something in its
// place. An error of the source ends the run after all that came before it. A function's errors after the end of its
// context are no failures. In the ledger an item is known by its methods ID() string, File() string and Draw()
// (epoch, occurrence int), if it has them; a FlatMap's must not need what Release gave back.
//
// # Stopping
//
// The end of the loop, its context's end, an error and a break all come to the same: workers finish
// the call they are in, with their context cancelled, and All returns when the last one has gone. Two
// signals do this, each in its own direction. A stage whose last worker has gone closes its queues:
// the next stage takes what is there, and ends. And it stops the queues it took from: what waits
// there is released, what still comes too, and the stage before it, if nobody else takes its results,
// is cancelled and ends.
//
// # Statistics
//
// Every stage counts items, failures, service times and waits, all the time. A worker reads the clock
// once an item, and when it waits; the whole hand-off, statistics included, is in the order of 100 ns.
// [Pipeline.Report] gives the figures at any moment, with a verdict: which stage limits, by how much,
// and what to change; [Report.Since] has those of a stretch of time. [Pipeline.Profile] measures each
// stage alone, and a [Model], made of either, predicts what other settings would give.
//
// # Tuning
//
// A stage with [Auto] for its number of workers begins with MinWorkers and gets more while that brings
// more: the stage that limits gets up to twice as many, rates before, with and after are compared, and
// what has brought nothing is undone. It comes to rest within seconds, and begins again when service
// times have changed by half. Workers come and go between two items, and nothing but the rate depends on
// it. Report.Moves has each move with its reason.
//
// Options.CPUShare bounds the CPU time of the process as the kernel counts it (getrusage), looked at 40
// times a second: while more has been used than the share of the processors' time, no function begins an
// item. Calls under way are not interrupted, so the bound is one of the average over some items, and
// functions that wait are held up by it as those that compute. It bounds nothing outside of Unix, where
// CPU time is not known.
package pipe
