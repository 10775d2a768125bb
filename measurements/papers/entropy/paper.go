package main

import (
	"math"
)

// paperOf holds the paper's figures for a family on a set.
type paperOf struct {
	train, test link
	lowest      float64
	// The following numbers are in Tables 10 and 11.
	best, found, entropy, bestError, foundError, tried, searchTried float64
}

// noPaper holds the figures, all NaN, for a set that is not in the paper.
var noPaper = func() paperOf {
	n := math.NaN()
	return paperOf{link{n, n}, link{n, n}, n, n, n, n, n, n, n, n}
}()

func (v *summary) paper() paperOf {
	if p, ok := paper[v.name][v.set]; ok {
		return p
	}
	return noPaper
}

// inBand reports whether the entropy is in the band of the paper's search.
func (p point) inBand() bool {
	return p.entropy >= 0.3 && p.entropy <= 0.5
}

// paper holds the figures of the paper's Tables 3 to 15, by family and set.
var paper = map[string]map[string]paperOf{
	"rbf": {
		"auto":              {link{-0.809, -0.845}, link{0.883, 0.968}, 0.343, 0.3, 8.554, 0.451, 0.905, 0.906, 24, 5},
		"boston":            {link{-0.925, -0.598}, link{0.954, 0.943}, 0.416, 6, 5.669, 0.468, 0.174, 0.176, 24, 7},
		"prostate":          {link{-0.873, -0.545}, link{0.947, 0.95}, 0.396, 0.1, 1, 0.418, 0.143, 0.194, 24, 1},
		"airquality":        {link{-0.883, -0.831}, link{0.934, 0.97}, 0.481, 3, 5.669, 0.439, 0.559, 0.618, 24, 7},
		"triazines":         {link{-0.821, -0.801}, link{0.944, 0.947}, 0.315, 0.1, 1, 0.442, 0.851, 0.879, 24, 1},
		"slump":             {link{-0.909, -0.551}, link{0.956, 0.932}, 0.331, 0.3, 3.885, 0.449, 0.136, 0.315, 24, 9},
		"yacht":             {link{-0.933, -0.622}, link{0.949, 0.912}, 0.557, 66, 33, 0.435, 0.012, 0.015, 24, 2},
		"energy":            {link{-0.947, -0.718}, link{0.957, 0.943}, 0.413, 6, 13.223, 0.459, 0.082, 0.086, 24, 3},
		"auto-mpg":          {link{-0.951, -0.75}, link{0.942, 0.960}, 0.471, 33, 33, 0.457, 0.213, 0.213, 24, 2},
		"student":           {link{-0.939, -0.699}, link{0.934, 0.958}, 0.449, 0.06, 2.783, 0.409, 0.219, 0.233, 24, 11},
		"breast-prognostic": {link{-0.846, -0.928}, link{0.892, 0.976}, 0.389, 0.3, 3.885, 0.444, 0.879, 0.897, 24, 9},
		"abalone":           {link{-0.986, -0.926}, link{0.98, 0.94}, 0.36, 10, 33, 0.406, 0.422, 0.44, 16, 2},
	},
	"poly": {
		"auto":              {link{-0.773, -0.75}, link{0.881, 0.903}, 0.401, 50, 31.175, 0.433, 0.878, 0.913, 46, 3},
		"boston":            {link{-0.962, -0.927}, link{0.945, 0.943}, 0.444, 25, 19.649, 0.442, 0.186, 0.188, 46, 5},
		"prostate":          {link{-0.819, -0.758}, link{0.954, 0.869}, 0.480, 1, 3.721, 0.410, 0.128, 0.194, 46, 13},
		"airquality":        {link{-0.86, -0.801}, link{0.9, 0.916}, 0.421, 9, 19.649, 0.410, 0.582, 0.616, 46, 5},
		"triazines":         {link{-0.883, -0.795}, link{0.953, 0.906}, 0.489, 2, 3.721, 0.440, 0.858, 0.899, 46, 3},
		"slump":             {link{-0.809, -0.732}, link{0.938, 0.877}, 0.413, 2, 12.526, 0.405, 0.127, 0.269, 46, 7},
		"yacht":             {link{-0.943, -0.644}, link{0.926, 0.927}, 0.463, 200, 80, 0.361, 0.012, 0.020, 46, 2},
		"energy":            {link{-0.77, -0.691}, link{0.926, 0.938}, 0.363, 20, 31.175, 0.364, 0.080, 0.085, 46, 3},
		"auto-mpg":          {link{-0.8, -0.806}, link{0.804, 0.842}, 0.309, 60, 80, 0.404, 0.206, 0.208, 46, 2},
		"student":           {link{-0.963, -0.954}, link{0.973, 0.869}, 0.362, 3, 12.526, 0.444, 0.223, 0.242, 46, 7},
		"breast-prognostic": {link{-0.869, -0.841}, link{0.939, 0.891}, 0.359, 4, 12.526, 0.392, 0.853, 0.898, 46, 7},
		"abalone":           {link{-0.889, -0.954}, link{0.90, 0.78}, 0.33, 50, 70, 0.32, 0.42, 0.443, 32, 2},
	},
	"elm": {
		"auto":              trainOnly(link{-0.652, -0.744}),
		"boston":            trainOnly(link{-0.755, -0.986}),
		"prostate":          trainOnly(link{-0.82, -0.917}),
		"airquality":        trainOnly(link{-0.727, -0.9}),
		"triazines":         trainOnly(link{-0.593, -0.62}),
		"slump":             trainOnly(link{-0.809, -0.685}),
		"yacht":             trainOnly(link{-0.648, -0.935}),
		"energy":            trainOnly(link{-0.745, -0.925}),
		"auto-mpg":          trainOnly(link{-0.673, -0.903}),
		"student":           trainOnly(link{-0.836, -0.966}),
		"breast-prognostic": trainOnly(link{-0.396, -0.417}),
	},
}

// trainOnly returns the figures for the kernel that is only in Table 5.
func trainOnly(train link) paperOf {
	p := noPaper
	p.train = train
	return p
}
