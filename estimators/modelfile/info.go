package modelfile

import (
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/settings"
)

// Info describes the model in a file, or a part of it.
type Info struct {
	Name        string    `json:"name,omitempty"`         // name of a part of the model: "Steps[0]", "Final"
	Type        string    `json:"type"`                   // "lssvm.Regressor"
	Package     string    `json:"package,omitempty"`      // the import that registers the type
	Imports     []string  `json:"imports,omitempty"`      // all imports that a program needs to load the file, that of Package first
	Settings    []Setting `json:"settings,omitempty"`     // exported fields that are not zero
	LeftOut     []string  `json:"left_out,omitempty"`     // fields that were set and cannot be stored
	Kernel      string    `json:"kernel,omitempty"`       // the fitted kernel
	Columns     int       `json:"columns,omitempty"`      // number of columns of x, or 0 if it is unknown
	ColumnNames []string  `json:"column_names,omitempty"` // if they were given
	Classes     []int     `json:"classes,omitempty"`
	ClassNames  []string  `json:"class_names,omitempty"` // if they were given
	Comment     string    `json:"comment,omitempty"`
	GoesOn      bool      `json:"goes_on,omitempty"` // PartialFit can continue, because Checkpoint wrote the file
	Parts       []Info    `json:"parts,omitempty"`
	Version     int       `json:"version,omitempty"`  // version of the output of the model's MarshalBinary
	Format      int       `json:"format,omitempty"`   // format of the file, or 0 if it is the output of MarshalBinary alone
	Library     string    `json:"library,omitempty"`  // version that wrote it
	Bytes       int       `json:"bytes,omitempty"`    // size of the file, or of a part in it
	Checksum    string    `json:"checksum,omitempty"` // verified SHA-256, in hexadecimal
}

// Setting is a field and its value as Go source.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DescribeFile calls Describe with the contents of a file.
func DescribeFile(path string) (Info, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Info{}, err
	}
	return Describe(data)
}

// Describe describes the model in data, the bytes of a file. Its type need not be registered. For the output of MarshalBinary of a
// type in this module, Describe returns the type, the version and the size of the model and of its parts. It returns ErrBadModel if
// the data is incomplete, has been changed or is not a file of this module, or if its format is newer than this release.
func Describe(data []byte) (Info, error) {
	holds, err := codec.Inspect(data)
	if err != nil {
		return Info{}, err
	}
	out := Info{Type: holds.Kind, Version: holds.Version, Bytes: len(data), Checksum: hex.EncodeToString(holds.Checksum)}
	if holds.Kind != kind {
		out.Parts = partsOf(holds.Within)
		return out, nil
	}
	s, err := open(data)
	if err != nil {
		return Info{}, err
	}
	h := s.Head
	out.Type, out.Package, out.Format, out.Version = h.Type, h.Package, holds.Version, 0
	out.Settings, out.LeftOut = pairs(h.Settings.Pairs()), h.Settings.Missing()
	out.Kernel, out.Columns, out.Classes = h.Kernel, h.Columns, h.Classes
	out.ColumnNames, out.ClassNames, out.Comment = h.Notes.Columns, h.Notes.Classes, h.Notes.Comment
	for _, t := range s.imports() {
		if t.Package != "" && !slices.Contains(out.Imports, t.Package) {
			out.Imports = append(out.Imports, t.Package)
		}
	}
	out.Library, out.GoesOn = s.Library, len(s.Goes) > 0
	out.Parts = infos(h.Parts)
	if model, err := codec.Inspect(s.Model); err == nil { // MarshalBinary of a third-party type may return data in any format
		out.Version = model.Version
	}
	return out, nil
}

func pairs(in []settings.Pair) (out []Setting) {
	for _, p := range in {
		out = append(out, Setting(p))
	}
	return out
}

func infos(in []partInfo) (out []Info) {
	for _, p := range in {
		out = append(out, Info{Name: p.Name, Type: p.Type, Settings: pairs(p.Settings), Kernel: p.Kernel, Columns: p.Columns,
			Classes: p.Classes,
			Parts:   infos(p.Parts)})
	}
	return out
}

// partsOf returns the parts of a model that MarshalBinary encoded.
func partsOf(in []codec.Content) (out []Info) {
	for _, c := range in {
		out = append(out, Info{Type: c.Kind, Version: c.Version, Bytes: c.Bytes, Parts: partsOf(c.Within)})
	}
	return out
}

// String returns a line for each known property.
func (i Info) String() string {
	var b strings.Builder
	i.write(&b, "")
	return b.String()
}

func (i Info) write(b *strings.Builder, indent string) {
	line := func(what, format string, args ...any) {
		fmt.Fprintf(b, "%s%-10s %s\n", indent, what, strings.Map(printed, fmt.Sprintf(format, args...)))
	}
	if i.Name == "" {
		line("type", "%s", i.Type)
	} else {
		line("part", "%s: %s", i.Name, i.Type)
	}
	for k, s := range i.Settings {
		what := "settings"
		if k > 0 {
			what = ""
		}
		line(what, "%s: %s", s.Name, s.Value)
	}
	if len(i.LeftOut) > 0 {
		line("left out", "%s", strings.Join(i.LeftOut, ", "))
	}
	if i.Kernel != "" {
		line("kernel", "%s", i.Kernel)
	}
	if i.Columns > 0 {
		line("columns", "%s", named(fmt.Sprint(i.Columns), i.ColumnNames))
	}
	switch {
	case len(i.Classes) > 0:
		line("classes", "%s", named(abbreviated(i.Classes), i.ClassNames))
	case len(i.ClassNames) > 0:
		line("classes", "%s", named(fmt.Sprint(len(i.ClassNames)), i.ClassNames))
	}
	if i.Comment != "" {
		line("comment", "%q", i.Comment)
	}
	if i.GoesOn {
		line("goes on", "PartialFit, from the statistics in the file")
	}
	for k, path := range i.Imports {
		what := "imports"
		if k > 0 {
			what = ""
		}
		line(what, "%s", path)
	}
	if i.Format > 0 {
		line("written by", "kernelearn %s, format %d, model version %d", i.Library, i.Format, i.Version)
	} else if i.Version > 0 {
		line("version", "%d", i.Version)
	}
	if i.Bytes > 0 {
		line("size", "%d bytes", i.Bytes)
	}
	if i.Checksum != "" {
		line("checksum", "%s", i.Checksum)
	}
	for _, p := range i.Parts {
		p.write(b, indent+"  ")
	}
}

// most is the largest number of names or classes that are printed.
const most = 20

func named(what string, names []string) string {
	if len(names) == 0 {
		return what
	}
	quoted := make([]string, min(len(names), most))
	for k := range quoted {
		quoted[k] = fmt.Sprintf("%.60q", names[k])
	}
	if len(names) > most {
		quoted = append(quoted, "…")
	}
	return what + " (" + strings.Join(quoted, ", ") + ")"
}

func abbreviated(classes []int) string {
	if len(classes) > most {
		return fmt.Sprintf("%d: %v …", len(classes), classes[:most])
	}
	return fmt.Sprint(classes)
}

// printed replaces characters that are not printable, which could move the cursor of a terminal.
func printed(r rune) rune {
	if !unicode.IsPrint(r) {
		return unicode.ReplacementChar
	}
	return r
}
