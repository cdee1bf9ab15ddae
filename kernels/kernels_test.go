package kernels_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels"
	"workbench/kernels/matmul"
)

var (
	declared = regexp.MustCompile(`(?m)^extern "C" __global__ void (?:__launch_bounds__\([^()]*\) )?(\w+)\(`)
	kernel   = regexp.MustCompile(`__global__`)
	entry    = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
)

var contracts = []device.Contract{device.Separate, device.Fused}

// The catalogue says what is in the folders, and the folders hold nothing that it
// does not say.
func TestCatalogue(t *testing.T) {
	var want []string
	seen := map[string]string{}
	for _, topic := range kernels.Catalogue() {
		want = append(want, path.Join(topic.Name, topic.File))
		source, err := os.ReadFile(path.Join(topic.Name, topic.File))
		if err != nil {
			t.Fatal(err)
		}
		if topic.Source != string(source) {
			t.Errorf("%s: the catalogue has another source than the file", topic.Name)
		}
		var symbols []string
		for _, m := range declared.FindAllStringSubmatch(topic.Source, -1) {
			symbols = append(symbols, m[1])
		}
		if !slices.Equal(symbols, topic.Symbols) {
			t.Errorf("%s has the kernels %v, and the catalogue lists %v", topic.File, symbols, topic.Symbols)
		}
		if n := len(kernel.FindAllString(topic.Source, -1)); n != len(symbols) {
			t.Errorf("%s: %d functions are __global__, and %d of them begin their line with extern \"C\" __global__ void", topic.File, n, len(symbols))
		}
		for _, s := range symbols {
			if other := seen[s]; other != "" {
				t.Errorf("%s and %s both have a kernel %s", other, topic.File, s)
			}
			seen[s] = topic.File
		}
		if strings.Contains(topic.Source, "#include") || strings.Contains(topic.Source, "##") {
			t.Errorf("%s includes a header or makes names by a macro: a learner reads it from top to bottom", topic.File)
		}

		for _, c := range contracts {
			want = append(want, path.Join(topic.Name, topic.PTXFile(c)))
			text, err := os.ReadFile(path.Join(topic.Name, topic.PTXFile(c)))
			if err != nil {
				t.Fatal(err)
			}
			ptx := topic.PTX(c)
			if !bytes.Equal(ptx, append(text, 0)) || bytes.IndexByte(ptx, 0) != len(ptx)-1 {
				t.Errorf("%s: PTX is not the file with one zero byte at its end", topic.PTXFile(c))
			}
			var entries []string
			for _, m := range entry.FindAllSubmatch(ptx, -1) {
				entries = append(entries, string(m[1]))
			}
			if slices.Sort(entries); !slices.Equal(entries, slices.Sorted(slices.Values(symbols))) {
				t.Errorf("%s has the kernels %v, and the source %v", topic.PTXFile(c), entries, symbols)
			}
		}
	}

	var got []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); ext == ".cu" || ext == ".ptx" || ext == ".cuh" {
			got = append(got, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("the folders hold %v, and the catalogue lists %v", got, want)
	}
}

// A kernel that no one edited is found, whoever made its launch.
func TestEmbedded(t *testing.T) {
	for _, topic := range kernels.Catalogue() {
		for _, c := range contracts {
			for _, symbol := range topic.Symbols {
				k := launch.Kernel{File: topic.File, Source: topic.Source, Symbol: symbol, Contract: c}
				if ptx, ok := kernels.Embedded(k); !ok || !bytes.Equal(ptx, topic.PTX(c)) {
					t.Errorf("%s under %s: not the PTX that comes with it", k.Symbol, c)
				}
				edited := k
				edited.Source = strings.Replace(k.Source, " + ", " - ", 1)
				if _, ok := kernels.Embedded(edited); ok || edited.Source == k.Source {
					t.Errorf("%s: an edited source passes for the one that comes with the workbench", k.Symbol)
				}
				k.Symbol = "none"
				if _, ok := kernels.Embedded(k); ok {
					t.Error("a kernel that the source does not have is found")
				}
			}
		}
	}
}

var operation = regexp.MustCompile(`\b(fma|mul|add|sub|mad|div|sqrt)((?:\.\w+)*)\.(f16|f32|f64|bf16)\b`)

