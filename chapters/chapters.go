// Package chapters embeds what the course says: one folder per chapter, in
// reading order, and the extracts of live code that chapters quote.
//
//	01-one-product/chapter.md   front matter, prose and widget fences
//	quotes/                     generated from the sources that chapters name
//
// A chapter's folder name is its address: /chapters/01-one-product. There is no
// logic here; package web reads the front matter, runs the fences and renders
// the prose.
package chapters

import "embed"

//go:generate go run workbench/web/chapter/extract

// FS holds every chapter's folder and the quotes, by slash-separated path.
//
//go:embed */*
var FS embed.FS
