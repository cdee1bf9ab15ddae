import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLink, parseCell, parseLink } from '../js/model/deeplink.js';

test('a link reads back', () => {
  for (const [widget, place] of [
    ['first', {}],
    ['first', { step: 0 }],
    ['first', { step: 12, cell: '0,1,2', device: 'cuda:0,library' }],
    ['all-values', { cell: 'blocks.0.attention.query.weight[1,3]' }],
    ['first', { cell: 'a&b=c#d e%+' }],
    ['tiled', { step: 7, block: '1,0,0', thread: '3,4,0', view: 'warp:own', device: 'emulator,fused' }],
  ]) {
    const link = formatLink(widget, place);
    assert.deepEqual(parseLink(link.slice(0, link.indexOf('#'))), { widget, ...place }, link);
    assert.ok(link.endsWith(`#${widget}`));
  }
});

test('a link can be read by a person', () => {
  assert.equal(formatLink('first', { step: 3, cell: '0,0,1', device: 'cpu,fused' }), '?widget=first&step=3&cell=0,0,1&device=cpu,fused#first');
  assert.equal(formatLink('both', { device: 'cpu cpu,fused' }), '?widget=both&device=cpu+cpu,fused#both');
  assert.equal(formatLink('all', { cell: 'logits[0,1,40]' }), '?widget=all&cell=logits[0,1,40]#all');
});

test('parameters of others stay, our own are replaced', () => {
  assert.equal(formatLink('b', { step: 1 }, '?room=blue&widget=a&step=9&cell=0,0,0'), '?room=blue&widget=b&step=1#b');
});

test('what cannot be read is left out', () => {
  assert.deepEqual(parseLink('?step=3'), {});
  assert.deepEqual(parseLink('?widget=a&step=-1&cell=&device='), { widget: 'a' });
  assert.deepEqual(parseLink('?widget=a&step=1e3'), { widget: 'a' });
  assert.deepEqual(parseLink('?widget=a&step=99999999999999999999'), { widget: 'a' });
  assert.deepEqual(parseCell('0,1,2'), [0, 1, 2]);
  for (const text of [undefined, '', '1,2', '0,1,2,3', '0,-1,2', '0,1.5,2', 'logits[0,1]']) assert.equal(parseCell(text), null);
});
