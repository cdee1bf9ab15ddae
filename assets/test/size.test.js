/* Own JavaScript stays small: a page loads all of it before the first example lives. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const limit = 80 * 1024;
const folder = new URL('../js/', import.meta.url);

test('own JavaScript is under 80 KB gzipped, file by file as it is served', () => {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js'));
  assert.ok(names.length > 20, `found only ${names.length} modules in ${fileURLToPath(folder)}`);
  let total = 0;
  for (const name of names) total += gzipSync(readFileSync(new URL(name, folder))).length;
  console.log(`own JavaScript: ${names.length} files, ${(total / 1024).toFixed(1)} KB gzipped of ${limit / 1024}`);
  assert.ok(total < limit, `${total} bytes gzipped`);
});
