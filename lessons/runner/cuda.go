package runner

import (
	"context"
	"errors"

	"workbench/lessons/lesson"
)

// checkCUDA runs a kernel on each case.
func (c *Course) checkCUDA(ctx context.Context, j *job, check *lesson.CUDA) error {
	return errors.New("kernels are not checked yet")
}
