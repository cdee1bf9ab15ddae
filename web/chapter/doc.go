// Package chapter reads a chapter's source and turns it into the body of a
// page.
//
// A chapter is a folder NN-slug with one file chapter.md in it: front matter
// in YAML between two lines of three dashes, then Markdown with fences that
// declare live widgets.
//
//	---
//	title: One product by hand
//	summary: Every number of a product of two small matrices.
//	outcomes: [say which three products make the cell (0, 1)]
//	sources:
//	  - {title: A manual, url: "https://example.org/manual", note: section 2}
//	questions:
//	  - {ask: Which cells are independent?, answer: All of them., where: "#by-hand"}
//	---
//
//	## The product
//
//	The row-major index of a cell is $q = (b·M + i)·N + j$. {#flat-index}
//
//	```product by-hand
//	left:  [[1, 2, 3], [4, 5, 6]]
//	right: [[7, 8], [9, 10], [11, 12]]
//	caption: two rows of three features
//	```
//
// A fence's first word says what it is, its second names it in the page:
//
//	product, reduction, view, decoder,  a worked example; the body is its input,
//	boundary                            with the keys caption, device, step, cell
//	comparison                          two devices; the keys devices, caption
//	                                    and those of a decoder's input
//	contracts                           a product, or a reduction if the key example
//	                                    says so, on several devices side by side; the
//	                                    keys devices, caption and those of the input
//	kernel                              CUDA C that is run, checked and stepped: the
//	                                    keys source (a .cu file beside chapter.md),
//	                                    launch, reference, block (which is recorded),
//	                                    device, step (shown first), caption
//	tiles                               who loads what: the key kernels (one or two,
//	                                    each with title, source, launch, reference and
//	                                    block), device, step, caption
//	ladder                              the versions of the matrix product beside
//	                                    cuBLAS, as they were measured, and measured
//	                                    anew where a GPU is; the keys size,
//	                                    precisions, caption
//	measurements                        figures that were measured on a GPU; the keys
//	                                    figures (a list of names, or a mapping from
//	                                    what the page calls each), chart, caption
//	quote                               live code, by the keys file and region
//	math                                a displayed formula in TeX
//	notes                               for who presents the chapter, and on no page:
//	                                    see below
//
// A launch is written as in a launch file (./course emulate), without its source:
//
//	```kernel add
//	source: add.cu
//	launch:
//	  kernel: add
//	  grid: [4]
//	  block: [256]
//	  args:
//	    - {name: x, type: f32, shape: [1000], fill: iota}
//	    - {name: y, type: f32, shape: [1000], fill: ones}
//	    - {name: out, type: f32, shape: [1000], out: true}
//	    - {name: n, type: i32, value: 1000}
//	reference: {of: add, left: x, right: y, out: out}
//	block: [3, 0, 0]
//	```
//
// A fence of notes has a list. Its second word is the widget that they are about;
// without one they are about the text that follows:
//
//	```notes by-hand
//	- minutes: 4
//	  say: Ask first which numbers meet in *C[0,1]*.
//	- step: 2
//	  ask: What is C[0,1]?
//	  answer: 64
//	  cell: [0, 0, 1]
//	- step: 3-5
//	  say: Point at the running sum.
//	```
//
// A note says what to say or do (say, a paragraph of Markdown), what the place takes
// in class (minutes), and what can be asked of the class there (ask, with choices or
// without, and the answer). It is about all of the widget, or about a step or several;
// of a kernel also about a line of its source or a phase between barriers, and of
// tiles about a phase. An answer that has a cell beside it is held to the value that
// the run has there: in what the note's step makes, or the one that is named by the
// key of, since a question comes before its answer. Where the step only gives an
// operand, it is the first product, sum or mean that has the cell. A question of
// something else has its answer from the author alone.
//
// Formulas in the text stand between dollars, $a$ in a line and $$a$$ on their
// own. {#name} at the end of a heading or a paragraph gives it an address.
//
// Parse checks what the source alone can tell, Run computes the widgets on
// their devices and holds the notes to them, HTML writes the body. A mistake of the author is a Problem
// with file, line and field; it never stops the rest of the page.
package chapter
