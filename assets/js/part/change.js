/**
 * Says that a person has changed what an example shows: moved, stepped, edited, chose a
 * device, began a run or had one end. What an example is shown by others it never says,
 * so that nothing goes round in circles.
 * @module
 */

/**
 * @param {EventTarget} example
 * @param {boolean} push whether it was a move that a reader would want to undo
 */
export function tellChange(example, push) {
  example.dispatchEvent(new CustomEvent('wb-change', { bubbles: true, detail: { push } }));
}
