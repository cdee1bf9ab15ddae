import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asSentence } from '../js/model/sentence.js';

test('half a sentence becomes one, and a name stays as it is spelled', () => {
  for (const [text, want] of [
    ['install a driver', 'Install a driver.'],
    ['Run it again!', 'Run it again!'],
    ['cuda:0 is not available: no driver was found', 'cuda:0 is not available: no driver was found.'],
    ['cpu,fused is busy', 'cpu,fused is busy.'],
    ['cpu is busy.', 'cpu is busy.'],
    ['emulator: not built', 'emulator: not built.'],
    ['matmul.cu does not compile', 'matmul.cu does not compile.'],
    ['done.', 'Done.'],
    ['ops[1].axis is 3', 'ops[1].axis is 3.'],
    ['élan', 'Élan.'],
    ['', ''],
    [undefined, ''],
  ]) assert.equal(asSentence(text), want);
});
