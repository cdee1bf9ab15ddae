import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTexts, tensorSummary, toTexts } from '../js/model/field.js';
import { Edit } from '../js/model/edit.js';

test('a chapter’s input survives the form', () => {
  const tensor = (shape, values) => ({ shape, values });
  for (const [example, input, want] of [
    ['product', { left: [[1, 2, 3], [4, 5, 6]], right: [[7, 8], [9, 10], [11, 12]] },
      { left: tensor([2, 3], [1, 2, 3, 4, 5, 6]), right: tensor([3, 2], [7, 8, 9, 10, 11, 12]) }],
    ['product', { left: [[1]], right: [[2]], transpose_left: true, precision: 'bfloat16' },
      { left: tensor([1, 1], [1]), right: tensor([1, 1], [2]), transpose_left: true, precision: 'bfloat16' }],
    ['reduction', { input: { shape: [2, 0], values: [] }, axis: 1, op: 'sum', keep_dim: true },
      { input: tensor([2, 0], []), axis: 1, op: 'sum', keep_dim: true }],
    ['view', { input: [1, 2], ops: [{ op: 'transpose' }, { op: 'transpose', axes: [0, 2] }, { op: 'slice', axis: 1, start: 1, stop: 4, step: 2 }, { op: 'broadcast', shape: [2, 2] }, { op: 'pack' }] },
      { input: tensor([2], [1, 2]), ops: [{ op: 'transpose' }, { op: 'transpose', axes: [0, 2] }, { op: 'slice', axis: 1, start: 1, stop: 4, step: 2 }, { op: 'broadcast', shape: [2, 2] }, { op: 'pack' }] }],
    ['decoder', { text: '', seed: '18446744073709551615', blocks: 0 }, { text: '', seed: '18446744073709551615', blocks: 0 }],
    ['comparison', {}, { text: 'ab' }],
  ]) {
    const { input: read, errors } = readTexts(example, toTexts(example, input));
    assert.deepEqual(errors, {});
    assert.deepEqual(read, want);
  }
});

test('each mistake stands at its field and the others are still read', () => {
  const { input, errors } = readTexts('product', { left: '1 2\n3', right: '1 2', 'right.shape': '3' });
  assert.match(errors.left, /row 1 has 1 value/);
  assert.match(errors.right, /holds 3 values and there are 2/);
  assert.deepEqual(input, {});

  const view = readTexts('view', { input: '1 2', ops: JSON.stringify([{ op: 'slice', start: '-1', step: '0' }, { op: 'reshape', shape: '' }, { op: 'transpose', axes: '1' }, { op: 'broadcast', shape: 'wide' }]) });
  assert.match(view.errors['ops[0].start'], /not a whole number/);
  assert.match(view.errors['ops[0].step'], /too small: write 1/);
  assert.match(view.errors['ops[1].shape'], /empty: write a shape/);
  assert.match(view.errors['ops[2].axes'], /does not name two axes/);
  assert.match(view.errors['ops[3].shape'], /cannot be read/);

  assert.match(readTexts('decoder', { width: '0' }).errors.width, /too small/);
  assert.match(readTexts('decoder', { seed: '1.5' }).errors.seed, /not a whole number/);
});

test('operations that are not ours are dropped, whatever storage held', () => {
  assert.deepEqual(readTexts('view', { input: '1', ops: 'null' }).input.ops, []);
  assert.deepEqual(readTexts('view', { input: '1', ops: '[{"op":"format disk"},null,{"op":"pack"}]' }).input.ops, [{ op: 'pack' }]);
});

test('a tensor’s text is summed up', () => {
  assert.equal(tensorSummary('1 2 3\n4 5 6', ''), '2 × 3, 6 values');
  assert.equal(tensorSummary('7', 'scalar'), 'scalar, 1 value');
  assert.equal(tensorSummary('1 2\n3', ''), '');
});

/** What a browser's localStorage does. */
function memory(saved = {}) {
  const map = new Map(Object.entries(saved));
  return { getItem: (k) => map.get(k) ?? null, setItem: (k, v) => map.set(k, v), removeItem: (k) => map.delete(k), map };
}

const original = { left: '1 2', right: '3\n4' };
const open = (storage, from = original) => new Edit({ key: 'chapter/widget', original: from, storage });

test('edits outlive the page', () => {
  const storage = memory();
  const edit = open(storage);
  assert.equal(edit.edited, false);
  edit.set('left', '5 6');
  edit.markRun();
  const again = open(storage);
  assert.deepEqual(again.texts, { left: '5 6', right: '3\n4' });
  assert.ok(again.edited && again.ran && !again.moved);
  again.set('left', '1 2');
  assert.equal(again.edited, false);
  assert.equal(storage.map.size, 0, 'what equals the chapter is not kept');
});

test('a chapter that changes does not drop edits', () => {
  const storage = memory();
  open(storage).set('left', '5 6');
  const again = open(storage, { left: '9 9', right: '3\n4' });
  assert.equal(again.texts.left, '5 6');
  assert.ok(again.moved);
});

test('undo goes back change by change, and over a reset', () => {
  const edit = open(memory());
  edit.mark();
  edit.set('left', '5');
  edit.set('left', '5 6');
  edit.mark();
  edit.set('right', '7\n8');
  edit.reset();
  assert.deepEqual(edit.texts, original);
  edit.undo();
  assert.deepEqual(edit.texts, { left: '5 6', right: '7\n8' });
  edit.undo();
  assert.deepEqual(edit.texts, { left: '5 6', right: '3\n4' });
  edit.undo();
  assert.deepEqual(edit.texts, original);
  assert.equal(edit.canUndo, false);
  edit.undo();
  assert.deepEqual(edit.texts, original);
});

test('a text that was changed has not been run', () => {
  const edit = open(memory());
  edit.set('left', '5 6');
  edit.markRun();
  edit.set('left', '5 7');
  assert.equal(edit.ran, false);
});

test('storage that is full, forbidden or holds something else does not stop an edit', () => {
  const refusing = { getItem() { throw new Error('forbidden'); }, setItem() { throw new Error('full'); }, removeItem() { throw new Error('forbidden'); } };
  const edit = open(refusing);
  edit.set('left', '5 6');
  assert.equal(edit.texts.left, '5 6');
  for (const text of ['{', 'null', '7', '{"version":1,"texts":null}', '{"version":9,"texts":{"left":"x"}}', '{"version":1,"texts":{"left":5,"other":"x"}}']) {
    assert.deepEqual(open(memory({ 'wb:edit:chapter/widget': text })).texts, original, text);
  }
  open(null).set('left', '5 6');
});
