import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentences, standOf } from '../js/model/voice.js';

const stand = (as, more = {}) => ({ as, mode: 'follow', free: false, mine: false, driver: 'a', recall: 1, ended: false, lesson: '', ...more });
const said = (as, before, now) => sentences(stand(as, now), stand(as, before));

test('a change of what the class may do is said once, to each in their words', () => {
  assert.deepEqual(said('follow', {}, { mode: 'locked' }), [['mode', 'The page is locked: it shows the lesson and nothing else, for now.']]);
  assert.deepEqual(said('desk', {}, { mode: 'locked' }), [['mode', 'The class follows, locked.']]);
  assert.deepEqual(said('follow', { free: true }, { recall: 2 }), [['mode', 'The presenter calls everybody back to the lesson.']]);
  assert.deepEqual(said('follow', { mode: 'free', free: true }, { recall: 2 }).length, 1);
  assert.deepEqual(said('follow', { free: true }, {}), [], 'who comes back by themselves is told where they act');
  assert.deepEqual(said('stage', {}, {}), []);
});

test('the wheel is heard of by who presents', () => {
  assert.deepEqual(said('stage', { mine: true }, { driver: 'b' }), [['wheel', 'Another presenter has the wheel now.']]);
  assert.deepEqual(said('stage', {}, { driver: 'b', mine: true }), [['wheel', 'You have the wheel: the class sees what you do.']]);
  assert.deepEqual(said('stage', {}, { driver: '' }), [['wheel', 'Nobody has the wheel now.']]);
  assert.deepEqual(sentences(stand('desk', { driver: 'b' }), stand('desk'), (id) => `Presenter ${id}`), [['wheel', 'Presenter b has the wheel now.']]);
  assert.deepEqual(said('follow', {}, { driver: 'b' }), []);
});

test('the end is the last that is said', () => {
  assert.deepEqual(said('follow', {}, { ended: true, mode: 'free', free: true, lesson: '/rooms/A/lesson' }), [['mode', 'The lesson has ended. It can be kept as one file.']]);
  assert.deepEqual(said('stage', {}, { ended: true, driver: '' }), [['mode', 'The lesson has ended.']]);
  assert.deepEqual(said('follow', { ended: true }, { ended: true, mode: 'free' }), []);
});

test('a page that opens says nothing', () => {
  assert.deepEqual(sentences(stand('follow', { mode: 'locked' }), null), []);
  assert.equal(standOf(/** @type {any} */ ({ state: null })), null);
});
