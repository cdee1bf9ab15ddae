package runner

import (
	"context"
	"errors"

	"workbench/lessons/lesson"
)

// checkGo builds the learner's package and makes each call.
func (c *Course) checkGo(ctx context.Context, j *job, check *lesson.Go) error {
	return errors.New("Go exercises are not checked yet")
}
