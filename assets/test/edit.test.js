import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Edit } from '../js/model/edit.js';

/** A storage of the test's own. */
function storage() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text), removeItem: (key) => kept.delete(key) };
}

const open = (place, original = { source: 'chapter', launch: '{}' }) => new Edit({ key: 'c/k', original, storage: place });

test('an edit outlives the page, and says when the chapter’s own has changed under it', () => {
  const place = storage();
  open(place).set('source', 'mine');
  const again = open(place);
  assert.deepEqual([again.texts.source, again.edited, again.moved], ['mine', true, false]);
  const later = open(place, { source: 'a newer chapter', launch: '{}' });
  assert.deepEqual([later.texts.source, later.moved], ['mine', true]);
  later.reset();
  assert.equal(open(place, { source: 'a newer chapter', launch: '{}' }).edited, false);
});

test('what is borrowed is shown and not stored, until it is kept', () => {
  const place = storage();
  const edit = open(place);
  edit.set('source', 'mine');
  edit.borrow({ source: 'theirs', launch: '{"grid":[2]}' });
  edit.set('source', 'theirs, and more');
  assert.deepEqual([edit.borrowed, edit.texts.source, open(place).texts.source], [true, 'theirs, and more', 'mine']);
  edit.giveBack();
  assert.deepEqual([edit.borrowed, edit.texts], [false, { source: 'mine', launch: '{}' }]);
  edit.borrow({ source: 'theirs', launch: '{}' });
  edit.borrow({ source: 'others’', launch: '{}' }); // the next address; what is the reader's stays theirs
  edit.giveBack();
  assert.equal(edit.texts.source, 'mine');
  edit.borrow({ source: 'theirs', launch: '{}' });
  edit.keep();
  assert.equal(open(place).texts.source, 'theirs');
});
