package device

import (
	"fmt"
	"strconv"
	"strings"
)

// Contract says how a product is added to the running sum of its cell.
type Contract uint8

const (
	// Separate rounds the product, then rounds the sum: float64(a*b) + s.
	Separate Contract = iota
	// Fused rounds once per step: math.FMA(a, b, s).
	Fused
)

// String returns the word a spec uses for c.
func (c Contract) String() string {
	switch c {
	case Separate:
		return "separate"
	case Fused:
		return "fused"
	}
	return fmt.Sprintf("Contract(%d)", uint8(c))
}

// Kind is the family of a device: the part of a spec before its options.
type Kind string

const (
	CPU      Kind = "cpu"
	Emulator Kind = "emulator"
	CUDA     Kind = "cuda"
)

// Spec names a device and the arithmetic it is asked for. The zero value is
// not a device: there is no default.
type Spec struct {
	Kind     Kind
	Ordinal  int // of a CUDA device; 0 otherwise
	Contract Contract
	Library  bool // cuBLAS multiplies instead of our own kernel; CUDA only
}

// MaxOrdinal bounds the ordinal of a CUDA device in a spec.
const MaxOrdinal = 1023

// specGrammar is shown whenever a spec cannot be read.
const specGrammar = "write cpu, emulator or cuda:N, then options after commas: separate or fused, and for cuda kernel or library (for example cpu,fused or cuda:0,library)"

// A SpecError says which part of a device's name cannot be read, and why.
type SpecError struct {
	Spec   string // as given
	Part   string // the offending part
	Reason string
}

func (e *SpecError) Error() string {
	switch {
	case e.Spec == "":
		return fmt.Sprintf("the device's name %s; %s", e.Reason, specGrammar)
	case e.Part == e.Spec:
		return fmt.Sprintf("%q %s; %s", clip(e.Spec), e.Reason, specGrammar)
	}
	return fmt.Sprintf("device %q: %q %s; %s", clip(e.Spec), clip(e.Part), e.Reason, specGrammar)
}

// blanks says how to mend a part that is empty or has blanks around it.
func blanks(part string) string {
	if part == "" {
		return ": a comma has a word on both its sides"
	}
	if word := strings.TrimSpace(part); word != part && word != "" {
		return fmt.Sprintf(": write %s without a blank beside it", clip(word))
	}
	return ""
}

// clip shortens what somebody gave as a device's name, so that a message stays
// one that can be read.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// ParseSpec reads a device's name: a kind ("cpu", "emulator", "cuda:0") and
// options after commas. The contract is separate unless the spec says fused or
// asks for the library, which multiplies fused and nothing else.
func ParseSpec(s string) (Spec, error) {
	fail := func(part, reason string) (Spec, error) {
		return Spec{}, &SpecError{Spec: s, Part: part, Reason: reason}
	}
	if s == "" {
		return fail("", "is empty")
	}
	parts := strings.Split(s, ",")
	var spec Spec
	switch name, ordinal, hasOrdinal := strings.Cut(parts[0], ":"); Kind(name) {
	case CPU, Emulator:
		if hasOrdinal {
			return fail(parts[0], "takes no ordinal")
		}
		spec.Kind = Kind(name)
	case CUDA:
		spec.Kind = CUDA
		if !hasOrdinal {
			return fail(parts[0], "needs an ordinal, as in cuda:0")
		}
		n, err := strconv.ParseUint(ordinal, 10, 32)
		if err != nil || n > MaxOrdinal || strconv.FormatUint(n, 10) != ordinal {
			return fail(parts[0], fmt.Sprintf("needs an ordinal from 0 to %d", MaxOrdinal))
		}
		spec.Ordinal = int(n)
	default:
		return fail(parts[0], "is not a device"+blanks(parts[0]))
	}

	contract, multiplier := "", ""
	for _, option := range parts[1:] {
		switch option {
		case "separate", "fused":
			if contract != "" {
				return fail(option, "comes after "+contract+": give one contract")
			}
			contract = option
		case "kernel", "library":
			if spec.Kind != CUDA {
				return fail(option, "is an option of cuda alone")
			}
			if multiplier != "" {
				return fail(option, "comes after "+multiplier+": give one")
			}
			multiplier = option
		default:
			return fail(option, "is not an option"+blanks(option))
		}
	}
	spec.Library = multiplier == "library"
	if spec.Library && contract == "separate" {
		return fail("separate", "does not go with library: cuBLAS multiplies fused")
	}
	if contract == "fused" || spec.Library {
		spec.Contract = Fused
	}
	return spec, nil
}

// String returns the shortest name that ParseSpec reads back as s.
func (s Spec) String() string {
	var b strings.Builder
	b.WriteString(string(s.Kind))
	if s.Kind == CUDA {
		fmt.Fprintf(&b, ":%d", s.Ordinal)
	}
	switch {
	case s.Library:
		b.WriteString(",library")
	case s.Contract == Fused:
		b.WriteString(",fused")
	}
	return b.String()
}

// MarshalText writes the spec's name, so that JSON carries one string.
func (s Spec) MarshalText() ([]byte, error) {
	if s.Kind == "" {
		return nil, nil
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (s *Spec) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*s = Spec{}
		return nil
	}
	parsed, err := ParseSpec(string(text))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}
