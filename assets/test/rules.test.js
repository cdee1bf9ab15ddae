/* Rules of the browser's code that no type can hold. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const folder = new URL('../js/', import.meta.url);
const sources = new Map(readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.js'))
  .map((name) => [name.replaceAll('\\', '/'), readFileSync(new URL(name, folder), 'utf8')]));

/** Code without its comments. */
const code = (source) => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

test('data enters a page as text: nothing parses markup or code', () => {
  const forbidden = /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval|new Function|setHTML\w*|createContextualFragment)\b/;
  // But what the server folded up, which to a browser without scripts is markup.
  const unfolding = [...code(sources.get('theme-early.js')).matchAll(/:scope > noscript'\);\s+if \(text\) text\.replaceWith\(\.\.\.new (DOMParser)\(\)/g)];
  assert.equal(unfolding.length, 1);
  for (const [name, source] of sources) {
    const rest = name === 'theme-early.js' ? code(source).replace(unfolding[0][0], '') : code(source);
    assert.doesNotMatch(rest, forbidden, name);
  }
});

test('a page is read by the browser itself, in one place and from this workbench', () => {
  const reading = /responseType|responseXML|XMLHttpRequest/;
  assert.deepEqual([...sources].filter(([, source]) => reading.test(code(source))).map(([name]) => name), ['part/exercises.js']);
  assert.deepEqual(code(sources.get('part/exercises.js')).match(/load\('[^']*'\)/g), ["load('/exercises')"]);
});

test('no style is written as an attribute, which the pages’ policy forbids', () => {
  for (const [name, source] of sources) {
    assert.doesNotMatch(code(source), /setAttribute\(\s*['"]style|\bstyle:\s*['"`]/, name);
  }
});

test('nothing is asked from another host', () => {
  for (const [name, source] of sources) {
    const addresses = code(source).match(/\b(https?|wss?):\/\/[^\s'"`]+/g) ?? [];
    const others = addresses.filter((address) => address !== 'http://www.w3.org/2000/svg' && !address.startsWith('ws://${') && !address.includes('${location.host}'));
    assert.deepEqual(others, [], name);
  }
});

test('modules of the model know no document', () => {
  let count = 0;
  for (const [name, source] of sources) {
    if (!name.startsWith('model/')) continue;
    count++;
    assert.doesNotMatch(code(source), /\b(document|window|HTMLElement|customElements|localStorage|location)\b[.(\[]/, name);
    for (const [, from] of code(source).matchAll(/from '([^']+)'/g)) assert.match(from, /^\.\/\w+\.js$/, `${name} imports ${from}`);
  }
  assert.ok(count > 8);
});

test('every import names a file that is there', () => {
  for (const [name, source] of sources) {
    for (const [, from] of source.matchAll(/(?:from |import |import\()'(\.[^']+)'/g)) {
      const path = new URL(from, new URL(name, folder)).href.slice(folder.href.length);
      assert.ok(sources.has(path), `${name} imports ${from}`);
    }
  }
});
