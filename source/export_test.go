package source

// ParseList is here to be fuzzed without files.
var ParseList = parseList
