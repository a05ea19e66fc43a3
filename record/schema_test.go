package record_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
)

// Two fields cannot give results of one name.
func TestSchemaNames(t *testing.T) {
	pixels := image.Spec{Resize: resize.Spec{Width: 8, Height: 8}}
	two := record.Image{Spec: pixels, Views: 2}
	for name, s := range map[string]record.Schema{
		"image.1": {{Name: "image", Kind: two}, {Name: "image.1", Kind: record.Text{}}},
		"boxes.labels": {{Name: "image", Kind: record.Image{Spec: pixels}},
			{Name: "boxes", Kind: record.Boxes{Like: "image"}}, {Name: "boxes.labels", Kind: record.Number{}}},
		"boxes.0.index": {{Name: "image", Kind: two}, {Name: "boxes.0.index", Kind: record.Text{}},
			{Name: "boxes", Kind: record.Boxes{Like: "image"}}},
	} {
		err := s.Validate()
		require.ErrorIs(t, err, spool.ErrOptions)
		require.ErrorContains(t, err, "its result "+name+" has the name of a result of field ")
	}
	s := record.Schema{{Name: "image", Kind: two}, {Name: "image.2", Kind: record.Text{}}}
	require.NoError(t, s.Validate())
}

// The problems of several fields come at once, and without those that follow from them.
func TestSchemaProblems(t *testing.T) {
	s := record.Schema{{Name: "mask", Kind: record.Mask{Like: "picture"}}, {Name: "8", Kind: record.Text{}}, {Name: "x"}}
	err := s.Validate()
	require.ErrorContains(t, err, "field mask: invalid options: Like picture: no field has this name")
	require.ErrorContains(t, err, "Name 8: must be a letter")
	require.ErrorContains(t, err, "field x: Kind must be set")
	require.NotContains(t, err.Error(), "at least one field")
	require.ErrorContains(t, record.Schema{}.Validate(), "at least one field")
	require.ErrorContains(t, record.Schema{{Name: "a", Kind: record.Text{}}}.Validate(), "of a fixed size")
}
