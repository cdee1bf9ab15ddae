// Package source is the text of a kernel and the places in it: files, positions,
// and the one error that everything that reads CUDA C reports with.
//
//	kernel.cu:12:9: goto is not supported
//	    12 |         goto done;
//	       |         ^
//	    use break, continue or a flag instead
package source
