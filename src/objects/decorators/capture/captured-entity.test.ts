import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Body, Headers } from '#http'
import { temporaryStorage } from '#test/exchange'
import { capturedEntity } from './captured-entity.ts'

const PLAIN: Record<string, string> = { 'Content-Type': 'text/plain' }

const streamOf = (content: string | Uint8Array, length: number | null = null) =>
  Body.fromStream(Readable.from(content.length === 0 ? [] : [Buffer.from(content as string)]), length)

const shown = (headers: Record<string, string>, body: Body, maxLength = 1_000) =>
  capturedEntity({ headers: new Headers(Object.entries(headers)), body }, temporaryStorage(), maxLength)

const entities: readonly [string, Record<string, string>, string | Uint8Array, string | null][] = [
  ['plain text', { 'Content-Type': 'text/plain' }, 'hällo', 'hällo'],
  ['JSON', { 'Content-Type': 'application/json' }, '{"a":1}', '{"a":1}'],
  ['a kind of XML', { 'Content-Type': 'application/soap+xml; x=y' }, '<a>b</a>', '<a>b</a>'],
  ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=b', 'a=b'],
  ['anything with a charset', { 'Content-Type': 'application/x-own; charset="ISO-8859-1"' }, Buffer.from([0xe4]), 'ä'],
  ['an image', { 'Content-Type': 'image/png' }, 'PNG', '[binary entity]'],
  ['compressed text', { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' }, 'zip', '[binary entity]'],
  ['an unknown charset', { 'Content-Type': 'text/plain; charset=x-none' }, 'a', '[binary entity]'],
  ['no content type', {}, 'hello', '[content-type not set]'],
  ['an event stream', { 'Content-Type': 'text/event-stream' }, 'data: x\n\n', '[stream]'],
  ['nothing', { 'Content-Type': 'text/plain' }, '', null],
]

for (const [name, headers, content, expected] of entities) {
  test(`logs ${name} as ${expected}, and sends it unchanged`, async () => {
    const body = streamOf(content)
    assert.equal(await shown(headers, body), expected)
    assert.deepEqual(Buffer.from(await body.read(1_000)), Buffer.from(content as string))
  })
}

test('an incomplete character at the limit is omitted', async () => {
  assert.equal(await shown(PLAIN, Body.of('aää'), 3), 'aä...[the first 3 of 5 bytes]')
  assert.equal(await shown(PLAIN, Body.of('aää'), 2), 'a...[the first 2 of 5 bytes]')
  assert.equal(await shown(PLAIN, Body.of('aää'), 5), 'aää')
})

test('only the beginning of a body in a file is read', async () => {
  const body = streamOf('x'.repeat(300_000))
  assert.equal(await shown(PLAIN, body, 70_000), `${'x'.repeat(70_000)}...[the first 70000 of 300000 bytes]`)
  assert.equal(body.length, 300_000)
  body.cancel()
})

test('a truncated secret is masked', async () => {
  const headers = { 'Content-Type': 'application/json' }
  assert.equal(
    await shown(headers, Body.of('{"password":"secret"}'), 16),
    '{"password":"[redacted]"...[the first 16 of 21 bytes]',
  )
})

test('a consumed body is reported as such', async () => {
  const body = streamOf('x')
  body.stream().resume()
  assert.equal(await shown(PLAIN, body), '[entity already read]')
})

test('a body that is too long for the storage is not read', async () => {
  const body = streamOf('x', 2 ** 30)
  assert.equal(await shown(PLAIN, body), '[entity too long to be kept]')
  assert.equal(body.isBuffered, false)
})
