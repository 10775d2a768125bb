package selection

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Space holds the models that a search chooses from: the kernels of one or several families ([Kernels]), the kernels of a family
// with two parameters ([Kernels2]), or given estimators ([Candidates]). The zero Space is Kernels without families, for the
// machines of package lssvm.
type Space[E any] struct {
	build      func(kernels.Kernel) E // nil for the machines of package lssvm
	families   []families.Family
	two        families.Family2
	candidates []func() E
	listed     bool     // whether Candidates was called, possibly without candidates
	labels     []string // names of the candidates; nil: none
	turns      []int    // order of the candidates, smaller first; nil: the given order
	left       bool     // whether it had functions, which a model file cannot hold
	categories []int    // columns of the preprocessed rows that kernels with lengths treat as categories
}

// Kernels returns the space of the kernels of families. The function build must return a new estimator with the given kernel. If it
// is nil, the estimators are &lssvm.Regressor{Kernel: k} or &lssvm.Classifier{Kernel: k}. If build returns the same estimator for
// every kernel, the Result contains a warning. The search covers each family, and chooses the one with the best score. Without
// families it uses [families.RBF], and for an [entropy.Search] with several targets also [families.Matern] with Nu 2.5.
func Kernels[E any](build func(k kernels.Kernel) E, families ...families.Family) Space[E] {
	return Space[E]{build: build, families: families}
}

// defaultFamilies returns the families that a strategy searches if the caller names none.
func defaultFamilies(search search.Strategy) []families.Family {
	if e, ok := search.(*entropy.Search); ok && len(e.Targets) != 1 {
		return []families.Family{families.RBF{}, families.Matern{Nu: 2.5}}
	}
	return []families.Family{families.RBF{}}
}

// Kernels2 returns the space of the kernels of a family with two parameters. The search varies the parameters in turn, each with
// the other at its best value so far, until the score no longer improves. The function build is as in [Kernels].
func Kernels2[E any](build func(k kernels.Kernel) E, family families.Family2) Space[E] {
	return Space[E]{build: build, two: family}
}

// Candidates returns the space of the given estimators, which may have any types and settings. The search fits clones of them.
// Without Preprocess the estimators receive gaps (NaN in x) unchanged. The strategy must use cross-validation, as [grid.Search] and
// [grid.Halving] do.
//
// [grid.Halving]: https://pkg.go.dev/github.com/kernelearn/kernelearn/selection/grid#Halving
// [grid.Search]: https://pkg.go.dev/github.com/kernelearn/kernelearn/selection/grid#Search
func Candidates[E any](candidates ...E) Space[E] {
	s := Space[E]{listed: true}
	for _, c := range candidates {
		s.candidates = append(s.candidates, cloner(c))
	}
	return s
}

// cloner returns a function that clones the estimator. If the estimator is nil, it returns nil.
func cloner[E any](e E) func() E {
	if check.IsNil(e) {
		return nil
	}
	return func() E { return estimators.Clone(e) }
}

// option describes an estimator of the space that can be built.
type option[E any] struct {
	name   string
	kernel kernels.Kernel // nil for a candidate
	build  func() E
}

// option returns the option for a point of a family. The family is nil for candidates.
func (s Space[E]) option(family families.Family, p search.Point) option[E] {
	if p.IsCandidate() {
		return option[E]{name: p.String(), build: s.candidates[p.Candidate]}
	}
	return s.kernelOption(family.Kernel(p.Param))
}

// kernelOption returns the option for a kernel.
func (s Space[E]) kernelOption(kernel kernels.Kernel) option[E] {
	return option[E]{name: kernel.String(), kernel: kernel, build: func() E { return s.build(kernel) }}
}

// chosen returns the option that a result describes.
func (s Space[E]) chosen(family families.Family, p search.Point, values []float64) (option[E], error) {
	if len(values) == 0 || p.IsCandidate() {
		return s.option(family, p), nil
	}
	kernel, err := search.LearntKernel(family.Kernel(p.Param), values, s.categories)
	if err != nil {
		return option[E]{}, err
	}
	return s.kernelOption(kernel), nil
}

// slice returns a family with one parameter: a Family2 whose other parameter is fixed at the given value.
func (s Space[E]) slice(second bool, value float64) families.Family {
	return families.Fixed{Family: s.two, Second: second, Value: value}
}

// isZero reports whether s is the zero Space.
func (s Space[E]) isZero() bool {
	return s.build == nil && len(s.families) == 0 && s.two == nil && !s.listed && !s.left
}

// storedSpace is the form of a Space in a model file. Only a Space without functions has one.
type storedSpace struct {
	Families []families.Family
	Two      families.Family2
}

// stored returns the part of s that a model file holds. The result ok is false if functions build the estimators.
func (s Space[E]) stored() (out storedSpace, ok bool) {
	return storedSpace{s.families, s.two}, s.build == nil && !s.listed && !s.left
}

func readSpace[E any](s storedSpace) Space[E] { return Space[E]{families: s.Families, two: s.Two} }

