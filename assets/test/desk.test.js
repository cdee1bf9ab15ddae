import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOf, shareOf } from '../js/model/class.js';
import { deskCommand, legend, nextMode } from '../js/model/deskkeys.js';

test('keys do what the help says', () => {
  const names = { '→': 'ArrowRight', '←': 'ArrowLeft', 'Page down': 'PageDown', 'Page up': 'PageUp' };
  const told = legend.flatMap(([keys]) => keys.split(/, | or /)).map((key) => names[key] ?? key);
  assert.equal(new Set(told).size, 15);
  for (const key of told) assert.notEqual(deskCommand({ key }), null, key);
  assert.equal(deskCommand({ key: 'PageDown' }), 'next', 'what a presenter’s remote sends');
  assert.equal(deskCommand({ key: 'toString' }), null);
  assert.equal(deskCommand({ key: 'p', ctrlKey: true }), null, 'Ctrl-P prints');
});

test('letters can be turned off, and a held key asks once', () => {
  assert.equal(deskCommand({ key: 'm' }, false), null);
  assert.equal(deskCommand({ key: '?' }, false), null);
  assert.equal(deskCommand({ key: 'ArrowRight' }, false), 'next');
  assert.equal(deskCommand({ key: 'ArrowRight', repeat: true }), 'next');
  assert.equal(deskCommand({ key: 'c', repeat: true }), null);
});

test('modes come in turn', () => {
  assert.deepEqual(['follow', 'free', 'locked', 'unknown'].map(nextMode), ['free', 'locked', 'follow', 'follow']);
});

test('the class is counted in words, and its parts add up', () => {
  assert.deepEqual(countsOf({ following: 0, free: 0, lost: 0 }), [['', 'Nobody follows yet']]);
  assert.deepEqual(countsOf({ following: 1, free: 1, lost: 1 }), [['with', '1 follows'], ['free', '1 on their own'], ['lost', '1 is lost']]);
  assert.deepEqual(countsOf({ following: 28, free: 0, lost: 0 }), [['with', '28 follow'], ['', 'nobody is lost']]);
  assert.deepEqual(shareOf({ following: 20, free: 5, lost: 3 }), { with: 17, free: 5, lost: 3 });
  assert.deepEqual(shareOf({ following: 2, free: 5, lost: 4 }), { with: 0, free: 3, lost: 4 });
});
