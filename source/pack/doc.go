// Package pack writes the samples of a source to shards: WebDataset tar files, which package shard and the Python
// package webdataset read, or tables.
//
// [Write] fills a folder, or a prefix in a bucket, with shards of equal numbers of samples: in the source's order,
// shuffled, or by labels. The same source and options give the same bytes, for any number of workers. A sample is its
// media, KEY.jpg, or with Options.Members several inputs of a record, KEY.jpg, KEY.seg.png and KEY.txt, and with a
// label KEY.cls. The key is the sample's position in the packed order, in nine digits.
//
// With [Options].Format, shards are Parquet or Arrow files, which package parquet, package arrow, pyarrow and Hugging
// Face's datasets read. A sample is a row. Its file is in the column image, video or audio, or file if samples have
// several media. With Options.Members there is a column for each, whose name has _ in place of dots. A file is a
// structure of its bytes and a path, which is the name that a tar file would give it. The column label has labels, and
// key has keys, or the names of files without their folders. The features of Hugging Face's datasets are in the
// metadata under huggingface, with the names of classes.
//
// [Options].Transform changes files of each sample while they are packed, as spool pack --repack and --video-codec do.
//
// # Interruption
//
// In a folder, a shard is written under the name NAME.part, synchronized to the disk, and renamed. In a bucket it is an
// upload, which becomes an object when all parts are there. Under its own name it is whole, or is not there. The file
// plan.json is written first and says what is packed. Write with the same source and options continues where an ended
// process stopped, and keeps its finished shards. The file manifest.json comes last, with the size and the checksum of
// each shard: [Verify] compares them.
//
// # Errors
//
// Errors are *spool.Error and name a file. A sample that cannot be read ends Write; finished shards stay. A folder that
// holds something else is ErrOptions, and so is one into which another process packs. A bucket has no locks: if two
// processes pack below one prefix, one of them aborts the uploads of the other, which fails.
//
// # Concurrency
//
// Functions are safe for concurrent use. They use the memory of 1 MiB a worker for tar files, and of five parts of an
// upload. For tables it is some 32 MiB, and the files of a sample.
package pack
