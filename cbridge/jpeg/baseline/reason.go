package baseline

// #include "reason.h"
import "C"

// Reason is the reason why the engine declines an image. libjpeg-turbo may or may not decode it.
type Reason uint8

const (
	Decoded   Reason = C.SPOOL_BASELINE_DONE      // decoded here
	Marker    Reason = C.SPOOL_BASELINE_MARKER    // a marker that is malformed, or at an invalid position
	End       Reason = C.SPOOL_BASELINE_END       // the data end too early
	Frame     Reason = C.SPOOL_BASELINE_FRAME     // arithmetic-coded, lossless or hierarchical
	Precision Reason = C.SPOOL_BASELINE_PRECISION // not 8 bits
	Channels  Reason = C.SPOOL_BASELINE_CHANNELS  // neither one component nor three
	Sampling  Reason = C.SPOOL_BASELINE_SAMPLING  // factors above 2, or in an unusual order
	Size      Reason = C.SPOOL_BASELINE_SIZE      // width or height is 0, or above 65500
	Scans     Reason = C.SPOOL_BASELINE_SCANS     // sequential: several; progressive: incomplete, unordered or too many
	Table     Reason = C.SPOOL_BASELINE_TABLE     // a table is missing or invalid
	Color     Reason = C.SPOOL_BASELINE_COLOR     // three components that may not be YCbCr
	Code      Reason = C.SPOOL_BASELINE_CODE      // bits that are not a code of their table
	Run       Reason = C.SPOOL_BASELINE_RUN       // a run beyond the last coefficient of its block
	Overrun   Reason = C.SPOOL_BASELINE_OVERRUN   // coded data end before their last block
	Trailing  Reason = C.SPOOL_BASELINE_TRAILING  // coded data continue after their last block
	Restart   Reason = C.SPOOL_BASELINE_RESTART   // a restart marker out of sequence
	Range     Reason = C.SPOOL_BASELINE_RANGE     // coefficients beyond the range in which both engines are proven equal
	Memory    Reason = C.SPOOL_BASELINE_TOO_LARGE // decoding needs more memory than Options.MaxMemory
	reasons   Reason = C.SPOOL_BASELINE_REASONS
)

// Reasons is the number of reasons, including Decoded. They count from 0.
const Reasons = int(reasons)

// String returns a word for statistics.
func (r Reason) String() string {
	return [...]string{"decoded", "marker", "end", "frame", "precision", "channels", "sampling", "size", "scans", "table",
		"color", "code", "run", "overrun", "trailing", "restart", "range", "memory", "unknown"}[min(r, reasons)]
}
