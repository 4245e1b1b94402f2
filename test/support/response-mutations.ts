// Mutated HTTP/1.1 responses for fuzz tests: repeatable from a seed and a number.
import { existsSync, readFileSync } from 'node:fs'

const SAMPLES: readonly string[] = [
  'HTTP/1.1 200 OK\r\nServer: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nKeep-Alive: timeout=5\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b;c="d;\\"e"\r\nhello\r\n0;f\r\nX-Sum: 1\r\nX-End: 2\r\n\r\n',
  'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nup to the end',
  'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi',
  'HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 1234\r\n\r\n',
  'HTTP/1.1 404 nicht gef\xfcnd\r\nSet-Cookie: a=1\r\nset-cookie: b=\xe9\r\nX-Empty:\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
  'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 500 Poison\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi',
]

const corpus = new URL('../../../shared/corpora/http1/llhttp_responses.json', import.meta.url)

/** Samples of our own, and those of the parser suite where it is beside the checkout. */
export const RESPONSE_SAMPLES: readonly Buffer[] = [
  ...SAMPLES.map((sample) => Buffer.from(sample, 'latin1')),
  ...(existsSync(corpus) ? (JSON.parse(readFileSync(corpus, 'utf8')) as { raw_b64: string }[]) : []).map(
    ({ raw_b64: raw }) => Buffer.from(raw, 'base64'),
  ),
]

/** Text that changes the framing or the lines of a message. */
export const FRAGMENTS: readonly Buffer[] = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '"',
    '=',
    '0',
    '1',
    '5',
    'f',
    '\x7f',
    '\x85',
    '\xa0',
  ],
  ...[
    '\x0b',
    '\x0c',
    '\xff',
    '-',
    '+',
    '0x',
    '\r\n ',
    '\r\n\t',
    ' :',
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
  ],
  ...['HTTP/1.0', 'HTTP/1.2', 'RTSP/1.1', 'Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'content-length : 1\r\n'],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip\r\n',
    'transfer-encoding:\x0bchunked\r\n',
    ', chunked',
  ],
  ...[
    'Connection: close\r\n',
    'Connection: keep-alive\r\n',
    'Connection: upgrade\r\nUpgrade: h2c\r\n',
    'X-A: b\r\n',
    ';a',
    ';a="',
  ],
  ...[
    '0\r\n\r\n',
    '5\r\nhello\r\n',
    'FFFFFFFFFFFFFFFF',
    '00000000000000000005',
    '18446744073709551617',
    '204',
    '304',
    '101',
    '099',
  ],
].map((fragment) => Buffer.from(fragment, 'latin1'))

const FIELDS: readonly Buffer[] = [
  ...[
    'X-A: b',
    'X-A:b ',
    'X-A:\t\xe9\t',
    'X-A:',
    'x_a.b: "c"',
    '__proto__: a',
    'Set-Cookie: a=1; Path=/',
    'Host: a',
    'Date: now',
  ],
  ...[
    'Connection: close',
    'connection: Keep-Alive',
    'Connection: x, close',
    'Connection: upgrade',
    'Upgrade: websocket',
  ],
  ...[
    'Keep-Alive: timeout=2, max=3',
    'Proxy-Connection: close',
    'Trailer: X-Sum',
    'TE: trailers',
    'Content-Encoding: gzip',
  ],
  ...[
    'Content-Length: 2',
    'content-length:5',
    'Content-Length: 5, 5',
    'Content-Length: +5',
    'Content-Length: 0x5',
    'Content-Length:',
  ],
  ...[
    'Content-Length: 05',
    'Content-Length: 5\t',
    'Content_Length: 5',
    'Content-Length-X: 5',
    'Transfer-Encoding: Chunked',
  ],
  ...[
    'transfer-encoding:chunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: identity',
    'Transfer-Encoding:',
  ],
  ...[
    'Transfer-Encoding: ,chunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked\t',
    'Transfer_Encoding: chunked',
  ],
].map((field) => Buffer.from(`${field}\r\n`, 'latin1'))

/** A random integer below a bound. */
export type Random = (below: number) => number

/** Xorshift, from a seed and the number of a mutation. */
export function randomFrom(seed: number, number: number): Random {
  let state = Math.imul(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ number, 0xc2b2ae35)
  state = (state ^ (state >>> 16)) >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const oneOf = <T>(list: readonly T[], random: Random): T => list[random(list.length)]!

/** A random sample with one to three changes; mostly one, since most changes make a message invalid. */
export function mutatedMessage(random: Random, samples: readonly Buffer[], fragments = FRAGMENTS): Buffer {
  let bytes = Buffer.from(oneOf(samples, random))
  const changes = Math.max(1, random(6) - 2)
  for (let change = 0; change < changes; change++) bytes = changed(bytes, random, samples, fragments)
  return bytes
}

export function mutatedResponse(random: Random): Buffer {
  return mutatedMessage(random, RESPONSE_SAMPLES)
}

function changed(
  bytes: Buffer<ArrayBuffer>,
  random: Random,
  samples: readonly Buffer[],
  fragments: readonly Buffer[],
): Buffer<ArrayBuffer> {
  const at = random(bytes.length + 1)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (random(8)) {
    case 0:
      return Buffer.concat([before, oneOf(fragments, random), after])
    case 1:
      return Buffer.concat([before, oneOf(fragments, random), after.subarray(random(8))])
    case 2:
      return Buffer.concat([before, after.subarray(1 + random(4))])
    case 3:
      return Buffer.concat([before, Buffer.of(random(256)), after.subarray(1)])
    case 4:
      // A piece of another sample.
      return Buffer.concat([before, pieceOf(oneOf(samples, random), random), after])
    case 5:
      return Buffer.concat([before, pieceOf(bytes, random), after])
    case 6:
      return random(4) === 0 ? Buffer.from(before) : fieldInserted(bytes, random, fragments)
    default:
      return fieldInserted(bytes, random, fragments)
  }
}

function pieceOf(bytes: Buffer, random: Random): Buffer {
  const from = random(bytes.length + 1)
  return bytes.subarray(from, from + random(40))
}

/** Inserts a field at the start of a line, or a fragment. */
function fieldInserted(bytes: Buffer, random: Random, fragments: readonly Buffer[]): Buffer<ArrayBuffer> {
  let at = 0
  for (let skipped = random(6); skipped >= 0; skipped--) {
    const next = bytes.indexOf('\r\n', at)
    if (next < 0) break
    at = next + 2
  }
  return Buffer.concat([bytes.subarray(0, at), oneOf(random(3) === 0 ? fragments : FIELDS, random), bytes.subarray(at)])
}
