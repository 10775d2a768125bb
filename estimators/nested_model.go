package estimators

import (
	"encoding"
	"errors"
	"fmt"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
)

// NestedModel is a fitted value within the file of a composite, a pipeline or a search: the
// name of its type and what its MarshalBinary gave. It is read into an equally configured
// value of that type, since configuration is not stored.
type NestedModel struct {
	Type string
	Data []byte
}

// NestModel stores v. The name stands before the errors: v's own, or one that wraps
// errors.ErrUnsupported where v cannot be stored.
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

// UnmarshalInto reads the part into v; which names the place within a composite of that kind,
// for errors: ErrBadModel for another type than v's and for bad data, or one that
// wraps errors.ErrUnsupported.
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
	default: // of a type of the caller's own
		return fault.BadModel(kind, "%s: %v", which, err)
	}
}
