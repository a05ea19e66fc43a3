package flac

// #include "reason.h"
import "C"

// Reason is why a stream is left to FFmpeg. FFmpeg may fail on it too.
type Reason uint8

const (
	Decoded  Reason = C.SPOOL_FLAC_DONE     // none: the package decoded it
	Stream   Reason = C.SPOOL_FLAC_STREAM   // the input cannot be read twice, so FFmpeg could not start again
	Metadata Reason = C.SPOOL_FLAC_METADATA // malformed or missing metadata blocks
	Sync     Reason = C.SPOOL_FLAC_SYNC     // no frame at the expected position
	Head     Reason = C.SPOOL_FLAC_HEADER   // malformed or reserved frame header, or wrong checksum of it
	Change   Reason = C.SPOOL_FLAC_CHANGE   // sample rate, depth or channels differ from the stream's, or a larger block
	Order    Reason = C.SPOOL_FLAC_NUMBER   // not the next frame
	Subframe Reason = C.SPOOL_FLAC_SUBFRAME // reserved or invalid subframe
	Residual Reason = C.SPOOL_FLAC_RESIDUAL // reserved or invalid residual
	Range    Reason = C.SPOOL_FLAC_RANGE    // samples exceed the stream's depth
	Checksum Reason = C.SPOOL_FLAC_CHECKSUM // wrong checksum of a frame
	End      Reason = C.SPOOL_FLAC_END      // the data end within a frame
	Length   Reason = C.SPOOL_FLAC_LENGTH   // more or fewer samples than the stream's header has
	reasons  Reason = C.SPOOL_FLAC_REASONS
)

// Reasons is the number of reasons, including Decoded. Reasons are 0 to Reasons-1.
const Reasons = int(reasons)

// String returns the reason's name in statistics.
func (r Reason) String() string {
	return [...]string{"decoded", "stream", "metadata", "sync", "header", "change", "number", "subframe", "residual",
		"range",
		"checksum", "end", "length", "unknown"}[min(r, reasons)]
}
