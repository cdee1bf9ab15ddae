import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stayConnected, watchSleep } from '../js/model/awake.js';

/** A clock that a test moves. */
function makeClock() {
  const timers = new Map();
  let now = 0;
  let id = 0;
  return {
    setTimeout: (act, ms) => (timers.set(++id, { act, at: now + ms }), id),
    clearTimeout: (timer) => timers.delete(timer),
    now: () => now,
    /** Passes time in a page that is awake, or sleeps and wakes. */
    async pass(ms, step = ms) {
      for (const end = now + ms; now < end;) {
        now += step;
        for (const [timer, { act, at }] of [...timers]) {
          if (at > now || !timers.delete(timer)) continue;
          act();
          await undefined;
        }
      }
    },
  };
}

/** A page of that clock. */
function make(probe) {
  const clock = makeClock();
  let dead = 0;
  watchSleep({ probe, onDead: () => { dead++; }, clock });
  return { pass: clock.pass, get dead() { return dead; } };
}

test('a page that is awake, or called once a minute, tries nothing', async () => {
  let tried = 0;
  const t = make(() => (tried++, Promise.resolve()));
  await t.pass(600000, 1000);
  await t.pass(600000, 60000);
  assert.equal(tried, 0);
});

test('after a sleep the connection is tried, and given up without an answer', async () => {
  const t = make(() => new Promise(() => {}));
  await t.pass(10000, 1000);
  await t.pass(3600000);
  assert.equal(t.dead, 0);
  await t.pass(6000, 1000);
  assert.equal(t.dead, 1);
});

test('any answer keeps it', async () => {
  for (const answer of [() => Promise.resolve(), () => Promise.reject(new Error('no'))]) {
    const t = make(answer);
    await t.pass(3600000);
    await t.pass(10000, 1000);
    assert.equal(t.dead, 0);
  }
});

test('where there is no connection there is nothing to try', async () => {
  const t = make(() => null);
  await t.pass(3600000);
  await t.pass(10000, 1000);
  assert.equal(t.dead, 0);
});

test('who leaves is gone, and a page that comes back from the browser’s memory connects', async () => {
  const page = new EventTarget();
  const did = [];
  const clock = makeClock();
  stayConnected(/** @type {any} */ ({ open: true, close: () => did.push('close'), connect: () => did.push('connect'), lost: () => did.push('lost'), request: (type, body) => (did.push(JSON.stringify([type, body])), new Promise(() => {})) }), { page, clock });
  const show = (persisted) => page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
  show(false);
  page.dispatchEvent(new Event('pagehide'));
  show(true);
  assert.deepEqual(did, ['close', 'connect']);
  await clock.pass(3600000);
  await clock.pass(5000);
  assert.deepEqual(did.slice(2), ['["room",{"room":{"do":"here"}}]', 'lost']);
});
