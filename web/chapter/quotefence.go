package chapter

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"workbench/web/quote"
)

// quoteFence shows live code: a region of one of the workbench's own files, as
// it is now and not as it was when the chapter was written.
func quoteFence(p *parse, f fence) ast.Node {
	b := p.body(f)
	if b == nil {
		return nil
	}
	reported := len(p.chapter.Problems)
	p.known(b, b.root, "", []string{"file", "region", "caption"})
	file, line := p.located(b, b.root, "", "file", true)
	region, _ := p.located(b, b.root, "", "region", true)
	caption, _ := p.located(b, b.root, "", "caption", false)
	if len(p.chapter.Problems) > reported {
		return nil
	}
	extract, err := p.extract(file, region)
	if err != nil {
		p.problem(line, "file", "%s", err)
		return nil
	}
	if f.id != "" {
		p.name(f.id, fmt.Sprintf("the code of %s", extract.File), f.line)
	}
	return &quoteNode{extract: extract, caption: caption, id: f.id}
}

// language is the class of a file's code.
func language(e quote.Extract) string {
	switch ext := e.File[strings.LastIndexByte(e.File, '.')+1:]; ext {
	case "cu", "cuh":
		return "cuda"
	default:
		return ext
	}
}
