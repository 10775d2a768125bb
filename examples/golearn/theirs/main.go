// Theirs takes unchanged programs from golearn's own module, replaces the one line that creates the classifier (and its import),
// and prints the accuracy of each next to golearn's. The same program also runs on golearn's house-votes and titanic data, after a
// change of the line that reads its file. It needs the go command and, for golearn's nearest neighbours and random forest, a C
// compiler.
//
//	go run ./examples/golearn/theirs
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kernelearn/kernelearn/internal/cli"
)

// program describes a program from golearn.
type program struct {
	name     string
	file     string   // path below golearn's examples folder
	line     string   // expression that creates the classifier
	imported string   // package that only this expression needs
	assign   string   // beginning of the line, which stays
	data     []string // old and new text of a line that reads the data or begins a loop, or nil
}

const readsIris = `base.ParseCSVToInstances("../datasets/iris_headers.csv", true)`

var programs = []program{
	{name: "KNN example, iris", file: "knnclassifier/knnclassifier_iris.go", assign: "cls := ",
		line: `knn.NewKnnClassifier("euclidean", "linear", 2)`, imported: "knn"},
	{name: "KNN example, house votes", file: "knnclassifier/knnclassifier_iris.go", assign: "cls := ",
		line: `knn.NewKnnClassifier("euclidean", "linear", 2)`, imported: "knn",
		data: []string{readsIris, `base.ParseCSVToInstances("../datasets/house-votes-84.csv", true)`}},
	{name: "KNN example, titanic", file: "knnclassifier/knnclassifier_iris.go", assign: "cls := ",
		line: `knn.NewKnnClassifier("euclidean", "linear", 2)`, imported: "knn",
		data: []string{readsIris, `base.ParseCSVToInstances("../datasets/titanic.csv", false)`}},
	{name: "cross-fold random forest, iris", file: "crossfold/rf.go", assign: "tree = ",
		line: `ensemble.NewRandomForest(i, 4)`, imported: "ensemble",
		data: []string{"for i := 1; i < 60", "for i := 59; i < 60"}}, // only the accuracy for the largest number of trees is used
}

// ours lists the replacements of golearn's lines, with the packages that they need.
var ours = []struct{ imports, line string }{
	{"estimators/lssvm", "&golearn.Classifier{Estimator: &lssvm.Classifier{}}"},
	{"estimators/svm", "&golearn.Classifier{Estimator: &svm.Classifier{}}"},
	{"estimators/rvm", "&golearn.Classifier{Estimator: &rvm.Classifier{}}"},
	{"estimators/eem", "&golearn.Classifier{Estimator: &eem.Classifier{Units: 50}}"},
	{"estimators/eem", "&golearn.Classifier{Estimator: &eem.KernelClassifier{Components: 30}}"},
	{"estimators/elm", "&golearn.Classifier{Estimator: &elm.Classifier{Units: 50, Ridge: .1, Balanced: true}}"},
	{"selection selection/entropy", "&golearn.Classifier{Estimator: &selection.Classifier{Search: &entropy.Search{}}}"},
	{"estimators/pipeline estimators/lssvm transformers transformers/scalers",
		"&golearn.Classifier{Estimator: &pipeline.Classifier{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: " +
			"&lssvm.Classifier{}}}"},
}

const (
	module     = "github.com/kernelearn/kernelearn"
	theirsPath = "github.com/sjwhitworth/golearn"
)

