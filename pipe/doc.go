// Package pipe runs typed stages, joined by bounded queues, with goroutines of their own.
//
// A pipeline begins with sources and continues with stages. It runs while a loop ranges over its last flow:
//
//	p := pipe.New(pipe.Options{})
//	names := pipe.FromSlice(p, "list", list)
//	files := pipe.Map(names, "read", pipe.Stage{Workers: 8}, read)
//	images := pipe.Map(files, "decode", pipe.Stage{Workers: 4}, decode)
//	for batch, err := range pipe.Batch(images, "batch", pipe.Stage{}, 32).All(ctx) {
//		...
//	}
//
// Stages are functions func(context.Context, In) (Out, error). The package does not depend on the type of the items,
// and needs nothing but the standard library.
//
//   - Sources: [FromSlice], [FromSeq], [From], [FromChan], [FromNext], [FromFunc], [FromEpochs].
//   - One flow to one: [Map], [Filter], [FlatMap], [Unbatch], [Batch], [BatchBy], [Collate], [Shuffle], [Limit],
//     [Admit].
//   - Several flows: [Merge], [MergeAny], [MergeFunc], [Route], [Tee].
//   - Ends: [Flow.All], [Flow.Epochs], and [To] and [ToChan], whose pipelines [Pipeline.Run] runs.
//
// A reusable part of a pipeline is a function from flow to flow, which [Within] inserts. A whole pipeline can be the
// source of another: pass the method value flow.All to FromFunc.
//
// # Ownership
//
// A stage's function takes ownership of its item if it succeeds: it passes the item on in its result, or releases it.
// If the function fails, pipe still owns the item. The next stage owns a result, and the loop's body owns the results
// of All.
//
// pipe drops all items that reach no owner: if they fail or are filtered, or if the run is canceled, fails, or is
// broken off. A dropped item with a method Release is released exactly once, and so are the items of a slice.
//
// # Order
//
// Results come in the order of the input, unless a stage has the order AsCompleted. Ordering costs no throughput until
// the queue after the stage is full of results that wait for a slow item. Take 8 workers, and one item in a hundred
// that is fifty times slower than the others. Then a Queue of 256 keeps 0.95 of the unordered throughput, and a Queue
// of 8 about a third. If all stages are ordered, results do not depend on the number of workers.
//
// # Epochs
//
// A source may have several epochs ([FromEpochs]). Between them is a border that no item crosses, in either order.
// Collectors are flushed at the border, and [Flow.Epochs] has a loop for each epoch. Workers do not wait at borders:
// they start the next epoch while the last items of an epoch are in work.
//
// # Back-pressure
//
// A worker takes an item only when there is room for its result. So the number of items in work or waiting after each
// stage is at most its workers plus its Queue, and a slow consumer stops all stages. Nothing is delayed either: the
// next stage can take a result as soon as it is done. Stage.QueueBytes limits the bytes of waiting results. [Admit]
// limits the bytes of all stages together.
//
// Functions that take memory from a common pool need a pool with room for all of these items, or one that is asked in
// input order. Otherwise early items may wait for memory of finished results, which in turn wait for the early items.
//
// # Errors
//
// An error or a panic is a failure of its item, after the attempts of [Retry]. A Failure is recorded in the ledger. By
// default it also ends the run, and All yields it. With [Skip] the item is dropped and the run continues, unless a
// limit of Options or of the Stage is exceeded. Options.Replace decides for each item, and may replace it.
//
// An error of the source ends the run after all earlier items. Errors that a function returns after the end of its
// context are not failures. The ledger describes an item by its methods ID() string, File() string and Draw() (epoch,
// occurrence int), if it has them. For items of a FlatMap, these methods must work after Release.
//
// # Stopping
//
// The end of the loop, the end of its context, an error and a break have the same effect. Workers finish their current
// call with a canceled context, and All returns when the last worker has ended.
//
// Two signals do this, one in each direction. Downstream, a stage whose last worker has ended closes its queues, and
// the next stage takes the remaining results and ends. Upstream, the stage stops its input queues: waiting and later
// results are released. The stage before it is canceled and ends, unless another stage takes its results.
//
// # Statistics
//
// Every stage always counts items, failures, service times and waits. A worker reads the clock once per item, and when
// it waits. Passing an item on takes about 100 ns, statistics included. [Pipeline.Report] returns the figures at any
// time, with a verdict: which stage is the bottleneck, by how much, and what to change. Report.Since has the figures
// of a period. [Pipeline.Profile] measures each stage alone. A Model of a report or a profile predicts the effect of
// other settings. Package stats has their types.
//
// # Tuning
//
// A stage with [Auto] workers begins with MinWorkers and gets more workers while they raise the throughput. The
// bottleneck gets up to twice as many. The throughput before, during and after the change is compared, and a change
// without effect is undone. The search ends within seconds, and begins again when service times change by half. Workers
// start and end between two items, and only the throughput depends on their number. Report.Moves has each change with
// its reason.
//
// Options.CPUShare limits the CPU time of the process as the kernel counts it (getrusage), checked 40 times a second.
// While the process has used more than its share of the processors' time, no function begins an item. Calls in progress
// are not interrupted, so the limit holds on average over some items. Functions that wait are delayed like those that
// compute. Outside of Unix the CPU time is unknown, and there is no limit.
package pipe
