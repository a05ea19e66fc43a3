package flac

// #include "reason.h"
import "C"

// Reason is why a stream is left to FFmpeg. It says nothing of whether that can decode it.
type Reason uint8

const (
	Decoded  Reason = C.SPOOL_FLAC_DONE     // none: it was decoded here
	Stream   Reason = C.SPOOL_FLAC_STREAM   // its bytes come once, so that nobody else could begin again
	Metadata Reason = C.SPOOL_FLAC_METADATA // blocks of metadata that are malformed, or missing
	Sync     Reason = C.SPOOL_FLAC_SYNC     // no frame begins where one should
	Head     Reason = C.SPOOL_FLAC_HEADER   // a frame's header that is malformed or reserved, or not of its checksum
	Change   Reason = C.SPOOL_FLAC_CHANGE   // another rate, depth or number of channels than the stream's, or larger blocks
	Order    Reason = C.SPOOL_FLAC_NUMBER   // not the frame that comes next
	Subframe Reason = C.SPOOL_FLAC_SUBFRAME // a subframe that is reserved or impossible
	Residual Reason = C.SPOOL_FLAC_RESIDUAL // a residual that is reserved or impossible
	Range    Reason = C.SPOOL_FLAC_RANGE    // samples beyond the stream's depth
	Checksum Reason = C.SPOOL_FLAC_CHECKSUM // a frame that is not of its checksum
	End      Reason = C.SPOOL_FLAC_END      // the data end within a frame
	Length   Reason = C.SPOOL_FLAC_LENGTH   // more or fewer samples than the stream says it has
	reasons  Reason = C.SPOOL_FLAC_REASONS
)

// Reasons is the number of reasons, Decoded included: they count from 0.
const Reasons = int(reasons)

// String is a word for statistics.
func (r Reason) String() string {
	return [...]string{"decoded", "stream", "metadata", "sync", "header", "change", "number", "subframe", "residual", "range",
		"checksum", "end", "length", "unknown"}[min(r, reasons)]
}
