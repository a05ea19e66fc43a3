package source_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// TestFolderIsImageFolder builds the tree that testdata/imagefolder.py passed to torchvision's ImageFolder, and expects
// the same classes, and the same samples at the same indices.
func TestFolderIsImageFolder(t *testing.T) {
	var want struct {
		Extensions, Files, Folders, Classes []string
		Links                               map[string]string
		Samples                             [][2]any
	}
	data, err := os.ReadFile("testdata/imagefolder.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &want))
	all := append([]string{}, want.Files...)
	for _, folder := range want.Folders {
		all = append(all, folder+"/")
	}
	tree(t, all...)
	for name, target := range want.Links {
		link(t, target, name)
	}

	for name, list := range map[string]func() (*source.Listing, error){
		"folder": func() (*source.Listing, error) {
			return source.Folder(t.Context(), ".", source.Options{Extensions: want.Extensions})
		},
		"fs": func() (*source.Listing, error) {
			return source.FS(t.Context(), os.DirFS("."), ".", source.Options{Extensions: want.Extensions})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := list()
			require.NoError(t, err)
			assert.Equal(t, want.Classes, s.Classes())
			require.Equal(t, len(want.Samples), s.Len())
			for i, sample := range want.Samples {
				item := s.Item(i)
				assert.Equal(t, sample[0], item.Name, "item %d", i)
				assert.EqualValues(t, sample[1], item.Label, "item %d", i)
				assert.EqualValues(t, i, item.ID)
			}
		})
	}
}

func TestFolderWithoutClasses(t *testing.T) {
	tree(t, "in/b.jpg", "in/a.PNG", "in/c.txt", "in/.hidden.jpg", "in/.git/x.jpg")
	s, err := source.Folder(t.Context(), "in/", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"in/a.PNG", "in/b.jpg"}, names(s))
	assert.Equal(t, []int64{-1, -1}, labels(s))
	assert.Nil(t, s.Classes())
	assert.Equal(t, source.Skipped{Hidden: 2, Extensions: map[string]int{".txt": 1}}, s.Skipped())
}

func TestFolderNames(t *testing.T) {
	tree(t, "in/a.jpg")
	here, err := os.Getwd()
	require.NoError(t, err)
	for root, want := range map[string]string{
		"in": "in/a.jpg", "in//": "in/a.jpg", "./in": "./in/a.jpg", "in/.": "in/./a.jpg", "in/../in": "in/../in/a.jpg",
		here + "/in": here + "/in/a.jpg",
	} {
		s, err := source.Folder(t.Context(), root, source.Options{})
		require.NoError(t, err)
		assert.Equal(t, []string{want}, names(s))
		o, err := s.Open(t.Context(), 0)
		require.NoError(t, err)
		require.NoError(t, o.Close())
	}
}

func TestFolderSkips(t *testing.T) {
	tree(t, "cat/1.jpg", "cat/.2.jpg", "cat/3.txt", "cat/README", "stray.jpg", "notes.TXT", ".cache/4.jpg")
	s, err := source.Folder(t.Context(), ".", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"cat/1.jpg"}, names(s))
	assert.Equal(t, source.Skipped{Hidden: 2, Extensions: map[string]int{".txt": 2, "": 1}, Outside: 1}, s.Skipped())
	assert.Equal(t, "2 .txt, 1 without extension, 2 hidden, 1 beside the class folders", s.Skipped().String())
}

