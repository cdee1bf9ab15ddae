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
}

// licencesName is the file in dist that holds every licence text.
const licencesName = "LICENSES.txt"

// packages lists what must be installed at the locked version.
var packages = []string{"echarts", "temml", "tslib", "zrender"}
