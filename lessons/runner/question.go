package runner

import (
	"context"
	"errors"

	"workbench/lessons/lesson"
)

// checkQuestions holds the answers against what comes out.
func (c *Course) checkQuestions(ctx context.Context, j *job, check *lesson.Questions) error {
	return errors.New("answers are not checked yet")
}
