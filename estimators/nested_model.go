package estimators

import (
	"encoding"
	"errors"
	"fmt"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
)

// NestedModel is a fitted value within the file of a composite, such as a pipeline or a search. It consists of the name of the
// value's type and the output of its MarshalBinary. It is decoded into a value of that type with the same settings, because
// settings are not stored.
type NestedModel struct {
	Type string
	Data []byte
}

// NestModel stores v. It returns the errors of v, prefixed with the name. If v cannot be stored, the error wraps
// errors.ErrUnsupported.
func NestModel(name string, v any) (NestedModel, error) {
	m, ok := v.(encoding.BinaryMarshaler)
	if !ok || !Supports(v, Marshalling) {
		return NestedModel{}, Unsupported(name, v, Marshalling)
	}
	data, err := m.MarshalBinary()
	if err != nil {
		return NestedModel{}, fmt.Errorf("%s: %w", name, err)
	}
	return NestedModel{Type: registry.NameOf(v), Data: data}, nil
}

// UnmarshalInto decodes the part into v. Errors contain kind, the kind of the composite, and which, the position of the part in it.
// It returns ErrBadModel if the type differs from that of v or the data is bad, or an error that wraps errors.ErrUnsupported.
func (p NestedModel) UnmarshalInto(kind, which string, v any) error {
	if have := registry.NameOf(v); strings.TrimPrefix(p.Type, "*") != have {
		return fault.BadModel(kind, "%s was a %s, this value has a %s", which, p.Type, have)
	}
	u, ok := v.(encoding.BinaryUnmarshaler)
	if !ok || !Supports(v, Marshalling) {
		return Unsupported(kind+": "+which, v, Marshalling)
	}
	switch err := u.UnmarshalBinary(p.Data); {
	case err == nil:
		return nil
	case errors.Is(err, ErrBadModel):
		return fmt.Errorf("%s: %s: %w", kind, which, err)
	default: // an error of a third-party type
		return fault.BadModel(kind, "%s: %v", which, err)
	}
}
