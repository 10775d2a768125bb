package transformers

import (
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// version is that of every transformer's file so far.
const version = 1

// marshal stores what was fitted; name is the type as errors have it, kind as files
// have it.
func marshal[M any](name, kind string, fitted *M) ([]byte, error) {
	if fitted == nil {
		return nil, fault.NotFitted(name)
	}
	return codec.Marshal(kind, version, fitted)
}

// unmarshal reads what marshal wrote and assigns it if valid says nothing against it.
func unmarshal[M any](data []byte, kind string, fitted **M, valid func(*M) error) error {
	m := new(M)
	if _, err := codec.Unmarshal(data, kind, version, m); err != nil {
		return err
	}
	if err := valid(m); err != nil {
		return fault.BadModel(kind, "%v", err)
	}
	*fitted = m
	return nil
}
