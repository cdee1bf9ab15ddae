import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Room } from '../js/model/room.js';

const view = (step, more = {}) => ({ place: { step }, texts: null, ran: null, running: false, last: 9, ...more });
const widget = (name, step, from = 'p1', chapter = 'one') => ({ chapter, widget: name, view: view(step), from });

/** A page of a chapter with two widgets, and the server's part. */
function page({ as = 'follow', chapter = 'one', presenter = '', busy, choice } = {}) {
  const room = new Room({ as, chapter, busy, choice });
  let epoch = 1;
  let seq = 1;
  let state = { mode: 'follow', chapter: 'one', at: { widget: 'a' }, lease: 5, driver: 'x', here: true, recall: 0, ended: false, lesson: '' };
  const t = {
    room,
    all(more = {}, you = {}) {
      room.hello();
      room.take({ kind: 'all', epoch, seq, you: { page: 'p9', as, presenter, ...you }, state, widgets: [], pointer: null, poll: null, class: null, ...more });
    },
    state(change) {
      state = { ...state, ...change };
      return room.take({ kind: 'state', epoch, seq: ++seq, state });
    },
    widget(name, step, from, at = ++seq) {
      return room.take({ kind: 'widget', epoch, seq: at, widget: widget(name, step, from) });
    },
    restart() {
      epoch++;
      seq = 1;
    },
    due: () => room.due(['a', 'b']),
    steps: () => Object.fromEntries(room.due(['a', 'b']).show.map(({ widget: name, view: shown }) => [name, shown && shown.place.step])),
    get seq() { return seq; },
  };
  return t;
}

test('who comes late is shown all at once, and each thing once', () => {
  const t = page();
  t.all({ widgets: [widget('a', 3), widget('a', 7, 'p1', 'two')] });
  assert.deepEqual(t.due(), { go: '', show: [{ widget: 'a', view: view(3) }], at: { widget: 'a' } });
  assert.deepEqual(t.due(), { go: '', show: [], at: null });
  t.widget('b', 1);
  t.widget('a', 4);
  assert.deepEqual(t.steps(), { a: 4, b: 1 });
});

test('what is older than what is known is dropped, of each subject for itself', () => {
  const t = page();
  t.all();
  t.widget('a', 5, 'p1', 8);
  assert.deepEqual(t.widget('a', 4, 'p1', 7), []);
  assert.deepEqual(t.widget('b', 2, 'p1', 6), ['widget'], 'another subject is as old as it is');
  assert.deepEqual(t.steps(), { a: 5, b: 2 });
});

test('a server that was started anew counts from the beginning', () => {
  const t = page();
  t.all();
  for (let i = 0; i < 9; i++) t.widget('a', i);
  t.due();
  t.restart();
  t.all({ widgets: [widget('a', 6)] });
  assert.deepEqual(t.steps(), { a: 6 });
  assert.deepEqual(t.room.take({ kind: 'widget', epoch: 1, seq: 50, widget: widget('a', 2) }), [], 'the old server is over');
  t.widget('a', 7);
  assert.deepEqual(t.steps(), { a: 7 });
});

test('what is nobody’s news does nothing', () => {
  const t = page();
  t.all();
  t.due();
  for (const news of [null, {}, { kind: 'other', epoch: 1, seq: 99 }, { kind: 'widget', epoch: 1, seq: 99 }, { kind: 'widget', epoch: 1, seq: 99, widget: { widget: 'a' } }]) {
    assert.deepEqual(t.room.take(/** @type {any} */ (news)), []);
  }
  assert.deepEqual(t.due(), { go: '', show: [], at: null });
});

test('the lesson leads to another chapter, and nothing of this one matters then', () => {
  const t = page();
  t.all({ widgets: [widget('a', 3)] });
  t.state({ chapter: 'two' });
  assert.deepEqual(t.due(), { go: 'two', show: [], at: null });
});

test('who changes something is on their own until they come back, to everything that differs', () => {
  const t = page();
  t.all({ widgets: [widget('a', 3)] });
  t.due();
  assert.equal(t.room.changed('b'), 'free');
  assert.equal(t.room.changed('b'), '', 'it is said once');
  assert.ok(t.room.free);
  t.widget('a', 4);
  t.state({ at: { block: 2 } });
  assert.deepEqual(t.due(), { go: '', show: [], at: null });
  assert.deepEqual(t.room.lesson, { chapter: 'one', widget: '', step: undefined, block: 2 });
  t.room.back();
  assert.deepEqual(t.due(), { go: '', show: [{ widget: 'a', view: view(4) }, { widget: 'b', view: null }], at: { block: 2 } });
});

test('a call brings back who wanders, and only then', () => {
  const t = page();
  t.all();
  t.due();
  t.room.changed('a');
  t.state({ at: { block: 1 } });
  assert.ok(t.room.free);
  t.state({ recall: 1 });
  assert.ok(!t.room.free);
  assert.deepEqual(t.steps(), { a: null });
});

test('locked, what a follower changes is set back', () => {
  const t = page();
  t.all({ widgets: [widget('a', 3)] });
  t.state({ mode: 'locked', recall: 1 });
  t.due();
  assert.equal(t.room.changed('a'), 'back');
  assert.deepEqual(t.steps(), { a: 3 });
  assert.equal(t.room.changed('b'), 'back');
  assert.deepEqual(t.steps(), { b: null });
});

test('in free mode nobody is moved but who asks to be', () => {
  const t = page();
  t.all({ widgets: [widget('a', 3)] });
  t.due();
  t.state({ mode: 'free', chapter: 'two' });
  assert.ok(t.room.free);
  assert.equal(t.due().go, '');
  t.room.back();
  assert.equal(t.due().go, 'two');
  t.state({ mode: 'follow', recall: 1 });
  assert.ok(!t.room.free);
});

