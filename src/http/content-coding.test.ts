import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { compile, scopeOf } from '#expression'
import {
  Body,
  BodyTooLargeError,
  ContentCodingError,
  decodeContent,
  Headers,
  MAX_DECODED_BYTES,
  Response,
} from './index.ts'

const coded = (...codings: string[]) => Headers.fromRaw(codings.flatMap((each) => ['Content-Encoding', each]))
const text = Buffer.from('{"a":1}')

test('every coding is undone, the last one first', () => {
  assert.deepEqual(decodeContent(coded('gzip'), zlib.gzipSync(text)), text)
  assert.deepEqual(decodeContent(coded('deflate'), zlib.deflateSync(text)), text)
  assert.deepEqual(decodeContent(coded('BR'), zlib.brotliCompressSync(text)), text)
  assert.deepEqual(decodeContent(coded('zstd'), zlib.zstdCompressSync(text)), text)
  assert.deepEqual(decodeContent(coded('gzip, br'), zlib.brotliCompressSync(zlib.gzipSync(text))), text)
  assert.deepEqual(decodeContent(coded('identity'), text), text)
  assert.deepEqual(decodeContent(coded('gzip'), new Uint8Array(0)), new Uint8Array(0))
})

test('expressions read encoded content decoded, but its bytes as they were sent', () => {
  const sent = zlib.gzipSync(text)
  const response = new Response(200, { headers: { 'Content-Encoding': 'gzip' }, body: Body.of(sent) })
  const scope = scopeOf({ response })
  assert.equal(compile('${response.entity.json.a}').evaluate(scope), 1)
  assert.deepEqual(compile('${response.entity.bytes}').evaluate(scope), sent)
})

test('B88: content that grows beyond the limit is refused', () => {
  const bomb = zlib.gzipSync(Buffer.alloc(MAX_DECODED_BYTES + 1))
  assert.throws(() => decodeContent(coded('gzip'), bomb), BodyTooLargeError)
  assert.throws(() => decodeContent(coded('gzip, gzip, gzip'), text), ContentCodingError)
})

test('unknown codings and damaged content are refused', () => {
  assert.throws(() => decodeContent(coded('compress'), text), ContentCodingError)
  assert.throws(() => decodeContent(coded('gzip'), text), ContentCodingError)
  assert.throws(() => decodeContent(coded('__proto__'), text), ContentCodingError)
})
