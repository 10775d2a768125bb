package kernels

import (
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Reference describes a kernel in a model file. Functions cannot be stored, so a kernel is described by its name. It is compared
// with the name of the kernel in the value into which the model is decoded. Kernels that Fit chose because Kernel was nil are
// stored completely. They are an [RBF], a [Matern] or an [ARD] of a Matern, for all columns or for some ([Columns]). If the
// parameters of a [Differentiable] kernel were learnt, their values are stored, and the kernel in the field receives them.
//
// An estimator with a Kernel field stores [MakeReference](field, used). It restores the kernel with Resolve(kind, field).
type Reference struct {
	Name string

	// Median is true if the field was nil.
	Median bool
	Gamma  float64
	// Nu is the ν of a [Matern] that was used instead of an [RBF]. The length of this Matern is in Params.
	Nu float64 `cbor:",omitempty"`

	// Params are the values of the used kernel's parameters, if they differ from those in the field.
	Params []float64 `cbor:",omitempty"`

	// Lengths are the lengths of an [ARD] of a [Matern] that was used instead of an RBF.
	Lengths []float64 `cbor:",omitempty"`

	// Columns lists the columns for which the kernel was used. It is empty if the kernel was used for all columns.
	Columns []int `cbor:",omitempty"`
}

// MakeReference describes the used kernel, given the kernel in the field.
func MakeReference(configured, used Kernel) Reference {
	r := Reference{Name: used.String()}
	if configured == nil {
		if some, ok := used.(Columns); ok {
			r.Columns, used = some.Of, some.Kernel
		}
		switch k := used.(type) {
		case RBF:
			r.Median, r.Gamma = true, k.Gamma
		case Matern:
			k = k.withDefaults()
			r.Median, r.Nu, r.Params = true, k.Nu, []float64{k.Length}
		case ARD:
			if m, ok := k.Kernel.(Matern); ok && k.Groups == nil {
				m = m.withDefaults()
				r.Median, r.Nu, r.Params, r.Lengths = true, m.Nu, []float64{m.Length}, k.Lengths
			}
		}
		return r
	}
	if configured.String() == r.Name {
		return r
	}
	values := valuesOf(paramsOf(used))
	if k, err := withStored(configured, values); err == nil && k.String() == r.Name {
		r.Params = values
	}
	return r
}

func valuesOf(params []Param) []float64 {
	out := make([]float64, len(params))
	for i, p := range params {
		out[i] = p.Value
	}
	return out
}

// withStored returns a kernel with other values of its parameters. It returns an error if their number differs or the kernel
// rejects them.
func withStored(k Kernel, values []float64) (Kernel, error) {
	d, ok := embedding.As[Differentiable](k)
	if !ok || len(values) == 0 {
		return nil, fault.Param("kernels: Reference", "Kernel", k, "a Differentiable kernel with parameters")
	}
	if got := len(d.Params()); got != len(values) {
		return nil, fault.Param("kernels: Reference", "len(Params)", got, "as many as were stored")
	}
	out := d.WithParams(slices.Clone(values))
	return out, Validate(out)
}

// Resolve returns the kernel that r describes, given the field of the value into which it is decoded. If they do not match, the
// error is ErrBadModel, and names the kind of model and the mismatch.
func (r Reference) Resolve(kind string, configured Kernel) (Kernel, error) {
	switch {
	case r.Median && configured != nil:
		return nil, fault.BadModel(kind, "fitted with Kernel nil (%s was chosen), this value has Kernel %v", r.Name, configured)
	case r.Median:
		return r.chosen(kind)
	case configured == nil:
		return nil, fault.BadModel(kind, "fitted with Kernel %s, this value has Kernel nil", r.Name)
	case len(r.Params) > 0 && Validate(configured) == nil:
		if k, err := withStored(configured, r.Params); err == nil && k.String() == r.Name {
			return k, nil
		}
		return nil, fault.BadModel(kind, "fitted with Kernel %s and %d parameters learnt, this value has Kernel %v", r.Name, len(r.Params),
			configured)
	case configured.String() != r.Name:
		return nil, fault.BadModel(kind, "fitted with Kernel %s, this value has Kernel %v", r.Name, configured)
	}
	return configured, nil
}

// chosen returns the kernel that was chosen because the field was nil.
func (r Reference) chosen(kind string) (Kernel, error) {
	var k Kernel = RBF{Gamma: r.Gamma}
	what, value := "gamma", any(r.Gamma)
	if r.Nu != 0 {
		what, value = "nu and length", append([]float64{r.Nu}, r.Params...)
		if len(r.Params) == 1 {
			k = Matern{Nu: r.Nu, Length: r.Params[0]}
		}
		if len(r.Lengths) > 0 {
			what, value = "lengths", r.Lengths
			k = ARD{Kernel: k, Lengths: r.Lengths}
		}
	}
	if len(r.Columns) > 0 {
		what, value = what+" on columns", fmt.Sprint(value, r.Columns)
		k = Columns{Of: r.Columns, Kernel: k}
	}
	if Validate(k) != nil || k.String() != r.Name {
		return nil, fault.BadModel(kind, "kernel %q with %s %v", r.Name, what, value)
	}
	return k, nil
}
