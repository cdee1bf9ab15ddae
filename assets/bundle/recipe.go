package main

// A bundle is one ES module of dist and the packages it is made from.
type bundle struct {
	name  string // in dist
	entry string // the module that esbuild starts from
}

// bundles holds the only parts of each package that a page uses; esbuild drops
// the rest. The SVG renderer is the one that a page can print and enlarge.
var bundles = []bundle{
	{
		name: "echarts.js",
		entry: `import { init, use } from 'echarts/core';
import { BarChart, LineChart } from 'echarts/charts';
import {
  AriaComponent, DatasetComponent, GridComponent, LegendComponent,
  TitleComponent, TooltipComponent,
} from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
use([BarChart, LineChart, AriaComponent, DatasetComponent, GridComponent,
  LegendComponent, TitleComponent, TooltipComponent, SVGRenderer]);
export { init };
`,
	},
	{
		name:  "temml.js",
		entry: "export { default } from 'temml';\n",
	},
	{
		name: "codemirror.js",
		entry: `export { Compartment, EditorState, RangeSet, StateEffect, StateField, Transaction } from '@codemirror/state';
export {
  Decoration, EditorView, GutterMarker, MatchDecorator, ViewPlugin, WidgetType,
  drawSelection, dropCursor, gutter, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars,
  hoverTooltip, keymap, lineNumbers, showPanel,
} from '@codemirror/view';
export { defaultKeymap, history, historyKeymap, indentWithTab, redo, undo } from '@codemirror/commands';
export { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
export { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
export { lintGutter, setDiagnostics } from '@codemirror/lint';
export { cpp } from '@codemirror/lang-cpp';
export { tags } from '@lezer/highlight';
`,
	},
}

// A copied file goes into dist as the package has it.
type copied struct {
	name string // in dist
	from string // below node_modules
}

// Temml's style sheet names its font by a relative address, so the two lie
// side by side. The "Local" sheet uses the math fonts a reader's system has;
// the font is needed for script capitals such as the loss 𝓛 alone.
var copies = []copied{
	{name: "temml.css", from: "temml/dist/Temml-Local.css"},
	{name: "Temml.woff2", from: "temml/dist/Temml.woff2"},
}

// A licence is a text that has to travel with the bundles.
type licence struct {
	title string
	from  string // below node_modules
}

var licences = []licence{
	{"Apache ECharts, licence", "echarts/LICENSE"},
	{"Apache ECharts, notice", "echarts/NOTICE"},
	{"Parts of d3 in Apache ECharts", "echarts/licenses/LICENSE-d3"},
	{"ZRender", "zrender/LICENSE"},
	{"tslib", "tslib/LICENSE.txt"},
	{"Temml, with fonts derived from KaTeX", "temml/LICENSE"},
	{"CodeMirror, state", "@codemirror/state/LICENSE"},
	{"CodeMirror, view", "@codemirror/view/LICENSE"},
	{"CodeMirror, commands", "@codemirror/commands/LICENSE"},
	{"CodeMirror, language", "@codemirror/language/LICENSE"},
	{"CodeMirror, stream parser", "@codemirror/streamparser/LICENSE"},
	{"CodeMirror, C++", "@codemirror/lang-cpp/LICENSE"},
	{"CodeMirror, search", "@codemirror/search/LICENSE"},
	{"CodeMirror, lint", "@codemirror/lint/LICENSE"},
	{"Lezer, common", "@lezer/common/LICENSE"},
	{"Lezer, highlight", "@lezer/highlight/LICENSE"},
	{"Lezer, LR parser", "@lezer/lr/LICENSE"},
	{"Lezer, C++ grammar", "@lezer/cpp/LICENSE"},
	{"find-cluster-break", "@marijn/find-cluster-break/LICENSE"},
	{"crelt", "crelt/LICENSE"},
	{"style-mod", "style-mod/LICENSE"},
	{"w3c-keyname", "w3c-keyname/LICENSE"},
}

// licencesName is the file in dist that holds every licence text.
const licencesName = "LICENSES.txt"

// packages lists what must be installed at the locked version.
var packages = []string{
	"@codemirror/commands",
	"@codemirror/lang-cpp",
	"@codemirror/language",
	"@codemirror/lint",
	"@codemirror/search",
	"@codemirror/state",
	"@codemirror/streamparser",
	"@codemirror/view",
	"@lezer/common",
	"@lezer/cpp",
	"@lezer/highlight",
	"@lezer/lr",
	"@marijn/find-cluster-break",
	"crelt",
	"echarts",
	"style-mod",
	"temml",
	"tslib",
	"w3c-keyname",
	"zrender",
}
