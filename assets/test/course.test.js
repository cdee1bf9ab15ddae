import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Course, atStep, cellInFront, cellName, notesAt, planned, stepOf, untouched } from '../js/model/course.js';

const product = {
  id: 'first', kind: 'product', title: 'A product', step: 1, last: 2,
  steps: [{ title: 'C is a matrix.' }, { title: 'C[0, 0] = 58', cell: [0, 0, 0] }, { title: 'C[0, 1] = 64', cell: [0, 0, 1] }],
};
const course = new Course({
  chapters: [{ slug: '01-one', number: 1, title: 'One', widgets: [product, { id: 'second', kind: 'kernel', title: 'A kernel' }], notes: [] }],
});

test('the examples of a chapter follow one another', () => {
  assert.equal(course.beside('01-one', '', 1)?.id, 'first');
  assert.equal(course.beside('01-one', '', -1)?.id, 'second');
  assert.equal(course.beside('01-one', 'first', 1)?.id, 'second');
  assert.equal(course.beside('01-one', 'second', 1), null);
  assert.equal(course.beside('01-one', 'first', -1), null);
  assert.equal(course.beside('01-one', 'a-ladder-that-is-on-no-list', 1), null);
  assert.equal(course.beside('none', '', 1), null);
  assert.equal(course.titleOf('01-one'), '1. One');
  assert.equal(course.titleOf('none'), 'none');
});

test('from a place of the text the examples below and above it are near', () => {
  const text = new Course({ chapters: [{ slug: 'a', title: 'A', widgets: [{ ...product, block: 4 }, { id: 'second', kind: 'view', title: 'B', block: 7 }], notes: [] }] });
  const near = (block) => [1, -1].map((way) => text.near('a', block, /** @type {1 | -1} */ (way))?.id ?? '');
  assert.deepEqual([undefined, 0, 4, 5, 7, 8].map(near), [['first', ''], ['first', ''], ['first', ''], ['second', 'first'], ['second', 'first'], ['', 'second']]);
  assert.equal(text.near('none', 0, 1), null);
});

test('another step keeps the view, and not the cell of the step before', () => {
  const view = { place: { step: 1, cell: '0,0,0', device: 'cpu' }, texts: { left: '1' }, ran: null, running: false, last: 2 };
  assert.deepEqual(atStep(view, 'product', 2), { ...view, place: { step: 2, device: 'cpu' } });
  assert.equal(view.place.cell, '0,0,0', 'the view itself is left as it is');
  assert.equal(atStep(view, 'view', 2)?.place.cell, '0,0,0', 'a coordinate is of every step');
  assert.equal(atStep(view, 'kernel', 0)?.place.cell, '0,0,0');
  assert.equal(atStep(view, 'product', 1), null, 'it is there already');
  assert.equal(atStep({ ...view, place: { step: 2 } }, 'product', 3), null, 'there is no such step');
  assert.equal(atStep(untouched(product), 'product', -1)?.place.step, 0);
  assert.equal(atStep(untouched(null), 'ladder', 1), null);
});

test('what nobody has touched stands as the chapter has it', () => {
  assert.deepEqual(untouched(product).place, { step: 1 });
  assert.deepEqual(untouched({ ...product, cell: [0, 0, 1] }).place, { step: 1, cell: '0,0,1' });
  assert.deepEqual(untouched(null), { place: { step: 0 }, texts: null, ran: null, running: false, last: 0 });
});

test('tiles step by phase', () => {
  const view = { place: { phase: 'all', view: 'who' }, texts: null, ran: null, running: false, last: 3 };
  assert.equal(stepOf(view, 'tiles'), 0);
  const first = atStep(view, 'tiles', 1);
  assert.deepEqual(first?.place, { phase: '0', view: 'who' });
  assert.equal(stepOf(first, 'tiles'), 1);
  assert.equal(atStep(first, 'tiles', 0)?.place.phase, 'all');
});

test('a title is that of the page’s own run alone', () => {
  assert.equal(course.stepTitle('01-one', 'first', 2, untouched(product)), 'C[0, 1] = 64');
  assert.equal(course.stepTitle('01-one', 'first', 2, { ...untouched(product), ran: { n: 1 } }), '');
  assert.equal(course.stepTitle('01-one', 'second', 2, null), '');
});

const notes = [
  { block: 0, section: 'a', heading: 'A', minutes: 3 },
  { block: 2, section: 'a', widget: 'first', minutes: 1 },
  { block: 2, section: 'a', widget: 'first', from: 1, to: 2, minutes: 2 },
  { block: 2, section: 'a', widget: 'first', from: 2 },
  { block: 4, section: 'b', heading: 'B', minutes: 4 },
  { block: 6, section: 'b', widget: 'tiles', phase: 1 },
  { block: 8, section: 'c', heading: 'C' },
  { block: 9, section: 'c', heading: 'C' },
];

test('notes belong to a step, to the example, to the text before it', () => {
  assert.deepEqual(notesAt(notes, { widget: 'first', step: 0 }), { step: [], around: [0, 1] });
  assert.deepEqual(notesAt(notes, { widget: 'first', step: 1 }), { step: [2], around: [0, 1] });
  assert.deepEqual(notesAt(notes, { widget: 'first', step: 2 }), { step: [2, 3], around: [0, 1] });
  assert.deepEqual(notesAt(notes, { widget: 'tiles', step: 2, phase: '1' }), { step: [5], around: [4] });
  assert.deepEqual(notesAt(notes, { widget: 'tiles', step: 0, phase: 'all' }), { step: [], around: [4] });
  assert.deepEqual(notesAt(notes, { widget: 'without-notes', step: 0 }), { step: [], around: [] });
  assert.deepEqual(notesAt(notes, { widget: 'first', block: 9, step: 1 }), { step: [2], around: [0, 1] });
  assert.deepEqual(notesAt(notes, { widget: 'without-notes', block: 9, step: 0 }), { step: [], around: [6, 7] });
  assert.deepEqual(notesAt(notes, { block: 1 }), { step: [], around: [0] });
  assert.deepEqual(notesAt(notes, { block: 9 }), { step: [], around: [6, 7] });
  assert.deepEqual(notesAt(notes, {}), { step: [], around: [0] });
  assert.deepEqual(notesAt([], { widget: 'first', step: 0 }), { step: [], around: [] });
});

test('minutes are planned up to the last note that is shown', () => {
  assert.deepEqual(planned(notes, [2, 0, 1]), { all: 10, sofar: 6 });
  assert.deepEqual(planned(notes, []), { all: 10, sofar: 0 });
});

test('the cell in front is the one that is chosen, or the step’s', () => {
  const at = (place, ran = null) => ({ place, texts: null, ran, running: false, last: 2 });
  assert.deepEqual(cellInFront(product, at({ step: 2 })), [0, 0, 1]);
  assert.deepEqual(cellInFront(product, at({ step: 0, cell: '0,1,1' })), [0, 1, 1]);
  assert.equal(cellInFront(product, at({ step: 2 }, { n: 1 })), null, 'steps of another run are other cells');
  assert.equal(cellInFront(product, at({ step: 0 })), null);
  assert.equal(cellInFront({ ...product, kind: 'reduction' }, at({ step: 2, cell: '0,1,0' })), null);
  assert.equal(cellInFront(product, null), null);
  assert.equal(cellName([0, 0, 1], product), 'C[0,1]');
  assert.equal(cellName([1, 0, 1], product), 'C[1,0,1]');
  assert.equal(cellName([0, 0, 1], { ...product, steps: [{ title: '', cell: [1, 0, 0] }] }), 'C[0,0,1]');
});
