package session

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
)

// parametersOf returns the bytes of each parameter that an image declares for a
// kernel, or nil if they are not to be found in it.
func parametersOf(image []byte, symbol string) []int {
	if bytes.HasPrefix(image, []byte("\x7fELF")) {
		return cubinParameters(image, symbol)
	}
	return ptxParameters(string(image), symbol)
}

// ptxParameter is a parameter of an entry: .param .u64 name, or
// .param .align 8 .b8 name[112] (PTX ISA, parameter state space).
var ptxParameter = regexp.MustCompile(`^\s*\.param\s.*?\.[usbf](8|16|32|64)\b[^\[]*(?:\[(\d+)\])?\s*$`)

func ptxParameters(text, symbol string) []int {
	entry := regexp.MustCompile(`\.entry\s+` + regexp.QuoteMeta(symbol) + `\s*\(([^)]*)\)`).FindStringSubmatch(text)
	if entry == nil {
		return nil
	}
	list := strings.TrimSpace(entry[1])
	out := []int{}
	if list == "" {
		return out
	}
	for _, p := range strings.Split(list, ",") {
		found := ptxParameter.FindStringSubmatch(p)
		if found == nil {
			return nil
		}
		size, _ := strconv.Atoi(found[1])
		size /= 8
		if found[2] != "" {
			count, err := strconv.ParseUint(found[2], 10, 16) // a launch takes some thousand bytes
			if err != nil {
				return nil
			}
			size *= int(count)
		}
		out = append(out, size)
	}
	return out
}

// cubinParameters reads the section .nv.info.KERNEL, a list of attributes. NVIDIA
// does not document it; cuobjdump --dump-elf names them. One that says something
// of a parameter, EIATTR_KPARAM_INFO, is
//
//	04 17    a sized attribute, KPARAM_INFO
//	0c 00    12 bytes
//	index    4 bytes
//	ordinal  2 bytes, of the parameter
//	offset   2 bytes, among the parameters
//	packed   4 bytes, the upper 14 bits of which are its size
//
// A section without one says nothing, not that there are no parameters: versions
// of the compiler differ.
func cubinParameters(image []byte, symbol string) []int {
	info, ok := elfSection(image, ".nv.info."+symbol)
	if !ok {
		return nil
	}
	const (
		sized         = 4
		parameterInfo = 0x17
	)
	sizes := map[int]int{}
	for len(info) >= 4 {
		format, attribute, value := info[0], info[1], binary.LittleEndian.Uint16(info[2:])
		info = info[4:]
		if format != sized {
			continue
		}
		if int(value) > len(info) {
			return nil
		}
		if attribute == parameterInfo && value == 12 {
			sizes[int(binary.LittleEndian.Uint16(info[4:]))] = int(binary.LittleEndian.Uint32(info[8:]) >> 18)
		}
		info = info[value:]
	}
	if len(sizes) == 0 {
		return nil
	}
	out := make([]int, len(sizes))
	for i := range out {
		size, ok := sizes[i]
		if !ok {
			return nil
		}
		out[i] = size
	}
	return out
}

// ptxVariable is the declaration of a variable of a module, or of a text that it
// prints (PTX ISA, state spaces).
var ptxVariable = regexp.MustCompile(`(?m)^\s*(\.(visible|weak|common|extern)\s+)*\.(global|const)\s`)

// hasVariables reports whether an image may have __device__ or __constant__
// variables: one in doubt has.
func hasVariables(image []byte) bool {
	if !bytes.HasPrefix(image, []byte("\x7fELF")) {
		return ptxVariable.Match(image)
	}
	for _, name := range []string{".nv.global", ".nv.global.init", ".nv.constant3"} {
		if _, has := elfSection(image, name); has {
			return true
		}
	}
	return false
}

// elfSection returns a section of a 64-bit little-endian ELF file, by its name.
// Package debug/elf reads no cubin: the field of ELF's version, which is 1
// everywhere else, holds the toolkit's.
func elfSection(file []byte, name string) ([]byte, bool) {
	// Offsets are those of Elf64_Ehdr and Elf64_Shdr (System V ABI).
	if len(file) < 64 {
		return nil, false
	}
	headers := binary.LittleEndian.Uint64(file[0x28:])
	size := uint64(binary.LittleEndian.Uint16(file[0x3a:]))
	count := uint64(binary.LittleEndian.Uint16(file[0x3c:]))
	names := uint64(binary.LittleEndian.Uint16(file[0x3e:]))
	if size < 64 || headers > uint64(len(file)) || count*size > uint64(len(file))-headers || names >= count {
		return nil, false
	}
	header := func(i uint64) []byte { return file[headers+i*size:][:size] }
	content := func(h []byte) ([]byte, bool) {
		at, n := binary.LittleEndian.Uint64(h[0x18:]), binary.LittleEndian.Uint64(h[0x20:])
		if at > uint64(len(file)) || n > uint64(len(file))-at {
			return nil, false
		}
		return file[at:][:n], true
	}
	table, ok := content(header(names))
	if !ok {
		return nil, false
	}
	want := append([]byte(name), 0)
	for i := range count {
		h := header(i)
		if at := uint64(binary.LittleEndian.Uint32(h)); at < uint64(len(table)) && bytes.HasPrefix(table[at:], want) {
			return content(h)
		}
	}
	return nil, false
}
