// Command bundle makes the third-party browser code of the workbench: it reads
// the packages that assets/package-lock.json pins, as npm put them into
// assets/node_modules, and writes minified ES modules into assets/dist.
//
//	npm ci --prefix assets        once, with a network
//	go run ./assets/bundle        then, without one
//	go run ./assets/bundle -check exit status 0 if dist is what the lock file asks for
//
// Nothing of it is needed to build or to run the workbench.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	dir := flag.String("dir", "assets", "the folder with package-lock.json, node_modules and dist")
	check := flag.Bool("check", false, "only say whether dist is current; exit status 1 if it is not")
	flag.Usage = func() {
		fmt.Fprintf(os.Stderr, "Bundle ECharts and Temml into assets/dist.\n\n"+
			"Example:\n  npm ci --prefix assets && go run ./assets/bundle\n\nFlags:\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "bundle: %q is not expected: it takes flags alone, see -help\n", flag.Arg(0))
		os.Exit(2)
	}

	if *check {
		if err := checkCurrent(*dir); err != nil {
			var stale *staleError
			if !errors.As(err, &stale) {
				fmt.Fprintln(os.Stderr, "bundle:", err)
				os.Exit(2)
			}
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("dist is current")
		return
	}
	built, err := build(*dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
	for _, f := range built {
		fmt.Printf("%-28s %8d bytes\n", f.Name, f.Bytes)
	}
}
