// Package tfrecord reads TFRecord files of tf.train.Example as tables for package source.
//
//	source.Options{Formats: map[string]table.Format{".tfrecord": tfrecord.Open}}
//
// A record is a row, and its features are the columns. A feature of bytes is text if all of its values begin as UTF-8
// does, and otherwise binary. A feature that has one number or one value of bytes in every record is a column of these;
// any other is a list, as JSON, in which binary values are base64.
//
// The media are in the first feature of binary values whose name source.Manifest looks for, or image/encoded, or in the
// only feature of binary values. Labels are also found as image/class/label, and keys as image/filename. They are as
// the file has them: those of TensorFlow's ImageNet begin at 1.
//
// # Reading
//
// [Open] reads the length of each record, and of its features what is not long: some 4 KiB of each record of a local
// file, and everything of a remote one. It keeps 8 bytes for each record, and for each label and key. A record is read
// as a whole when one of its media is opened, in any order, and its checksum is verified.
//
// # Formats
//
// Records are as tf.io.TFRecordWriter writes them: length, checksum of the length, data, checksum of the data. Files
// that are compressed as a whole (GZIP, ZLIB) cannot be read in any order: they are ErrUnsupported. Records that are no
// tf.train.Example are ErrCorrupt, and so is tf.train.SequenceExample.
//
// # Damage
//
// A file that ends within a record is ErrTruncated, and a record with a wrong length ErrCorrupt: both are errors of
// Open. Wrong data are an error of their sample.
package tfrecord
