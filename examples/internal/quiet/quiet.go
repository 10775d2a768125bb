// Package quiet runs code that prints what nobody asked for.
package quiet

import "os"

// Stdout calls f with standard output thrown away: golearn's KNN writes its
// progress there, over and over, and has no switch for it.
func Stdout(f func() error) error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	stdout := os.Stdout
	os.Stdout = null
	defer func() { os.Stdout = stdout }()
	return f()
}