func main() {
	cli.NoFlags("theirs runs golearn's own example programs with one line changed to use a classifier of kernelearn.")
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	theirDir, err := output("go", "list", "-m", "-f", "{{.Dir}}", theirsPath)
	if err != nil {
		return err
	}
	ourDir, err := output("go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "theirs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	// The changed programs are packages in an overlay, so that only the compiler finds them in a folder of this module. Each
	// package has a function Main. A single program calls the Main that its first argument names, so that one program is linked
	// instead of 36.
	overlay := map[string]string{}
	add := func(virtual, text string) error {
		file := filepath.Join(dir, strings.ReplaceAll(virtual, "/", "_"))
		overlay[filepath.Join(ourDir, "examples", "golearn", "theirs", filepath.FromSlash(virtual))] = file
		return os.WriteFile(file, []byte(text), 0o600)
	}
	var imports, cases strings.Builder
	for i, p := range programs {
		source, err := os.ReadFile(filepath.Join(theirDir, "examples", filepath.FromSlash(p.file)))
		if err != nil {
			return err
		}
		for k := -1; k < len(ours); k++ {
			name := p.packageName(i, k)
			text, err := p.changed(string(source), name, k)
			if err != nil {
				return err
			}
			if err := add(name+"/program.go", text); err != nil {
				return err
			}
			fmt.Fprintf(&imports, "\t%q\n", path.Join(module, "examples/golearn/theirs", name))
			fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", name, name)
		}
	}
	if err := add("all/main.go",
		fmt.Sprintf("package main\n\nimport (\n\t\"os\"\n\n%s)\n\nfunc main() {\n\tswitch os.Args[1] {\n%s\t}\n}\n",
			&imports, &cases)); err != nil {
		return err
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), replace, 0o600); err != nil {
		return err
	}
	binary := filepath.Join(dir, "all.exe")
	if _, err := output("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary,
		module+"/examples/golearn/theirs/all"); err != nil {
		return err
	}
	for i, p := range programs {
		fmt.Fprintf(out, "%s\n", p.name)
		for k := -1; k < len(ours); k++ {
			cmd := exec.Command(binary, p.packageName(i, k))
			cmd.Dir = filepath.Join(theirDir, "examples", filepath.Dir(filepath.FromSlash(p.file)))
			printed, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("%s with %s: %w", p.name, lineOf(p, k), err)
			}
			accuracy, err := accuracyIn(string(printed))
			if err != nil {
				return fmt.Errorf("%s with %s: %w", p.name, lineOf(p, k), err)
			}
			fmt.Fprintf(out, "  %s  %s\n", accuracy, lineOf(p, k))
		}
	}
	return nil
}

func (p program) packageName(i, k int) string { return fmt.Sprintf("program%d_%d", i, k+1) }

func lineOf(p program, k int) string {
	if k < 0 {
		return p.line
	}
	return ours[k].line
}

// changed returns the program as a package called name. If k is not -1, line k of ours replaces the program's own line.
func (p program) changed(source, name string, k int) (string, error) {
	edits := append([]string{"package main", "package " + name, "func main()", "func Main()"}, p.data...)
	if k >= 0 {
		imports := fmt.Sprintf("%q\n", module+"/adapters/golearn")
		for _, path := range strings.Fields(ours[k].imports) {
			imports += fmt.Sprintf("\t%q\n", module+"/"+path)
		}
		edits = append(edits, p.assign+p.line, p.assign+ours[k].line, fmt.Sprintf("%q", theirsPath+"/"+p.imported), imports)
	}
	for i := 0; i < len(edits); i += 2 {
		if strings.Count(source, edits[i]) != 1 {
			return "", fmt.Errorf("%s: the text %s is not there once", p.file, edits[i])
		}
		source = strings.Replace(source, edits[i], edits[i+1], 1)
	}
	return source, nil
}

var (
	summary  = regexp.MustCompile(`Overall accuracy: (\S+)`)
	lastLine = regexp.MustCompile(`(?m)^\d+\t(\S+)\t\(\+/- \S+\)\n\z`)
)

// accuracyIn returns the accuracy in golearn's summary, or in the last line that its forests print.
func accuracyIn(printed string) (string, error) {
	for _, pattern := range []*regexp.Regexp{summary, lastLine} {
		if m := pattern.FindStringSubmatch(printed); m != nil {
			return m[1], nil
		}
	}
	return "", errors.New("no accuracy is printed")
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