// The contract is in the PTX: under separate every product is rounded by itself,
// in an instruction that names its rounding, which no later compiler may contract;
// under fused every step is one fma, and no other product is left that a later
// compiler might still contract. A step that was neither would show here.
func TestContractOfPTX(t *testing.T) {
	for _, v := range matmul.Versions {
		for _, c := range contracts {
			bodies := strings.Split(string(v.Source().PTX(c)), ".visible .entry ")[1:]
			if len(bodies) != len(v.Source().Symbols) {
				t.Fatalf("%s: %d kernels", c, len(bodies))
			}
			for _, body := range bodies {
				symbol, body, _ := strings.Cut(body, "(")
				sum := ".f32"
				if strings.HasSuffix(symbol, "_f64") {
					sum = ".f64"
				}
				count := map[string]int{}
				for _, m := range operation.FindAllStringSubmatch(body, -1) {
					count[m[0]]++
				}
				// The mean's, α's, and what α·sum is added to.
				want := []string{"div.rn" + sum, "mul.rn" + sum}
				switch c {
				case device.Separate:
					want = append(want, "add.rn"+sum)
				case device.Fused:
					want = append(want, "add"+sum, "fma.rn"+sum)
				}
				for _, w := range want {
					if count[w] == 0 {
						t.Errorf("%s %s: no %s", c, symbol, w)
					}
					delete(count, w)
				}
				if len(count) != 0 {
					t.Errorf("%s %s: other arithmetic too: %v", c, symbol, count)
				}
			}
		}
	}
}

// What is embedded runs on the oldest drivers and GPUs, and neither flushes
// subnormal numbers nor approximates.
func TestTargetOfPTX(t *testing.T) {
	for _, topic := range kernels.Catalogue() {
		for _, c := range contracts {
			ptx := string(topic.PTX(c))
			if !strings.Contains(ptx, "\n.version 7.8\n") || !strings.Contains(ptx, "\n.target sm_70\n") {
				t.Errorf("%s: it is for another driver or GPU than the oldest", topic.PTXFile(c))
			}
			// CUDA's own expf is made of one approximation that is corrected.
			if topic.Name == "softmax" {
				ptx = strings.ReplaceAll(ptx, "ex2.approx.ftz.f32", "")
			}
			if strings.Contains(ptx, ".ftz") || strings.Contains(ptx, ".approx") {
				t.Errorf("%s: subnormals are flushed or something is approximate", topic.PTXFile(c))
			}
		}
	}
}

var (
	paragraph = regexp.MustCompile(`(?m)^// (Changed|Work|Traffic|Limit|Launch) +(\S.*(?:\n//  +\S.*)*)`)
	shared    = regexp.MustCompile(`(?m)^\s*\.shared \.align \d+ \.b8 \w+\[(\d+)\];`)
	maxntid   = regexp.MustCompile(`\.maxntid (\d+), 1, 1`)
)

// What the catalogue says of a source, its header says at greater length, and the
// compiler of its blocks and its shared memory.
func TestCards(t *testing.T) {
	rungs := map[string]int{}
	for _, topic := range kernels.Catalogue() {
		header, _, _ := strings.Cut(topic.Source, "\n\n")
		said := map[string]string{}
		for _, m := range paragraph.FindAllStringSubmatch(header, -1) {
			said[m[1]] = strings.Join(strings.Fields(strings.ReplaceAll(m[2], "\n//", " ")), " ")
		}
		card := topic.Card
		for name, want := range map[string]string{"Work": card.Work, "Traffic": card.Traffic, "Limit": card.Limit} {
			if want == "" || !strings.Contains(said[name], want) {
				t.Errorf("%s: the catalogue says %q of its %s, and its header %q", topic.File, want, strings.ToLower(name), said[name])
			}
		}
		first, _, _ := strings.Cut(header, "\n")
		if card.Idea == "" || !strings.Contains(strings.ToLower(first), card.Idea) {
			t.Errorf("%s: the catalogue says %q, and the header's first line %q", topic.File, card.Idea, first)
		}
		// A rung says what it changes.
		if _, changed := said["Changed"]; changed != (rungs[topic.Name] > 0) {
			t.Errorf("%s is source %d of %s, and says what changed: %t", topic.File, rungs[topic.Name]+1, topic.Name, changed)
		}
		rungs[topic.Name]++

		block := "ny"
		if card.Block != (launch.Dim3{}) {
			block = fmt.Sprintf("locks of %d×%d×%d threads", card.Block.X, card.Block.Y, card.Block.Z)
		}
		if !strings.Contains(said["Launch"], block) {
			t.Errorf("%s: the launch contract lacks %q: %q", topic.File, block, said["Launch"])
		}
		for _, c := range contracts {
			ptx := string(topic.PTX(c))
			for _, m := range maxntid.FindAllStringSubmatch(ptx, -1) {
				if m[1] != strconv.Itoa(card.Block.Count()) {
					t.Errorf("%s is compiled for blocks of %s threads, and the catalogue says %s", topic.File, m[1], card.Block)
				}
			}
			held := 0 // for a double and for a float
			for _, m := range shared.FindAllStringSubmatch(ptx, -1) {
				n, _ := strconv.Atoi(m[1])
				held += n
			}
			if held != card.Shared*(8+4) {
				t.Errorf("%s has %d bytes of shared memory in float64 and float32, and the catalogue says %d elements", topic.File, held, card.Shared)
			}
			if (card.Shared > 0) == strings.Contains(said["Launch"], "o shared memory") {
				t.Errorf("%s: %d elements of shared memory, and the launch contract says %q", topic.File, card.Shared, said["Launch"])
			}
		}
	}
}
