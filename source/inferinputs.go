package source

import "context"

// InferredInput is an input that the samples of a source seem to have. It is Optional if some of the examined samples
// lack it.
type InferredInput struct {
	Input
	Kind       string   // image, mask, video, audio, text, json, number or bytes
	Extensions []string // of its files in folders, with their dots, the most frequent first
	Samples    int      // of those examined, that have it
	Examined   int
}

// InferInputs guesses the inputs of records from the first samples of the first folder, shard or table that the
// arguments name. In shards, extensions of the same kind that no sample has together are alternatives of one input, if
// they differ in the last part only, as jpg and png do.
// Extensions, names and contents tell the kind; a mask is an image whose name says so, as in 1.seg.png or masks.
func InferInputs(ctx context.Context, args []string, o Options) ([]InferredInput, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	f := &firstRoot{lister: l}
	l.roots = f
	if err := l.openAll(args); err != nil {
		return nil, err
	}
	if err := l.problems.err(); err != nil {
		return nil, err
	}
	return f.infer()
}

// firstRoot is the first folder, shard or table that arguments name.
type firstRoot struct {
	*lister
	name  string
	infer func() ([]InferredInput, error)
}

func (f *firstRoot) take(name string, infer func() ([]InferredInput, error)) {
	if f.infer == nil {
		f.name, f.infer = name, infer
	}
}

func (f *firstRoot) folder(p fileSystem, root string) error {
	f.take(root, func() ([]InferredInput, error) { return f.inFolder(p) })
	return nil
}

func (f *firstRoot) shard(name string) { f.take(name, f.inShard) }

func (f *firstRoot) table(name string) error {
	f.take(name, f.inTable)
	return nil
}

func (f *firstRoot) files() bool { return false }

// examinedSamples is how many samples of a shard or folder are examined.
const examinedSamples = 256

// count sets how many samples have the input.
func (in *InferredInput) count(samples []bool) {
	for _, there := range samples {
		if there {
			in.Samples++
		}
	}
	in.Examined = len(samples)
	in.Optional = in.Samples < in.Examined
}
