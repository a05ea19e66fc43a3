package source

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
)

// inFolder finds the subfolders of a folder.
func (f *firstRoot) inFolder(p fileSystem) ([]InferredInput, error) {
	r := &recordLister{lister: f.lister}
	there, err := r.subfolders(p, f.name)
	if err == nil {
		err = f.problems.err()
	}
	if err != nil {
		return nil, err
	}
	var found []InferredInput
	stems := make([]map[string]bool, 0, len(there))
	for _, name := range there {
		in := InferredInput{Input: Input{Name: name}}
		endings, seen := map[string]int{}, map[string]bool{}
		if err := f.gather(p, join(f.name, name), "", endings, seen); err != nil {
			return nil, err
		}
		if len(seen) == 0 {
			continue
		}
		in.Extensions = slices.SortedFunc(maps.Keys(endings), func(a, b string) int {
			return cmp.Or(cmp.Compare(endings[b], endings[a]), cmp.Compare(a, b))
		})
		if in.Kind = kindOf(in.Extensions[0], name); in.Kind == "" {
			in.Kind = kindBytes
		}
		found, stems = append(found, in), append(stems, seen)
	}
	if len(found) == 0 {
		return nil, nothing(f.name, f.opts, Skipped{})
	}
	base := max(0, slices.IndexFunc(found, func(in InferredInput) bool { return in.Kind == kindImage }))
	for i := range found {
		for stem := range stems[base] {
			if stems[i][stem] {
				found[i].Samples++
			}
		}
		found[i].Examined = len(stems[base])
		found[i].Optional = found[i].Samples < found[i].Examined
	}
	return found, nil
}

// gather counts the extensions of the first files below a folder, and collects their paths without extensions.
func (f *firstRoot) gather(p fileSystem, folder, below string, endings map[string]int, stems map[string]bool) error {
	if err := ended(f.ctx, "list", folder); err != nil {
		return err
	}
	var names, folders []string
	err := p.entries(f.ctx, folder, func(e fs.DirEntry) {
		switch name := e.Name(); {
		case name[0] == '.':
		case e.IsDir(): // links are not followed, which may lead back
			folders = append(folders, name)
		default:
			names = append(names, name)
		}
	})
	if err != nil {
		return spool.FileError("list", folder, err)
	}
	slices.Sort(names)
	slices.Sort(folders)
	for _, name := range names {
		if len(stems) == examinedSamples {
			return nil
		}
		stems[stem(below+name)] = true
		endings[strings.ToLower(path.Ext(name))]++
	}
	for _, name := range folders {
		if len(stems) == examinedSamples {
			return nil
		}
		if err := f.gather(p, join(folder, name), below+name+"/", endings, stems); err != nil {
			return err
		}
	}
	return nil
}
