package fake

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"slices"
)

// A cubin is an ELF file. That of the fake compiler has two kinds of sections:
//
//	.nv.info.KERNEL   the sizes of the parameters, as a real one says them
//	.fake.ptx         PTX, which the fake goes by
//
// A real cubin has instructions instead, which the fake cannot run: it is refused.
const fakeSection = ".fake.ptx"

// toolkitVersion stands where an ELF file has its format's version, 1: of CUDA
// 11.8.
const toolkitVersion = 118

// writeCubin makes the file.
func writeCubin(ptx string, u *unit) []byte {
	type section struct {
		name string
		data []byte
	}
	sections := []section{{fakeSection, []byte(ptx)}}
	for _, v := range u.variables {
		name := map[string]string{"global": ".nv.global.init", "const": ".nv.constant3"}[v.space]
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			sections = append(sections, section{name, v.first})
		}
	}
	for _, e := range u.entries {
		sections = append(sections, section{".nv.info." + e.symbol, kernelInfo(e.parameters)})
	}
	names := []byte{0}
	var at []uint32 // of each name
	for _, s := range append(sections, section{name: ".shstrtab"}) {
		at = append(at, uint32(len(names)))
		names = append(append(names, s.name...), 0)
	}
	sections = append(sections, section{".shstrtab", names})

	const head, entrySize = 64, 64 // bytes of a file's header and of a section's
	headers := []elf.Section64{{}} // the first is none
	var body bytes.Buffer
	for i, s := range sections {
		kind := elf.SHT_PROGBITS
		if s.name == ".shstrtab" {
			kind = elf.SHT_STRTAB
		}
		headers = append(headers, elf.Section64{
			Name: at[i], Type: uint32(kind), Off: uint64(head + body.Len()), Size: uint64(len(s.data)), Addralign: 1,
		})
		body.Write(s.data)
	}
	file := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: 190, Version: toolkitVersion, // EM_CUDA
		Shoff: uint64(head + body.Len()), Ehsize: head, Shentsize: entrySize,
		Shnum: uint16(len(headers)), Shstrndx: uint16(len(headers) - 1),
	}
	copy(file.Ident[:], elf.ELFMAG)
	file.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	file.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	file.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	file.Ident[elf.EI_OSABI] = 0x33

	var out bytes.Buffer
	for _, part := range []any{file, body.Bytes(), headers} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			panic("BUG: " + err.Error()) // a buffer takes everything of a fixed size
		}
	}
	return out.Bytes()
}

// kernelInfo is the attribute list of a kernel. Each parameter has one of kind
// 0x17 with its ordinal, its offset, and its size from bit 18 on.
func kernelInfo(parameters []int) []byte {
	info := []byte{0x04, 0x37, 4, 0, 0x76, 0, 0, 0} // the version of the toolkit, which comes first
	offset := 0
	var each []byte
	for i, size := range parameters {
		alignment := min(size&-size, 8)
		offset = (offset + alignment - 1) / alignment * alignment
		one := []byte{0x04, 0x17, 12, 0, 0, 0, 0, 0}
		one = binary.LittleEndian.AppendUint16(one, uint16(i))
		one = binary.LittleEndian.AppendUint16(one, uint16(offset))
		one = binary.LittleEndian.AppendUint32(one, uint32(size)<<18|0x1f000)
		each = append(one, each...) // the last one first, as NVRTC writes them
		offset += size
	}
	info = append(info, each...)
	return append(info, 0x03, 0x1b, 0xff, 0x00) // the most registers
}

// readCubin returns the PTX of a cubin of the fake compiler.
func readCubin(data []byte) (ptx string, ok bool) {
	data = bytes.Clone(data)
	if len(data) > 20 {
		data[20] = byte(elf.EV_CURRENT) // instead of the toolkit's, which package elf refuses
	}
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return "", false
	}
	section := file.Section(fakeSection)
	if section == nil {
		return "", false
	}
	text, err := io.ReadAll(section.Open())
	return string(text), err == nil
}
