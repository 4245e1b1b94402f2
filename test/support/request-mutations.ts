// Mutated HTTP/1.1 requests for fuzz tests: repeatable from a seed and a number.
import { existsSync, readFileSync } from 'node:fs'
import { FRAGMENTS, mutatedMessage, type Random } from './response-mutations.ts'

const GET = 'GET /a?b=c HTTP/1.1\r\nHost: a\r\n'
const POST = 'POST /p HTTP/1.1\r\nHost: a\r\n'

const SAMPLES: readonly string[] = [
  `${GET}Accept: */*\r\nUser-Agent: test\r\n\r\n`,
  `${GET}\r\n${GET}Connection: close\r\n\r\n${GET}\r\n`,
  `${POST}Content-Length: 5\r\n\r\nhello${GET}\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n${GET}\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n5;a=b;c="d;\\"e"\r\nhello\r\n0;f\r\nX-Sum: 1\r\nX-End: 2\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(20)}0\r\n\r\n`,
  'GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\nHEAD http://a/x HTTP/1.1\r\nHost: a\r\n\r\n',
  'PUT /\u00fc HTTP/1.1\r\nHost: a\r\nX: \xe9\r\nContent-Length: 0\r\n\r\n',
  'M-SEARCH /x HTTP/1.1\r\nHost: a\r\nX_Y: z\r\nX-Empty:\r\n\r\n',
  `\r\n${POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi`,
  'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\nhi',
  `${GET}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi`,
  'FOO / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/2.0\r\nHost: a\r\n\r\n',
]

const corpus = new URL('../../../shared/corpora/http1/llhttp_requests.json', import.meta.url)

/** Samples of our own, and those of the parser suite where it is beside the checkout. */
export const REQUEST_SAMPLES: readonly Buffer[] = [
  ...SAMPLES.map((sample) => Buffer.from(sample, 'latin1')),
  ...(existsSync(corpus) ? (JSON.parse(readFileSync(corpus, 'utf8')) as { raw_b64: string }[]) : []).map(
    ({ raw_b64: raw }) => Buffer.from(raw, 'base64'),
  ),
]

const REQUEST_FRAGMENTS = [
  ...FRAGMENTS,
  ...[
    'GET / HTTP/1.1\r\n',
    GET,
    'GET',
    'get',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'HTTP/0.9',
    '#a',
    '%00',
    'http://b/',
  ].map((fragment) => Buffer.from(fragment, 'latin1')),
]

export function mutatedRequest(random: Random): Buffer {
  return mutatedMessage(random, REQUEST_SAMPLES, REQUEST_FRAGMENTS)
}
