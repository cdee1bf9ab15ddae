package session

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"
)

// parametersOf returns the bytes of each parameter that an image declares for a
// kernel, or nil if they are not to be found in it.
func parametersOf(image []byte, symbol string) []int {
	if bytes.HasPrefix(image, []byte(elf.ELFMAG)) {
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
			count, err := strconv.Atoi(found[2])
			if err != nil {
				return nil
			}
			size *= count
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
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil
	}
	section := file.Section(".nv.info." + symbol)
	if section == nil {
		return nil
	}
	info, err := section.Data()
	if err != nil {
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
