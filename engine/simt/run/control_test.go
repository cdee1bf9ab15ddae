package run_test

import (
	"testing"

	"workbench/engine/simt/code"
)

// TestControl runs ways of parting and meeting that random programs seldom
// write. Each puts into %x what the lane has lived through.
func TestControl(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"a uniform break from a loop that others have left", `
			region {
				loop {
					and i32 %m %t 3
					lt i32 %p %i %m
				} while %p {
					eq i32 %q %i 2
					if %q {
						break 1
					}
				} step {
					add i32 %i %i 1
				}
				move %x 7
			}`},
		{"a uniform break after others have left for an inner region", `
			region {
				region {
					loop {
					} while true {
						eq i32 %q %i 1
						if %q {
							break 2
						}
						and i32 %m %t 1
						eq i32 %p %m 0
						if %p {
							break 1
						}
					} step {
						add i32 %i %i 1
					}
				}
				move %x 5
			}`},
		{"continue of an outer loop from an inner one", `
			loop {
				lt i32 %p %i 4
			} while %p {
				move %k 0
				loop {
					lt i32 %q %k 5
				} while %q {
					and i32 %m %t 3
					eq i32 %r %k %m
					if %r {
						continue 1
					}
					add i32 %x %x 1
				} step {
					add i32 %k %k 1
				}
				add i32 %x %x 100
			} step {
				add i32 %i %i 1
			}`},
		{"a break in a step", `
			loop {
			} while true {
				add i32 %x %x 1
				and i32 %m %x 1
				eq i32 %p %m 0
				if %p {
					continue
				}
				add i32 %x %x 10
			} step {
				and i32 %m %t 7
				add i32 %i %i 1
				ge i32 %q %i %m
				if %q {
					break
				}
			}`},
		{"fall through a switch", `
			and i32 %m %t 3
			region {
				eq i32 %p %m 1
				if %p {
					add i32 %x %x 1
				}
				eq i32 %q %m 2
				or pred %p %p %q
				if %p {
					add i32 %x %x 10
					break
				}
				add i32 %x %x 100
			}
			add i32 %x %x 1000`},
		{"what is uniform in one branch is read in the other", `
			move %k 1
			and i32 %m %t 1
			eq i32 %p %m 0
			if %p {
				move %k 2
				add i32 %x %x %k
			} else {
				add i32 %x %x %k
			}`},
		{"a return from within loops", `
			loop {
			} while true {
				loop {
				} while true {
					add i32 %x %x 1
					store i32 global %o %x
					eq i32 %p %x %t
					if %p {
						return
					}
					gt i32 %q %x 40
					if %q {
						break 1
					}
				}
			}`},
		{"what lanes have left a loop with, while the others go on", `
			loop {
			} while true {
				add i32 %early %t %i
				add i32 %x %x %early
				add i32 %i %i 1
				add i32 %late %x 1000
				and i32 %k %t 7
				lt i32 %p %k %i
				if %p {
					break
				}
			}
			add i32 %x %x %late`},
		{"the same again, after a branch has changed an operand", `
			mul i32 %early %t 7
			add i32 %x %x %early
			and i32 %m %t 1
			eq i32 %p %m 0
			if %p {
				add i32 %t %t 1
			}
			mul i32 %late %t 7
			add i32 %x %x %late`},
		{"the same again, after a loop has changed an operand", `
			mul i32 %early %x 7
			add i32 %k %k %early
			loop {
				lt i32 %p %i 3
			} while %p {
				add i32 %x %x 1
			} step {
				add i32 %i %i 1
			}
			mul i32 %late %x 7
			add i32 %x %k %late`},
		{"a value of the iteration before", `
			add i32 %early %t 5
			add i32 %x %x %early
			loop {
				lt i32 %p %i 3
			} while %p {
				gt i32 %q %i 0
				if %q {
					add i32 %x %x %late
				}
				add i32 %late %t 5
				add i32 %x %x %late
			} step {
				add i32 %i %i 1
			}`},
		{"the same again, where an iteration has changed an operand", `
			add i32 %k %t 0
			mul i32 %early %k 7
			add i32 %x %x %early
			loop {
				lt i32 %p %i 3
			} while %p {
				mul i32 %late %k 7
				add i32 %x %x %late
			} step {
				add i32 %i %i 1
				add i32 %k %k %i
			}`},
		{"a value that one branch alone computes", `
			move %late 3
			and i32 %m %t 1
			eq i32 %p %m 0
			if %p {
				add i32 %early %t 5
			} else {
				add i32 %early %t 6
			}
			add i32 %x %early %late
			if %p {
				add i32 %k %t 5
				move %x %k
			}
			add i32 %x %x 1`},
		{"what an outer block reads of an inner one", `
			move %i 0
			loop {
				lt i32 %p %i 2
			} while %p {
				add i32 %early %i 40
			} step {
				add i32 %i %i 1
			}
			add i32 %k %i 40
			add i32 %x %early %k`},
		{"two results, of which one is moved to the other", `
			store i32 global %o [%t 9] 16
			load i32 global [%early %late] %o 16
			move %late %early
			add i32 %x %late 0`},
		{"an else that nobody comes out of", `
			and i32 %m %t 1
			eq i32 %p %m 0
			region {
				if %p {
					break
				} else {
					move %x 3
					break
				}
			}
			add i32 %x %x 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := code.Read("control.code", `
				kernel k(out ptr %out) {
					reg u32 %tid %ctaid %ntid %thread
					reg i32 %t %i %k %m %x %early %late
					reg pred %p %q %r
					reg ptr %o
					special tid.x %tid
					special ctaid.x %ctaid
					special ntid.x %ntid
					mul u32 %thread %ctaid %ntid
					add u32 %thread %thread %tid
					convert i32 u32 %t %tid
					index u32 %o %out %thread 256
					move %x 0
					move %i 0
					`+c.body+`
					store i32 global %o %x 8
				}`)
			if err != nil {
				t.Fatal(err)
			}
			p.Functions[0].Name = "kernel"
			agree(t, p, 2)
		})
	}
}
