// Package record describes samples that consist of several fields, and decodes them: an image with its mask, boxes and
// a caption, several views of one image, or a clip with the sound of the same time.
//
//	schema := record.Schema{
//		{Name: "image", Input: "jpg;png", Kind: record.Image{Spec: spec, Augment: augment}},
//		{Name: "mask", Input: "seg.png", Kind: record.Mask{Like: "image"}},
//		{Name: "caption", Input: "txt", Kind: record.Text{}},
//	}
//
// A [Schema] names the fields in order. Each field has an input, which a source.Records finds for every sample, and a
// [FieldKind]. Several fields may have the same input: it is read once. A [Plan] is a schema that was checked. Package
// loader decodes records with it in its pipeline: see loader.Records.
//
// # Kinds
//
//   - [Image]: pixels of a fixed size, one array of a batch.
//   - [Mask]: integers of a fixed size that follow the geometry of an image. No new values arise.
//   - [Boxes] and [Points]: coordinates that follow the geometry of an image, as many as the sample has.
//   - [Instances]: a mask of each object of an image, which follow its geometry.
//   - [Video]: frames of a fixed size and number, from a window of a file, with their times.
//   - [Audio]: samples of a fixed number, from a window of a file or the time of a clip.
//   - [Number]: a scalar, or a vector of a fixed shape; an array of a batch.
//   - [Text], [JSON] and [Bytes]: as they are, of any length.
//   - [Column]: a column of a table with its type, for package batch/column.
//
// Images, clips and audio may also have any size or length: see [NewSizedPlan].
//
// # Geometry
//
// A crop and flips are drawn once for a record and each view, and applied to all fields that follow the image. So are
// operations on pixels (package augment), which change the image only. A field with Like follows the image field of
// that name. Random numbers depend on (seed, epoch, occurrence, id, view), so a further field changes no draw. A mask
// of another size than its image has the same crop relative to its size, rounded once.
//
// # Views
//
// Image.Views decodes an image several times with different draws, each to an array of its own: NAME.0, NAME.1. Views
// are numbered over all fields that draw from one input, in the order of the schema. So two global crops of 224 pixels
// and eight local crops of 96 pixels, as in DINO, are two fields.
//
// # Windows
//
// A [Time] is constant or comes from an input. So the rows of a table may name parts of one file, by its path, a start
// and an end. Decode then keeps the file open for the next record that has a part of it, within the limits of
// [OpenFiles].
//
// # Missing fields
//
// A record without the input of a required field is a bad sample. If the field is Optional, an array is filled with the
// field's fill color or default, a field of any length is empty, and Result.Absent names the field.
//
// # Errors
//
// An error of a sample is a *[FieldError], which names the field, around the error of its input. A schema that is not
// valid is spool.ErrOptions, with all problems at once.
package record