func TestFolderCycles(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		links map[string]string
		want  []string
	}{
		{"to itself", []string{"r/a/1.jpg"}, map[string]string{"r/a/self": "."}, []string{"r/a/1.jpg"}},
		{"to the root", []string{"r/a/1.jpg"}, map[string]string{"r/a/up": ".."}, []string{"r/a/1.jpg"}},
		{"class that is the root", []string{"r/a/1.jpg"}, map[string]string{"r/up": "."}, []string{"r/a/1.jpg"}},
		{"each other", []string{"r/a/1.jpg", "r/b/2.jpg"}, map[string]string{"r/a/b": "../b", "r/b/a": "../a"},
			[]string{"r/a/1.jpg", "r/a/b/2.jpg", "r/b/2.jpg", "r/b/a/1.jpg"}},
		{"above the root", []string{"r/a/1.jpg", "s/2.jpg"}, map[string]string{"r/a/up": "../.."},
			[]string{"r/a/1.jpg", "r/a/up/s/2.jpg"}},
		{"twice is no cycle", []string{"r/a/1.jpg"}, map[string]string{"r/b": "a"}, []string{"r/a/1.jpg", "r/b/1.jpg"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t, c.files...)
			for name, target := range c.links {
				link(t, target, name)
			}
			s, err := source.Folder(t.Context(), "r", source.Options{AllowEmpty: true})
			require.NoError(t, err)
			assert.Equal(t, c.want, names(s))
		})
	}
}

func TestFolderEmpty(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		o     source.Options
		text  string
	}{
		{"nothing", []string{"r/"}, source.Options{}, "no images in this folder, which holds no files"},
		{"other files", []string{"r/a.mp4", "r/b.mp4", "r/c.txt", "r/.d.jpg"},
			source.Options{Extensions: []string{".jpg", ".PNG"}},
			"no files ending in .jpg .png in this folder (seen: 2 .mp4, 1 .txt, 1 hidden); looked for .jpg .png, name other " +
				"files one by one, by a glob or in a list"},
		{"another kind", []string{"r/a.jpg"}, source.Options{Medium: source.Videos, Extensions: []string{".mp4"}},
			"no files ending in .mp4 in this folder (seen: 1 .jpg); looked for .mp4, name other files one by one, by a glob " +
				"or in a list"},
		{"empty classes", []string{"r/cat/1.jpg", "r/dog/", "r/emu/deep/er/", "r/fox/readme"}, source.Options{},
			"no images in 3 of 4 class folders: dog, emu, fox; remove them, or allow empty classes"},
		{"nothing but empty classes", []string{"r/cat/", "r/dog/"}, source.Options{AllowEmpty: true},
			"no images in this folder, which holds no files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t, c.files...)
			s, err := source.Folder(t.Context(), "r", c.o)
			assert.Nil(t, s)
			require.ErrorIs(t, err, spool.ErrEmpty)
			var e *spool.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, "r", e.File)
			assert.Equal(t, c.text, e.Text)
		})
	}
}

func TestFolderAllowsEmptyClasses(t *testing.T) {
	tree(t, "r/ant/", "r/cat/1.jpg", "r/dog/")
	s, err := source.Folder(t.Context(), "r", source.Options{AllowEmpty: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"ant", "cat", "dog"}, s.Classes())
	assert.Equal(t, []int64{1}, labels(s))
}

func TestFolderOfImagesBesideOtherFolders(t *testing.T) {
	tree(t, "r/1.jpg", "r/json/1.json", "r/empty/")
	s, err := source.Folder(t.Context(), "r", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"r/1.jpg"}, names(s))
	assert.Equal(t, []int64{-1}, labels(s))
	assert.Nil(t, s.Classes())
	assert.Zero(t, s.Skipped().Outside)
}

func TestFolderListsWhatCannotBeOpened(t *testing.T) {
	tree(t, "r/a.jpg")
	link(t, "nowhere", "r/b.jpg")
	require.NoError(t, syscall.Mkfifo("r/c.jpg", 0o644))
	s, err := source.Folder(t.Context(), "r", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"r/a.jpg", "r/b.jpg", "r/c.jpg"}, names(s))
	_, err = s.Open(t.Context(), 1)
	assert.ErrorIs(t, err, spool.ErrNotFound)
	_, err = s.Open(t.Context(), 2)
	assert.ErrorIs(t, err, spool.ErrNotAFile)
}

func TestFolderThatIsNone(t *testing.T) {
	tree(t, "a.jpg")
	_, err := source.Folder(t.Context(), "a.jpg", source.Options{})
	assert.Equal(t, spool.ErrNotFound, spool.ClassOf(err))
	_, err = source.Folder(t.Context(), "nowhere", source.Options{})
	assert.Equal(t, spool.ErrNotFound, spool.ClassOf(err))
}

