/*
 * Own JavaScript stays small: a page loads all of main.js and what it imports before
 * the first example lives. What main.js loads later is of some pages alone.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const limits = { first: 80 * 1024, kernels: 60 * 1024, other: 10 * 1024 };
const folder = new URL('../js/', import.meta.url);
const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js')).map((name) => name.replaceAll('\\', '/'));
const source = (name) => readFileSync(new URL(name, folder), 'utf8');

/** A module and all that it imports before it runs. */
function closure(name, into = new Set()) {
  if (into.has(name)) return into;
  into.add(name);
  for (const [, from] of source(name).matchAll(/^(?:import|export)\b[^;]*?'(\.[^']+)'/gms)) {
    closure(new URL(from, new URL(name, folder)).href.slice(folder.href.length), into);
  }
  return into;
}

const first = closure('main.js', closure('theme-early.js'));

test('own JavaScript that every page loads is under 80 KB gzipped, file by file as it is served', () => {
  assert.ok(first.size > 20, `found only ${first.size} modules in ${fileURLToPath(folder)}`);
  measure('of every page', first, limits.first);
});

/** What modules load while they run; an import in a comment names a type. */
const loadsOf = (modules) => [...modules].flatMap((name) => [...source(name).replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/import\('(\.[^']+)'\)/g)].map(([, from]) => new URL(from, new URL(name, folder)).href.slice(folder.href.length)));
const loads = loadsOf(first);
const reached = (entries) => [...entries.reduce((into, name) => closure(name, into), new Set())].filter((name) => !first.has(name));
const ofKernels = (name) => /\b(kernel|tiles)\.js$/.test(name);

test('own JavaScript of pages with kernels is under 60 KB gzipped beside', () => {
  const kernels = loads.filter(ofKernels);
  assert.equal(kernels.length, 2);
  measure('of kernels', reached(kernels), limits.kernels);
});

test('own JavaScript of any other example that few pages have is under 10 KB gzipped beside', () => {
  for (const name of loads.filter((one) => !ofKernels(one))) measure(`of ${name}`, reached([name]), limits.other);
  // What is left comes when a reader asks for it.
  const all = [...first, ...reached(loads), ...reached(loadsOf(reached(loads)))];
  assert.deepEqual(names.filter((name) => !all.includes(name)), [], 'modules that nothing loads');
});

function measure(what, modules, limit) {
  let total = 0;
  for (const name of modules) total += gzipSync(source(name)).length;
  console.log(`own JavaScript ${what}: ${[...modules].length} files, ${(total / 1024).toFixed(1)} KB gzipped of ${limit / 1024}`);
  assert.ok(total < limit, `${total} bytes gzipped`);
}
