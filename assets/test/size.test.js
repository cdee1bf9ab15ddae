/*
 * Own JavaScript stays small: a page loads main.js, and for each kind of example on it
 * a module, with what they import, before the first example lives.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const limits = { bare: 24 * 1024, traces: 92 * 1024, kernels: 128 * 1024, desk: 56 * 1024 };
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

/** What modules load while they run; an import in a comment names a type. */
const loadsOf = (modules) => [...modules].flatMap((name) => [...source(name).replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/import\('(\.[^']+)'\)/g)].map(([, from]) => new URL(from, new URL(name, folder)).href.slice(folder.href.length)));
const first = closure('main.js', closure('theme-early.js'));
const desk = closure('desk.js', closure('theme-early.js'));
/** What pages load that have no script of their own beside. */
const alone = ['theme-early.js', 'enter.js'];
const loads = loadsOf(first);
const examples = loads.filter((name) => name.startsWith('widget/'));
const page = (loads) => loads.reduce((into, name) => closure(name, into), new Set(first));
const ofKernels = (name) => /\b(kernel|tiles|ladder)\.js$/.test(name);

test('own JavaScript of a page is small, file by file as it is served', () => {
  assert.ok(names.length > 60, `found only ${names.length} modules in ${fileURLToPath(folder)}`);
  const kernels = examples.filter(ofKernels);
  assert.equal(kernels.length, 3);
  measure('of a page without examples', first, limits.bare);
  measure('of a page with every example of traces', page(examples.filter((name) => !ofKernels(name))), limits.traces);
  measure('of a page with kernels, tiles and a ladder', page(kernels), limits.kernels);
  measure('of a presenter’s desk', desk, limits.desk);
});

test('every module is loaded by some page, or when a reader asks for it', () => {
  const all = page(loads);
  const loaded = page([...loads, ...loadsOf(all), ...loadsOf(desk)]);
  assert.deepEqual(names.filter((name) => !loaded.has(name) && !desk.has(name) && !alone.includes(name)), [], 'modules that nothing loads');
});

function measure(what, modules, limit) {
  let total = 0;
  for (const name of modules) total += gzipSync(source(name)).length;
  console.log(`own JavaScript ${what}: ${[...modules].length} files, ${(total / 1024).toFixed(1)} KB gzipped of ${limit / 1024}`);
  assert.ok(total < limit, `${total} bytes gzipped`);
}