func TestFolderCanceled(t *testing.T) {
	tree(t, "r/a/1.jpg")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := source.Folder(ctx, "r", source.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
	assert.ErrorIs(t, err, context.Canceled)
}

// TestFolderManyFiles exceeds the sizes of pages and groups.
func TestFolderManyFiles(t *testing.T) {
	const n = 30_000
	long := make([]byte, 200) // 6 MB of names in one folder
	for i := range long {
		long[i] = 'x'
	}
	fsys := fstest.MapFS{}
	want := []string{}
	for i := range n {
		name := path.Join("class", string(long)+string(rune('0'+i/10000))+string(rune('0'+i/1000%10))+
			string(rune('0'+i/100%10))+
			string(rune('0'+i/10%10))+string(rune('0'+i%10))+".jpg")
		fsys[name] = &fstest.MapFile{}
		want = append(want, name)
	}
	fsys["class/a/a.jpg"] = &fstest.MapFile{}
	want = append(want, "class/a/a.jpg")
	s, err := source.FS(t.Context(), fsys, ".", source.Options{})
	require.NoError(t, err)
	require.Equal(t, len(want), s.Len())
	for i, name := range want {
		require.Equal(t, source.Item{ID: int64(i), Name: name, Label: 0}, s.Item(i))
	}
}

// shuffled is a file system that lists folders in a different order each time.
type shuffled struct{ fstest.MapFS }

func (s shuffled) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := s.MapFS.ReadDir(name)
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list, err
}

func TestOrderIsNotTheFileSystems(t *testing.T) {
	fsys := shuffled{fstest.MapFS{}}
	for _, name := range []string{"b/1.jpg", "b/2.jpg", "b/10.jpg", "b/x/1.jpg", "b/x-/1.jpg", "a/3.jpg", "a/4.jpg",
		"c/5.jpg"} {
		fsys.MapFS[name] = &fstest.MapFile{}
	}
	for range 20 {
		s, err := source.FS(t.Context(), fsys, ".", source.Options{})
		require.NoError(t, err)
		require.Equal(t, []string{"a/3.jpg", "a/4.jpg", "b/1.jpg", "b/10.jpg", "b/2.jpg", "b/x/1.jpg", "b/x-/1.jpg",
			"c/5.jpg"}, names(s))
		require.Equal(t, []int64{0, 0, 1, 1, 1, 1, 1, 2}, labels(s))
	}
}

func TestKinds(t *testing.T) {
	tree(t, "r/a.jpg", "r/b.MP4", "r/c.wav", "r/d.xyz")
	for _, c := range []struct {
		o    source.Options
		want []string
	}{
		{source.Options{}, []string{"r/a.jpg"}},
		{source.Options{Medium: source.Videos}, []string{"r/b.MP4"}},
		{source.Options{Medium: source.Audio}, []string{"r/c.wav"}},
		{source.Options{Extensions: []string{".XYZ", ".jpg"}}, []string{"r/a.jpg", "r/d.xyz"}},
	} {
		s, err := source.Folder(t.Context(), "r", c.o)
		require.NoError(t, err)
		assert.Equal(t, c.want, names(s))
	}
}

func TestOptionsAreChecked(t *testing.T) {
	bad := source.Options{Medium: 9, Extensions: []string{"jpg", ".", ".tar.gz", "./x", ".ok"}}
	for name, list := range map[string]func() (*source.Listing, error){
		"open":   func() (*source.Listing, error) { return source.Open(t.Context(), []string{"."}, bad) },
		"folder": func() (*source.Listing, error) { return source.Folder(t.Context(), ".", bad) },
		"fs":     func() (*source.Listing, error) { return source.FS(t.Context(), fstest.MapFS{}, ".", bad) },
		"glob":   func() (*source.Listing, error) { return source.Glob(t.Context(), "*", bad) },
	} {
		_, err := list()
		require.ErrorIs(t, err, spool.ErrOptions, name)
		assert.Len(t, openPart(err), 5, "%s: kind and four extensions: %v", name, err)
	}
}
