import assert from 'node:assert/strict';
import { test } from 'node:test';
import { walk } from '../js/model/walk.js';

const table = { rows: 5, columns: 4, page: 3 };
const from = { row: 2, column: 1 };

for (const [key, ctrlKey, row, column] of [
  ['ArrowUp', false, 1, 1], ['ArrowDown', false, 3, 1], ['ArrowLeft', false, 2, 0], ['ArrowRight', false, 2, 2],
  ['PageUp', false, 0, 1], ['PageDown', false, 4, 1],
  ['Home', false, 2, 0], ['End', false, 2, 3], ['Home', true, 0, 0], ['End', true, 4, 3],
]) {
  test(`${ctrlKey ? 'Ctrl+' : ''}${key} leads to row ${row}, column ${column}`, () => {
    assert.deepEqual(walk({ key, ctrlKey }, from, table), { row, column });
  });
}

test('a walk ends at the edges', () => {
  assert.deepEqual(walk({ key: 'ArrowUp', ctrlKey: false }, { row: 0, column: 0 }, table), { row: 0, column: 0 });
  assert.deepEqual(walk({ key: 'ArrowRight', ctrlKey: false }, { row: 4, column: 3 }, table), { row: 4, column: 3 });
});

test('other keys do not walk, nor do pages where there are none', () => {
  assert.equal(walk({ key: 'Enter', ctrlKey: false }, from, table), null);
  assert.equal(walk({ key: 'PageDown', ctrlKey: false }, from, { rows: 5, columns: 4 }), null);
});
