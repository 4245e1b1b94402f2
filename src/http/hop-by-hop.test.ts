import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers, isHopByHop, removeHopByHop } from './index.ts'

function stripped(...raw: string[]): readonly string[] {
  const headers = Headers.fromRaw(raw)
  removeHopByHop(headers)
  return headers.raw()
}

test('B17: hop-by-hop fields are not relayed, in any case', () => {
  const names = [
    'CONNECTION',
    'Keep-Alive',
    'Proxy-Connection',
    'proxy-authenticate',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'HTTP2-Settings',
  ]
  for (const name of names) {
    assert.equal(isHopByHop(name), true, name)
    assert.deepEqual(stripped(name, 'x', 'A', '1'), ['A', '1'], name)
  }
  for (const name of ['Host', 'Accept', 'Via', 'Content-Length', 'x'.repeat(42)]) assert.equal(isHopByHop(name), false)
})

test('names that Connection lists are removed', () => {
  assert.deepEqual(stripped('Connection', 'close, x-hop ,, X-Other', 'X-Hop', '1', 'x-other', '2', 'A', '3'), [
    'A',
    '3',
  ])
  assert.deepEqual(stripped('connection', 'x-a', 'Connection', 'x-b', 'X-A', '1', 'X-B', '2'), [])
})

test('B16: a peer can not have protected fields removed by naming them in Connection', () => {
  const essentials = [
    ['Host', 'gw'],
    ['Authorization', 'Bearer t'],
    ['Cookie', 'a=b'],
    ['X-Forwarded-For', '1.2.3.4'],
    ['X-Forwarded-Proto', 'https'],
    ['Forwarded', 'for=1.2.3.4'],
    ['X-Real-IP', '1.2.3.4'],
    ['Strict-Transport-Security', 'max-age=1'],
    ['Content-Security-Policy', "default-src 'none'"],
    ['Set-Cookie', 'a=b'],
  ].flat()
  const listed = ['close', ...essentials.filter((_, at) => at % 2 === 0)].join(', ')
  assert.deepEqual(stripped('Connection', listed, ...essentials), essentials)
})

test('B17: listing a framing field does not change the framing', () => {
  assert.deepEqual(stripped('Connection', 'keep-alive, content-length', 'Content-Length', '5'), ['Content-Length', '5'])
})

test('B15: naming a field in Connection removes only the values of the client', () => {
  assert.deepEqual(stripped('Connection', 'X-User', 'X-User', 'spoofed'), [])
})

test('headers without hop-by-hop fields are not copied', () => {
  const raw = ['Host', 'gw', 'Accept', '*/*']
  const headers = Headers.fromRaw(raw)
  removeHopByHop(headers)
  assert.equal(headers.raw(), raw)
})
