package object

// info is what a server says of an object.
type info struct {
	size    int64  // -1 where it does not tell
	version string // its ETag, as the server wrote it; empty where it has none
	sum     *checksum
}
