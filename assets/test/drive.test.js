import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Drives } from '../js/model/drive.js';

/** A queue, its server and its clock, which a test plays. */
function make({ random = () => 1 } = {}) {
  const sent = [];
  const settled = [];
  const dropped = [];
  const timers = new Map();
  let now = 0;
  let id = 0;
  const clock = {
    setTimeout: (act, ms) => (timers.set(++id, { act, at: now + ms }), id),
    clearTimeout: (timer) => timers.delete(timer),
    now: () => now,
  };
  const drives = new Drives({
    clock, random,
    send: (body) => new Promise((resolve, reject) => sent.push({ body, ok: (seq) => resolve({ seq }), fail: (code) => reject(Object.assign(new Error(code), { code })) })),
    onSettled: (key, seq) => settled.push([key, seq]),
    onDropped: (why, error, keys) => dropped.push([why, ...keys]),
  });
  return {
    drives, sent, settled, dropped, timers,
    steps: () => sent.map(({ body }) => body.step),
    async pass(ms) {
      now += ms;
      for (const [timer, { act, at }] of [...timers]) {
        if (at > now) continue;
        timers.delete(timer);
        act();
      }
      await undefined;
    },
  };
}

/** What a server does to a drive, and what comes of it. */
async function answer(drive, act) {
  act(drive);
  for (let i = 0; i < 5; i++) await undefined;
}

test('of many, the first goes at once and the newest next', async () => {
  const t = make();
  t.drives.wheel(7);
  for (let step = 1; step <= 9; step++) t.drives.put('a', { step });
  assert.deepEqual(t.sent[0].body, { do: 'drive', lease: 7, step: 1 });
  assert.equal(t.sent.length, 1);
  await answer(t.sent[0], (drive) => drive.ok(20));
  assert.deepEqual(t.steps(), [1, 9]);
  assert.deepEqual(t.settled, [], 'something is still under way');
  await answer(t.sent[1], (drive) => drive.ok(21));
  assert.deepEqual(t.settled, [['a', 21]]);
  assert.ok(!t.drives.busy('a'));
});

test('subjects do not wait for each other', () => {
  const t = make();
  t.drives.wheel(7);
  t.drives.put('a', { step: 1 });
  t.drives.put('b', { step: 2 });
  assert.deepEqual(t.steps(), [1, 2]);
});

test('nothing goes without the wheel, and what waited goes with it', () => {
  const t = make();
  t.drives.put('a', { step: 1 });
  t.drives.put('a', { step: 2 });
  assert.deepEqual(t.steps(), []);
  assert.ok(t.drives.busy('a'));
  t.drives.wheel(8);
  assert.deepEqual(t.steps(), [2]);
});

test('what was not acknowledged is sent again when the connection is back and the wheel is ours', async () => {
  const t = make();
  t.drives.wheel(7);
  t.drives.put('a', { step: 1 });
  t.drives.put('b', { step: 4 });
  t.drives.put('b', { step: 5 });
  t.drives.put('point', { x: 1 }, { keep: false });
  t.drives.offline();
  t.drives.put('a', { step: 2 });
  const before = t.sent.length;
  await answer(t.sent[0], (drive) => drive.ok(9));
  assert.deepEqual(t.settled, [], 'an answer of the old connection');
  t.drives.wheel(7);
  assert.deepEqual(t.steps().slice(before), [2, 5]);
  assert.ok(!t.drives.busy('point'), 'where one pointed is over');
});

test('a drive that broke off is sent again, too', async () => {
  const t = make();
  t.drives.wheel(7);
  t.drives.put('a', { step: 1 });
  await answer(t.sent[0], (drive) => drive.fail('broken'));
  assert.ok(t.drives.busy('a'));
  t.drives.wheel(7);
  assert.deepEqual(t.steps(), [1, 1]);
});

test('what waits for a wheel that another has is dropped, and told once', async () => {
  const t = make();
  t.drives.wheel(7);
  t.drives.put('a', { step: 1 });
  t.drives.put('b', { step: 1 });
  t.drives.offline();
  t.drives.wheel(null);
  t.drives.wheel(null);
  assert.deepEqual(t.dropped, [['wheel', 'a', 'b']]);
  assert.ok(!t.drives.busy('a'));
  t.drives.wheel(9);
  assert.equal(t.sent.length, 2, 'and stays dropped');
});

test('a lease that the server does not take any more loses the wheel', async () => {
  const t = make();
  t.drives.wheel(7);
  t.drives.put('a', { step: 1 });
  t.drives.put('a', { step: 2 });
  await answer(t.sent[0], (drive) => drive.fail('lease'));
  assert.deepEqual(t.dropped, [['wheel', 'a']]);
  t.drives.put('a', { step: 3 });
  assert.equal(t.sent.length, 1);
});

test('an older lease of ours is no reason to stop', async () => {
  const t = make();
  t.drives.wheel(7);
  t.drives.put('a', { step: 1 });
  t.drives.wheel(8);
  await answer(t.sent[0], (drive) => drive.fail('lease'));
  await t.pass(1000);
  assert.deepEqual(t.sent[1].body, { do: 'drive', lease: 8, step: 1 });
  assert.deepEqual(t.dropped, []);
});

test('a busy room is asked again after a pause, for the newest', async () => {
  const t = make();
  t.drives.wheel(7);
  t.drives.put('a', { step: 1 });
  await answer(t.sent[0], (drive) => drive.fail('busy'));
  t.drives.put('a', { step: 2 });
  assert.equal(t.sent.length, 1);
  await t.pass(400);
  assert.deepEqual(t.steps(), [1, 2]);
});

test('what is refused is dropped, and the next goes on', async () => {
  const t = make();
  t.drives.wheel(7);
  t.drives.put('a', { step: 1 });
  t.drives.put('a', { step: 2 });
  await answer(t.sent[0], (drive) => drive.fail('too-large'));
  assert.deepEqual(t.dropped, [['refused', 'a']]);
  assert.deepEqual(t.steps(), [1, 2]);
});

test('a pointer is sent no more often than it may be', async () => {
  const t = make();
  t.drives.wheel(7);
  for (let x = 0; x < 100; x++) {
    t.drives.put('point', { step: x }, { gap: 50, keep: false });
    for (const drive of t.sent) await answer(drive, ({ ok }) => ok(1));
    await t.pass(10);
  }
  assert.ok(t.sent.length >= 18 && t.sent.length <= 21, `${t.sent.length} in a second`);
});
