package loading

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A Script is ES modules rolled into one: an entry and all that it imports, at once or
// later. A page that loads it asks for nothing more, and each module is there once.
type Script struct {
	Name    string   // of the entry, as js/main.js
	Modules []string // that are in it, the entry too, in alphabetical order
	Code    []byte   // which names MapName as its source map
	Map     []byte   // leads a browser's tools from the code to the modules as they were written
}

// MapName is the file, beside the script, that its code says has its source map.
func (s *Script) MapName() string { return s.Name + ".map" }

// A Problem is something in a module because of which no script could be made.
type Problem struct {
	File         string // "" if it is none of a file
	Line, Column int    // from 1; 0 if it is of the whole file
	Text         string
}

func (p Problem) String() string {
	switch {
	case p.File == "":
		return p.Text
	case p.Line == 0:
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// A ScriptError says why the modules of a script could not be rolled into one.
type ScriptError struct {
	Entry    string
	Problems []Problem // at least one, and at most mostProblems
}

func (e *ScriptError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// mostProblems bounds how much is said of one script.
const mostProblems = 10

// space is where esbuild is told that the modules are: in no folder of the machine.
const space = "modules"

// Roll makes one script of a module and all that it imports by relative addresses,
// with esbuild. Nothing is read but files, and nothing is written. An address that a
// module computes is left as it is; it is relative to the entry.
func Roll(files fs.FS, entry string) (*Script, error) {
	s := &Script{Name: entry}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{entry},
		Outfile:     path.Base(entry), // only the names in the source map are relative to it
		Plugins:     []api.Plugin{within(files)},
		Bundle:      true,
		Write:       false,
		Metafile:    true,
		Format:      api.FormatESModule,
		Platform:    api.PlatformBrowser,
		Target:      api.ES2022,
		Charset:     api.CharsetUTF8,

		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,

		Sourcemap:      api.SourceMapExternal, // its address is for us to say
		SourceRoot:     "/modules/",
		SourcesContent: api.SourcesContentInclude,
		LogLevel:       api.LogLevelSilent,
		LogLimit:       mostProblems,
	})
	// What esbuild warns of, such as a name that is declared twice, is a mistake in a
	// module that is ours.
	if problems := slices.Concat(result.Errors, result.Warnings); len(problems) > 0 {
		return nil, newScriptError(entry, problems)
	}
	for _, file := range result.OutputFiles {
		if strings.HasSuffix(file.Path, ".map") {
			s.Map = plain(file.Contents)
		} else {
			s.Code = file.Contents
		}
	}
	var about struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &about); err != nil {
		return nil, fmt.Errorf("%s: what esbuild says of its modules: %w", entry, err)
	}
	for name := range about.Inputs {
		s.Modules = append(s.Modules, strings.TrimPrefix(name, space+":"))
	}
	slices.Sort(s.Modules)
	s.Code = fmt.Appendf(s.Code, "//# sourceMappingURL=%s\n", path.Base(s.MapName()))
	return s, nil
}

// within has esbuild find modules among files, and nowhere else.
func within(files fs.FS) api.Plugin {
	return api.Plugin{Name: space, Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			name := args.Path
			if args.Kind != api.ResolveEntryPoint {
				if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
					return api.OnResolveResult{}, fmt.Errorf("%q is no relative address of a module, as './part/dom.js' is", name)
				}
				name = path.Join(path.Dir(args.Importer), name)
			}
			if info, err := fs.Stat(files, name); err != nil || info.IsDir() {
				return api.OnResolveResult{}, fmt.Errorf("there is no module %s", name)
			}
			return api.OnResolveResult{Path: name, Namespace: space}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: space}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			body, err := fs.ReadFile(files, args.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			text := string(body)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
	}}
}

// plain takes our space out of the names of the modules in a source map, which come
// before their texts.
func plain(text []byte) []byte {
	names, texts, _ := bytes.Cut(text, []byte(`"sourcesContent"`))
	names = bytes.ReplaceAll(names, []byte(`"`+space+":"), []byte(`"`))
	return slices.Concat(names, []byte(`"sourcesContent"`), texts)
}

func newScriptError(entry string, messages []api.Message) *ScriptError {
	e := &ScriptError{Entry: entry}
	for _, m := range messages[:min(len(messages), mostProblems)] {
		p := Problem{Text: strings.ReplaceAll(m.Text, space+":", "")}
		if at := m.Location; at != nil {
			p.File, p.Line, p.Column = strings.TrimPrefix(at.File, space+":"), at.Line, at.Column+1
		}
		e.Problems = append(e.Problems, p)
	}
	return e
}
