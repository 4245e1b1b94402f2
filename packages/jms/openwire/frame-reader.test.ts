import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameReader } from './frame-reader.ts'
import { ProtocolError } from './protocol-error.ts'

function framed(...contents: readonly string[]): Buffer {
  return Buffer.concat(
    contents.map((content) => {
      const size = Buffer.alloc(4)
      size.writeInt32BE(content.length)
      return Buffer.concat([size, Buffer.from(content)])
    }),
  )
}

function readAll(chunks: Iterable<Buffer>, maxFrameSize = 100): string[] {
  const reader = new FrameReader(maxFrameSize)
  return [...chunks].flatMap((chunk) => [...reader.read(chunk)].map(String))
}

test('frames are the same however the bytes are split', () => {
  const bytes = framed('one', 'x', 'three and more')
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
    assert.deepEqual(readAll(chunks), ['one', 'x', 'three and more'], `chunks of ${size} bytes`)
  }
})

test('a frame is refused by its size before its bytes arrive', () => {
  for (const size of [101, 0, -1, 0x7fffffff, -0x80000000]) {
    const head = Buffer.alloc(4)
    head.writeInt32BE(size)
    assert.throws(() => readAll([head]), ProtocolError, `size ${size}`)
    assert.throws(() => readAll([head.subarray(0, 1), head.subarray(1)]), ProtocolError, `size ${size} in two chunks`)
  }
})

test('the answer of another protocol is quoted without control characters', () => {
  assert.throws(() => readAll([Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]), /begins with "HTTP\/1.1 400 Bad"/)
  assert.throws(() => readAll([Buffer.from('\x15\x03\x03\0\x02\x02P')]), /begins with "......P"/)
})

test('memory follows the bytes that arrived, not the announced size', () => {
  const reader = new FrameReader(1024 * 1024 * 1024)
  const before = process.memoryUsage().arrayBuffers
  const head = Buffer.alloc(5)
  head.writeInt32BE(1024 * 1024 * 1024)
  assert.deepEqual([...reader.read(head)], [])
  assert.ok(process.memoryUsage().arrayBuffers - before < 1024 * 1024)
})
