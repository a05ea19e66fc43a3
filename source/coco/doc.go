// Package coco reads the files in which COCO and data sets like it keep the annotations of all images:
// instances_train2017.json, person_keypoints_val2017.json.
//
// [Open] reads the file once, as a stream, and keeps an index: the images, the categories, and the position of each
// annotation. That takes about 100 bytes an image and 16 an annotation, and three times as much while the file is read.
// [DataSet.Annotations] reads the annotations of one image, for annotation.ParseCOCO of package record.
//
// # Damage
//
// A file that is not such JSON is ErrCorrupt, or ErrTruncated if it ends too early. An image, an annotation or a
// category above 64 MB is ErrTooLarge. Errors name the position. The content of an annotation, besides its image_id, is
// checked when it is parsed.
//
// # Concurrency
//
// A DataSet is as safe for concurrent use as the object from which it reads.
package coco
