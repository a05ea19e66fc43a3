package source

// ParseList is fuzzed without files.
var ParseList = parseList

// StreamAhead is how many names a stream lists ahead.
const StreamAhead = streamAhead
