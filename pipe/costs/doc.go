// Package costs records what items cost at each stage of a pipeline, and predicts runs with other settings from that.
//
// A [Recorder] is the observer of a pipeline that is built as usual, with routes, merges and tees or without. After the
// run it returns its [Costs], which are saved as JSON:
//
//	recorder := new(costs.Recorder)
//	p := pipe.New(pipe.Options{Observer: recorder})
//	// stages, and a loop that calls recorder.Batch for each batch
//	err := recorder.Costs(p.Report()).Write("costs.json")
//
// spool simulate reads this file, and so does [Read]. [Costs.Predict] simulates a run with other [Settings], in which
// the items come in the same order. Its [Prediction] has an error bar.
package costs
