// Package audio decodes audio, of files that may hold video as well.
//
// [Decoder.Open] opens the audio of a file, of bytes, of an object that is read in parts, or of a stream. [Audio.Read]
// gives all of it or a window. [Audio.ReadInto] writes into the caller's memory, typically the slot of a batch.
// [Audio.Chunks] reads it in bounded memory. A [Spec] requests sample rate, channels, type, layout, window and length.
// WAV files are read by package decode/wav, FLAC files by an engine of this module where it can (see [FLACEngine]), and
// other files by FFmpeg. Channels are mixed by libswresample's weights. Sample rates are changed by a filter of this
// module.
//
// A window equals the same range of the whole audio, to the last bit. Samples that an encoder added at either end are
// left out. docs/audio.md has the cost of a window by codec, and docs/remote-media.md the bytes that are read of remote
// objects.
//
// [Decoder.Packets] are the packets of a window in their compressed form.
package audio