// withDefaults returns s with defaults for the fields that the caller left unset.
func (s Space[E]) withDefaults(lssvm func(kernels.Kernel) E, search search.Strategy) Space[E] {
	if s.build == nil {
		s.build = lssvm
	}
	if len(s.families) == 0 {
		s.families = defaultFamilies(search)
	}
	return s
}

// validate returns an error if the caller's settings are invalid.
func (s Space[E]) validate(typ string) error {
	if s.left {
		return fault.Param(typ, "Space", "missing: its functions were left out of the model file", "one, before a Fit")
	}
	if s.listed && len(s.candidates) == 0 {
		return fault.Param(typ, "Space", "no candidates", "at least one")
	}
	for i, build := range s.candidates {
		if build == nil || any(build()) == nil {
			return fault.Param(typ, fmt.Sprintf("Space: candidate %d", i), "nil", "a function that returns an estimator")
		}
	}
	given := map[string]bool{}
	for i, name := range s.labels {
		if err := check.Text(typ, fmt.Sprintf("Space: candidate %d: Name", i), name); err != nil {
			return err
		}
		if name == "" || given[name] {
			return fault.Param(typ, fmt.Sprintf("Space: candidate %d: Name", i), fmt.Sprintf("%q", name), "distinct names")
		}
		given[name] = true
	}
	names := map[string]bool{}
	for i, f := range s.families {
		if f == nil || names[f.String()] {
			return fault.Param(typ, fmt.Sprintf("Space: family %d", i), f, "families with distinct names")
		}
		names[f.String()] = true
	}
	return nil
}

// names returns the names of the candidates' types.
func (s Space[E]) names() (out []string) {
	for _, build := range s.candidates {
		out = append(out, fmt.Sprintf("%T", build()))
	}
	return out
}

// samples returns one estimator that build returns, or all candidates. It omits invalid estimators, which validate reports.
func (s Space[E]) samples() (out []E) {
	if s.left {
		return nil
	}
	if !s.listed {
		return []E{s.build(s.least())}
	}
	for _, build := range s.candidates {
		if build != nil {
			out = append(out, build())
		}
	}
	return out
}

// least returns the kernel of the first family at its lower bounds.
func (s Space[E]) least() kernels.Kernel {
	family := s.families[0]
	switch {
	case s.two != nil:
		lo, _ := s.two.Bounds()
		family = s.slice(true, lo[1])
	case family == nil:
		family = families.RBF{}
	}
	lo, _ := family.Bounds()
	return family.Kernel(lo)
}

// ignores reports whether build returned the same estimator for this kernel as for the kernel at the family's lower bound. The
// argument sample is the latter estimator. An estimator that holds a function never equals another, so it is never reported.
func (s Space[E]) ignores(kernel kernels.Kernel, sample, made E) bool {
	if s.listed || kernel == nil {
		return false
	}
	return s.least().String() != kernel.String() && reflect.DeepEqual(any(sample), any(made))
}

// String describes the space as it appears in the description of a model.
func (s Space[E]) String() string {
	switch {
	case s.left:
		return "left out of the model file"
	case s.listed:
		return fmt.Sprintf("%d candidates", len(s.candidates))
	case s.two != nil:
		return s.two.String()
	case len(s.families) == 0:
		return families.RBF{}.String()
	}
	names := make([]string, len(s.families))
	for i, f := range s.families {
		names[i] = fmt.Sprint(f)
	}
	return strings.Join(names, ", ")
}

// find returns the option that a model was fitted with, if the space contains it.
func (s Space[E]) find(kind string, family string, p search.Point, param2 float64, values []float64) (option[E], error) {
	var none option[E]
	other := fault.BadModel(kind, "fitted with %s, this value's Space is %v", described(family, p), s)
	within := func(v, lo, hi float64) bool { return v >= lo && v <= hi && !math.IsInf(v, 0) }
	switch {
	case s.listed != p.IsCandidate():
		return none, other
	case s.listed:
		if p.Candidate >= len(s.candidates) || s.candidates[p.Candidate] == nil {
			return none, other
		}
		return s.option(nil, p), nil
	case s.two != nil:
		if s.two.String() != family {
			return none, other
		}
		lo, hi := s.two.Bounds()
		if !within(p.Param, lo[0], hi[0]) || !within(param2, lo[1], hi[1]) {
			return none, fault.BadModel(kind, "parameters %v and %v of family %s", p.Param, param2, family)
		}
		return s.option(s.slice(true, param2), p), nil
	}
	for _, f := range s.families {
		if f == nil || f.String() != family {
			continue
		}
		if lo, hi := f.Bounds(); !within(p.Param, lo, hi) {
			return none, fault.BadModel(kind, "parameter %v of family %s", p.Param, family)
		}
		chosen, err := s.chosen(f, p, values)
		if err != nil {
			return none, fault.BadModel(kind, "values of %s: %v", family, err)
		}
		return chosen, nil
	}
	return none, other
}

// described returns the text that describes a point in messages.
func described(family string, p search.Point) string {
	if p.IsCandidate() {
		return p.String()
	}
	return "family " + family
}
