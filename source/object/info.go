package object

// info is what a server reports of an object.
type info struct {
	size    int64  // -1 if unknown
	version string // its ETag, as the server wrote it; empty without
	sum     *checksum
}