test('a choice holds in the next page, as long as nobody called', () => {
  const first = page();
  first.all();
  first.room.changed('a');
  const { choice } = first.room;
  const next = page({ chapter: 'two', choice });
  next.all();
  assert.ok(next.room.free);
  assert.equal(next.due().go, '', 'a chapter of one’s own');
  next.state({ recall: 1 });
  assert.equal(next.due().go, 'one');
});

test('who opens another chapter is on their own there, unless the page is held', () => {
  const t = page();
  assert.equal(t.room.leaves(), '', 'nothing is known yet');
  t.all();
  assert.equal(t.room.leaves(), 'free');
  assert.ok(t.room.free);
  assert.equal(t.room.leaves(), '');
  t.state({ mode: 'locked', recall: 1 });
  assert.equal(t.room.leaves(), 'back');
  const stage = page({ as: 'stage', presenter: 'x' });
  stage.all();
  assert.equal(stage.room.leaves(), '');
});

test('a lesson that has ended moves nobody', () => {
  const t = page();
  t.all();
  t.due();
  t.state({ ended: true, chapter: 'two' });
  assert.deepEqual(t.due(), { go: '', show: [], at: null });
  assert.equal(t.room.changed('a'), '');
});

test('a stage publishes with the wheel, and follows without', () => {
  const t = page({ as: 'stage', presenter: 'x' });
  t.all();
  t.due();
  assert.equal(t.room.changed('a'), 'publish');
  t.state({ driver: '' });
  assert.equal(t.room.changed('a'), 'take');
  t.state({ driver: 'y', mode: 'free' });
  assert.equal(t.room.changed('a'), 'back');
  t.widget('b', 2);
  assert.deepEqual(t.steps(), { a: null, b: 2 }, 'the mode is the followers’');
});

test('a page does not show itself what it said, not under an older name either', () => {
  const t = page({ as: 'stage', presenter: 'x' });
  t.all();
  t.due();
  t.room.changed('a');
  t.widget('a', 4, 'p9');
  t.room.settled(t.room.keyOf('a'), t.seq);
  assert.deepEqual(t.steps(), {});
  t.all({ widgets: [widget('a', 4, 'p9'), widget('b', 8, 'p2')] }, { page: 'p30' });
  assert.deepEqual(t.steps(), { b: 8 });
  t.widget('a', 4, 'p30');
  assert.deepEqual(t.steps(), {});
});

test('of two pages with one wheel, the last drive counts in both', () => {
  const flying = new Set();
  const t = page({ as: 'stage', presenter: 'x', busy: (key) => flying.has(key) });
  t.all();
  t.due();
  t.room.changed('a');
  const key = t.room.keyOf('a');
  flying.add(key);
  t.widget('a', 1, 'desk', 5); // before ours
  assert.deepEqual(t.steps(), {}, 'ours is on its way');
  flying.delete(key);
  t.room.settled(key, 6);
  assert.deepEqual(t.steps(), {}, 'and came after theirs');
  t.widget('a', 2, 'desk', 7);
  assert.deepEqual(t.steps(), { a: 2 });
  t.room.changed('a');
  flying.add(key);
  t.widget('a', 3, 'desk', 9);
  t.due();
  flying.delete(key);
  t.room.settled(key, 8);
  assert.deepEqual(t.steps(), { a: 3 }, 'theirs came after ours');
});

test('an acknowledgement may have a later number than what came of the drive', () => {
  const t = page({ as: 'stage', presenter: 'x' });
  t.all();
  t.due();
  t.room.changed('a');
  t.widget('a', 4, 'p9', 5);
  t.room.settled(t.room.keyOf('a'), 6); // with what is in front
  t.room.take({ kind: 'class', epoch: 1, seq: 7, class: {} });
  t.state({ driver: 'y' });
  assert.equal(t.room.changed('a'), 'back');
  assert.deepEqual(t.steps(), { a: 4 }, 'set back to what it said itself');
});

test('a stage does not scroll to what it put in front itself', () => {
  const flying = new Set();
  const t = page({ as: 'stage', presenter: 'x', busy: (key) => flying.has(key) });
  t.all();
  t.due();
  t.room.placed({ block: 3 });
  flying.add('at');
  t.state({ at: { block: 2 } });
  assert.equal(t.due().at, null, 'older than what is on its way');
  flying.delete('at');
  t.room.settled('at', t.seq + 1);
  t.room.take({ kind: 'pointer', epoch: 1, seq: 40, pointer: null });
  assert.equal(t.due().at, null);
  t.state({ at: { block: 3 } });
  assert.equal(t.due().at, null);
  t.state({ at: { block: 8 } });
  assert.deepEqual(t.due().at, { block: 8 });
});

test('a stage that opens a chapter is not led back before the room knows', () => {
  const flying = new Set(['chapter']);
  const t = page({ as: 'stage', presenter: 'x', chapter: 'two', busy: (key) => flying.has(key) });
  t.all();
  assert.equal(t.due().go, '');
  flying.clear();
  t.room.settled('chapter', t.seq + 1);
  assert.equal(t.due().go, '', 'what is known is older');
  t.state({ chapter: 'two' });
  assert.equal(t.due().go, '');
  t.state({ chapter: 'three' });
  assert.equal(t.due().go, 'three');
});

test('without the wheel, what was not shown is taken back', () => {
  const t = page({ as: 'stage', presenter: 'x' });
  t.all({ widgets: [widget('a', 4, 'p9')] });
  t.due();
  t.room.changed('a');
  assert.deepEqual(t.steps(), {}, 'not under the hands of who has the wheel');
  t.state({ driver: 'y' });
  assert.deepEqual(t.steps(), { a: 4 });
});
