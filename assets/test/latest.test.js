import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Latest, unlessNewer } from '../js/model/latest.js';

/** A Latest whose acts end, and whose pauses are over, when a test says so. */
function make({ pauses = false } = {}) {
  const begun = [];
  const ends = [];
  const resumes = [];
  const latest = new Latest((value, newer) => {
    begun.push(value);
    return unlessNewer(new Promise((end) => { ends.push(end); }), newer);
  }, pauses ? () => new Promise((resume) => { resumes.push(resume); }) : undefined);
  return { latest, begun, ends, resumes };
}

const settled = () => new Promise((done) => { setImmediate(done); });

test('of a key that is held only the newest waits, and what it takes the place of is given up', async () => {
  const t = make({ pauses: true });
  t.latest.begin();
  const kept = Array.from({ length: 300 }, (_, n) => t.latest.offer(n));
  assert.deepEqual(t.begun, [0], 'the first is done at once');
  await settled();
  assert.deepEqual(t.begun, [0], 'and no other before the pause is over');
  assert.deepEqual(await Promise.all(kept.slice(0, -1)), Array(299).fill(false));
  t.resumes[0]();
  await settled();
  assert.deepEqual(t.begun, [0, 299]);
  t.ends[1]();
  assert.equal(await kept[299], true);
});

test('what is offered before it begins is held, and the newest of it done', async () => {
  const t = make();
  const [early, late] = [t.latest.offer('early'), t.latest.offer('late')];
  assert.deepEqual(t.begun, []);
  t.latest.begin();
  assert.deepEqual(t.begun, ['late']);
  t.ends[0]();
  assert.deepEqual([await early, await late], [false, true]);
});

test('after one that fails or never comes the next one is done', async () => {
  const begun = [];
  const latest = new Latest((value, newer) => {
    begun.push(value);
    if (value === 'fails') throw new Error('on purpose');
    return value === 'never' ? unlessNewer(new Promise(() => {}), newer) : undefined;
  });
  latest.begin();
  const { error } = console;
  const errors = [];
  console.error = (one) => errors.push(one.message);
  try {
    assert.equal(await latest.offer('fails'), false);
  } finally {
    console.error = error;
  }
  assert.deepEqual(errors, ['on purpose']);
  const never = latest.offer('never');
  await settled();
  assert.equal(await latest.offer('comes'), true);
  assert.equal(await never, false);
  assert.deepEqual(begun, ['fails', 'never', 'comes']);
});

test('stopped, it does nothing and leaves nobody waiting', async () => {
  const t = make();
  const held = t.latest.offer('held');
  t.latest.stop();
  t.latest.begin();
  assert.deepEqual([await held, await t.latest.offer('later'), t.begun], [false, false, []]);
});
