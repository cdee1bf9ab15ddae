package conform_test

import (
	"context"
	"fmt"

	"workbench/engine/conform"
	"workbench/engine/cpu"
	"workbench/engine/device"
)

func ExampleRun() {
	d, err := cpu.New(device.Spec{Kind: device.CPU, Contract: device.Fused})
	if err != nil {
		fmt.Println(err)
		return
	}
	tally := conform.Run(context.Background(), d, func(name string, err error) {
		if err != nil {
			fmt.Println(name, err)
		}
	})
	fmt.Println(tally.Failed, "cases failed,", tally.Skipped, "skipped")
	// Output: 0 cases failed, 0 skipped
}
