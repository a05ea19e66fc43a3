package baseline

// #include "reason.h"
import "C"

// Reason is why a picture is left to libjpeg-turbo. It says nothing of whether that can decode it.
type Reason uint8

const (
	Decoded   Reason = C.SPOOL_BASELINE_DONE      // none: it was decoded here
	Marker    Reason = C.SPOOL_BASELINE_MARKER    // a marker that is malformed, or not expected where it is
	End       Reason = C.SPOOL_BASELINE_END       // the data end too early
	Frame     Reason = C.SPOOL_BASELINE_FRAME     // arithmetic-coded, lossless or hierarchical
	Precision Reason = C.SPOOL_BASELINE_PRECISION // not 8 bits
	Channels  Reason = C.SPOOL_BASELINE_CHANNELS  // neither one component nor three
	Sampling  Reason = C.SPOOL_BASELINE_SAMPLING  // factors above 2, or in an unusual order
	Size      Reason = C.SPOOL_BASELINE_SIZE      // no width or height, or one above 65500
	Scans     Reason = C.SPOOL_BASELINE_SCANS     // several sequential scans, or progressive ones that are incomplete, out of order, or too many
	Table     Reason = C.SPOOL_BASELINE_TABLE     // a table is missing or impossible
	Color     Reason = C.SPOOL_BASELINE_COLOR     // three components that may not be YCbCr
	Code      Reason = C.SPOOL_BASELINE_CODE      // bits that are no code of their table
	Run       Reason = C.SPOOL_BASELINE_RUN       // a run beyond the last coefficient of its block
	Overrun   Reason = C.SPOOL_BASELINE_OVERRUN   // coded data end before their last block
	Trailing  Reason = C.SPOOL_BASELINE_TRAILING  // coded data go on behind their last block
	Restart   Reason = C.SPOOL_BASELINE_RESTART   // a restart marker that is not the next one
	Range     Reason = C.SPOOL_BASELINE_RANGE     // coefficients beyond what is proven to be the same
	Memory    Reason = C.SPOOL_BASELINE_TOO_LARGE // decoding takes more of it than Options.MaxMemory
	reasons   Reason = C.SPOOL_BASELINE_REASONS
)

// Reasons is the number of reasons, Decoded included: they count from 0.
const Reasons = int(reasons)

// String is a word for statistics.
func (r Reason) String() string {
	return [...]string{"decoded", "marker", "end", "frame", "precision", "channels", "sampling", "size", "scans", "table",
		"color", "code", "run", "overrun", "trailing", "restart", "range", "memory", "unknown"}[min(r, reasons)]
}
