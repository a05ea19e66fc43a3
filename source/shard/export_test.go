package shard

// DecompressWith is Decompress with another allocator, of which it takes a piece at a time.
var DecompressWith = decompress

const PieceBytes = pieceBytes
