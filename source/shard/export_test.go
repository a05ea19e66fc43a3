package shard

// DecompressWith is Decompress with memory from elsewhere, of which it takes so much at a time.
var DecompressWith = decompress

const PieceBytes = pieceBytes
