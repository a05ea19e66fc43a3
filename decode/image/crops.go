package image

import (
	"context"

	"github.com/spoolmedia/spool/resize"
)

// cropped decodes views, of which some have several crops. The report of such a view is that of its first crop, with
// the description of all.
func (d *Decoder) cropped(ctx context.Context, data []byte, views []View) ([]Report, error) {
	var all []View
	first := make([]int, len(views)) // among all, the first crop of each view
	for i, v := range views {
		first[i] = len(all)
		if v.Spec.Crops == resize.OneCrop {
			all = append(all, v)
			continue
		}
		crops, err := v.crops()
		if err != nil {
			return nil, err
		}
		all = append(all, crops...)
	}
	reports, err := d.views(ctx, data, all)
	if err != nil {
		return nil, err
	}
	each := make([]Report, len(views))
	for i, v := range views {
		each[i] = reports[first[i]]
		if c := v.Spec.Crops; c != resize.OneCrop {
			each[i].Desc = several(c.Len(), each[i].Desc)
		}
	}
	return each, nil
}

// crops returns a view for each crop of the view.
func (v View) crops() ([]View, error) {
	if err := v.Spec.Validate(); err != nil {
		return nil, err
	}
	desc, _ := v.Spec.Sample() // the crops fix the size
	if err := fits(desc, v.Dst); err != nil {
		return nil, err
	}
	views := make([]View, v.Spec.Crops.Len())
	size := len(v.Dst) / len(views)
	for i := range views {
		one := v.Spec
		one.Crops = resize.OneCrop
		one.Draw = v.Spec.Crops.Draw(i, v.Spec.Resize, v.Spec.Draw)
		views[i] = View{Spec: one, Dst: v.Dst[i*size:][:size:size]}
	}
	return views, nil
}
