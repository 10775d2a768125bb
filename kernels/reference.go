package kernels

import "github.com/kernelearn/kernelearn/internal/fault"

// Reference is a kernel as a model file holds it: by its name, to be compared with
// that of the value read into, since functions are not stored. The RBF that was
// taken for a nil Kernel is stored whole.
//
// An estimator with a Kernel field stores MakeReference(field, used) and gets the
// kernel back by Resolve(kind, field).
type Reference struct {
	Name   string
	Median bool // the field was nil
	Gamma  float64
}

// MakeReference refers to the kernel that was used where configured stood in the
// field.
func MakeReference(configured, used Kernel) Reference {
	r := Reference{Name: used.String()}
	if k, ok := used.(RBF); ok && configured == nil {
		r.Median, r.Gamma = true, k.Gamma
	}
	return r
}

// Resolve returns the kernel that r refers to, given the field of the value that
// reads it. The error, ErrBadModel, names the kind of model and says what does not
// match.
func (r Reference) Resolve(kind string, configured Kernel) (Kernel, error) {
	switch {
	case r.Median && configured != nil:
		return nil, fault.BadModel(kind, "fitted with Kernel nil (%s by the median), this value has Kernel %v", r.Name, configured)
	case r.Median:
		k := RBF{Gamma: r.Gamma}
		if Validate(k) != nil || k.String() != r.Name {
			return nil, fault.BadModel(kind, "kernel %q with gamma %v", r.Name, r.Gamma)
		}
		return k, nil
	case configured == nil:
		return nil, fault.BadModel(kind, "fitted with Kernel %s, this value has Kernel nil", r.Name)
	case configured.String() != r.Name:
		return nil, fault.BadModel(kind, "fitted with Kernel %s, this value has Kernel %v", r.Name, configured)
	}
	return configured, nil
}
