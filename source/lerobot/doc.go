// Package lerobot reads LeRobot data sets, version 3, as records: robot recordings whose rows are in Parquet files, and
// whose cameras are in MP4 files that many episodes share.
//
//	set, err := lerobot.Open(ctx, "aloha", lerobot.Options{DeltaTimestamps: map[string][]float64{
//		"observation.images.top": {-0.1, 0}, "action": {0, 0.02, 0.04}}})
//	schema := record.LeRobotSchema(set, record.Video{})
//	src, err := set.Records(schema.Inputs())
//	ld, err := loader.Records(src, loader.RecordOptions{Schema: schema})
//
// [Open] reads meta/info.json, meta/tasks.parquet, meta/subtasks.parquet and meta/episodes. A sample is a row: what the
// robot knew at one time. Samples are in the order of the data set, those of Options.Episodes if it is given.
//
// # Inputs
//
// These are the inputs of a sample, in the words of source.Input:
//
//   - a feature of numbers or text: its value in the row. With delta timestamps, numbers are a window of rows.
//   - a feature of language: the list of its entries, as JSON; null in files that lack it
//   - a feature of images: the file of the image. With delta timestamps there is one input for each, NAME.0, NAME.1 and
//     so on.
//   - a camera, which is a feature of videos: the file that has the sample's episode. NAME.start and NAME.end are the
//     episode's part of that file, in seconds.
//   - frame_time: the time of the row within its episode, in seconds
//   - NAME_is_pad, of a feature with delta timestamps: 1 where the window leaves the episode, else 0
//   - task: the words of the row's task
//   - subtask: those of its subtask, by meta/subtasks.parquet; missing in rows without one
//
// Arrays are NPY files. One number, and the times, are text.
//
// # Time
//
// Delta timestamps are multiples of 1/fps, within Options.Tolerance. Windows are counted in frames, and end at the ends
// of an episode, whose first or last frame is repeated. Times are frame numbers divided by fps. The column timestamp
// must agree with them, within the tolerance: as a 32-bit float it is too coarse for long episodes.
//
// # Memory
//
// An episode takes 72 bytes, and 16 for each camera. Columns are read when they are needed, a row group at a time, and
// kept in binary form within Options.Memory, as are the footers of Parquet files. If the columns of all row groups do
// not fit, random access reads row groups again and again.
//
// # Errors
//
// Wrong metadata is an error of Open: another version, a camera without a place in an episode's row, episodes that do
// not follow each other. A bad data file or video is an error of the samples that need it: a missing file, rows of
// another episode, a timestamp that is not that of its frame. Errors are *spool.Error with the file.
//
// Features of types that are not known have no input, and Notices names them.
//
// A DataSet and its Records are safe for concurrent use.
package lerobot
