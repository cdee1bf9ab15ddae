import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bounds, pack, unpack } from '../js/model/permalink.js';

const possible = (() => {
  try {
    return Boolean(new CompressionStream('deflate-raw'));
  } catch {
    return false; // of older Nodes; browsers have it
  }
})();

test('a kernel goes into an address and comes back', { skip: !possible }, async () => {
  for (const carried of [
    { source: '', launch: '{}' },
    { source: '__global__ void k() {}\n// ✗ “é” 𝓛 \u0000\n', launch: '{"kernel":"k","grid":[1],"block":[32]}' },
    { source: 'x += 1;\n'.repeat(20000), launch: '{}' },
  ]) {
    const hash = await pack(carried);
    assert.match(hash, /^#kernel=[\w-]+$/);
    assert.deepEqual(await unpack(hash), carried);
  }
});

test('what is too long for an address is not written', { skip: !possible }, async () => {
  let noise = '';
  for (let i = 0, seed = 1; i < 30000; i++) {
    seed = (seed * 48271) % 2147483647;
    noise += seed.toString(36);
  }
  assert.equal(await pack({ source: noise, launch: '{}' }), null);
  assert.equal(await pack({ source: 'x'.repeat(bounds.text), launch: '{}' }), null);
});

test('a fragment of a stranger is refused where it is none', { skip: !possible }, async () => {
  const bomb = await (async () => {
    const bytes = new Uint8Array(await new Response(new Blob([new Uint8Array(bounds.text + 1)]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer());
    return `#kernel=${Buffer.from(bytes).toString('base64url')}`;
  })();
  const whole = await pack({ source: '__global__ void k() {}', launch: '{}' });
  const other = async (value) => {
    const bytes = new Uint8Array(await new Response(new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer());
    return `#kernel=${Buffer.from(bytes).toString('base64url')}`;
  };
  for (const hash of ['#kernel=', '#kernel=***', whole.slice(0, -4), bomb, `#kernel=${'A'.repeat(bounds.packed + 1)}`, await other({ source: 'x' }), await other(['x', 3])]) {
    await assert.rejects(unpack(hash), /cannot be read/, hash.slice(0, 40));
  }
});
