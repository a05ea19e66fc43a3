// Package augment draws the operations of training that change pixels: color jitter, blur, random erasing, RandAugment
// and others, by the rules of torchvision's transforms v2. The operations run on the bytes of a resized image, before
// they become floats or 16-bit samples. Random crops and flips are in package resize.
//
// [Ops] is a list of operations. [Ops.Draw] draws their values for a sample, as a list of [Step]. Decoders apply steps:
// see image.Spec.Adjust and video.Spec.Adjust. Loaders and records take Ops.
//
// # Random numbers
//
// The operation at position i of a list draws from its own random numbers, whose key is the sample's seed, epoch,
// occurrence, id and view, and i. So the values for a sample do not depend on other samples, on workers, or on what
// other operations of the list draw.
//
// # Probabilities
//
// P is the probability that an operation is applied. 0 means the default, which is torchvision's, and a negative P
// means never. In Python, in C and on the command line, 0 means never.
package augment
