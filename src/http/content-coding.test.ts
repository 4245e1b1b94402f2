import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { compile, scopeOf } from '#expression'
import {
  Body,
  ContentCodingError,
  decodeContent as decodeWithin,
  EntityTooLargeError,
  Headers,
  Response,
} from './index.ts'

const LIMIT = 1_048_576
const decodeContent = (headers: Headers, content: Uint8Array) => decodeWithin(headers, content, LIMIT)

const coded = (...codings: string[]) => Headers.fromRaw(codings.flatMap((each) => ['Content-Encoding', each]))
const text = Buffer.from('{"a":1}')

test('all codings are decoded, the last applied first', () => {
  assert.deepEqual(decodeContent(coded('gzip'), zlib.gzipSync(text)), text)
  assert.deepEqual(decodeContent(coded('deflate'), zlib.deflateSync(text)), text)
  assert.deepEqual(decodeContent(coded('BR'), zlib.brotliCompressSync(text)), text)
  assert.deepEqual(decodeContent(coded('zstd'), zlib.zstdCompressSync(text)), text)
  assert.deepEqual(decodeContent(coded('gzip, br'), zlib.brotliCompressSync(zlib.gzipSync(text))), text)
  assert.deepEqual(decodeContent(coded('identity'), text), text)
  assert.deepEqual(decodeContent(coded('gzip'), new Uint8Array(0)), new Uint8Array(0))
})

test('expressions read the text of encoded content decoded, and its bytes as sent', () => {
  const sent = zlib.gzipSync(text)
  const response = new Response(200, { headers: { 'Content-Encoding': 'gzip' }, body: Body.of(sent) })
  const scope = scopeOf({ response })
  assert.equal(compile('${response.entity.json.a}').evaluate(scope), 1)
  assert.deepEqual(compile('${response.entity.bytes}').evaluate(scope), sent)
})

test('B88: content that decodes to more than the limit is rejected', () => {
  const noise = Buffer.from(Array.from({ length: LIMIT + 1 }, (_, at) => (at * 2_654_435_761) >>> 24))
  const kept = noise.subarray(0, LIMIT)
  assert.deepEqual(decodeContent(coded('gzip'), zlib.gzipSync(kept)), kept)
  assert.throws(() => decodeContent(coded('gzip'), zlib.gzipSync(noise)), EntityTooLargeError)
  assert.throws(() => decodeContent(coded('gzip'), zlib.gzipSync(Buffer.alloc(LIMIT + 1))), EntityTooLargeError)
  assert.throws(() => decodeContent(coded('gzip, gzip, gzip'), text), ContentCodingError)
})

const CODERS: Readonly<Record<string, (content: Buffer) => Buffer>> = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
}

for (const [coding, encode] of Object.entries(CODERS)) {
  test(`B88: content in ${coding} that expands a hundredfold is rejected, unless it is small`, () => {
    const little = Buffer.alloc(65_536, 'a')
    assert.deepEqual(decodeContent(coded(coding), encode(little)), little)
    const bomb = encode(Buffer.alloc(LIMIT, 'a'))
    assert.ok(bomb.length < LIMIT / 100)
    assert.throws(() => decodeContent(coded(coding), bomb), {
      name: 'EntityTooLargeError',
      message: /content that expands 100 times/,
    })
    assert.throws(
      () => decodeContent(coded('gzip', coding), encode(zlib.gzipSync(Buffer.alloc(LIMIT)))),
      EntityTooLargeError,
    )
  })
}

test('unknown codings and malformed content are rejected', () => {
  assert.throws(() => decodeContent(coded('compress'), text), ContentCodingError)
  assert.throws(() => decodeContent(coded('gzip'), text), ContentCodingError)
  assert.throws(() => decodeContent(coded('__proto__'), text), ContentCodingError)
})
