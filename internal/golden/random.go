package golden

// The filters of the random cases of each profile.
var filters = map[string][]string{
	"exact":  {"bilinear", "bicubic"},
	"pillow": {"bilinear", "bicubic", "lanczos", "box", "nearest"},
}

// Random returns the random cases of both profiles. It draws the same cases as make.py, with the digests of
// random.json.
func Random(root string) ([]Case, error) {
	var digests struct{ Exact, Pillow []string }
	if err := read(&digests, root, "random.json"); err != nil {
		return nil, err
	}
	var cases []Case
	for i, digest := range digests.Exact {
		cases = append(cases, randomCase("exact", 0, i, digest))
	}
	for i, digest := range digests.Pillow {
		cases = append(cases, randomCase("pillow", 1, i, digest))
	}
	return cases, nil
}

func randomCase(profile string, number, i int, digest string) Case {
	words := SplitMix64(uint64(number)<<32 | uint64(i))
	below := func(n int) int { return int(words() % uint64(n)) }
	edge := func() int { return 1 + below(2<<below(9)) } // 1 to 512, with short edges more often

	c := Case{Profile: profile, SHA256: digest}
	c.In = [2]int{edge(), edge()}
	c.Size = [2]int{edge(), edge()}
	if asItIs := below(8); asItIs < 2 {
		c.Size[asItIs] = c.In[asItIs]
	}
	c.Out = c.Size
	c.Channels = [...]int{1, 3, 3, 4}[below(4)]
	c.Filter = filters[profile][below(len(filters[profile]))]
	c.Content = [...]string{"noise", "noise", "smooth", "mask"}[below(4)]
	c.Seed = words() & (1<<32 - 1)
	switch below(4) {
	case 0:
		left, top := below(c.In[0]), below(c.In[1])
		c.Box = [4]int{left, top, left + 1 + below(c.In[0]-left), top + 1 + below(c.In[1]-top)}
	case 1:
		if profile == "pillow" {
			c.Mode = "cover"
		}
	}
	return c
}
