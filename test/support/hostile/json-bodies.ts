import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { sendRequest } from '../send-request.ts'
import { type Attack, pick } from './attack.ts'

const MEGABYTE = 1_048_576
const zeros = Buffer.alloc(4 * MEGABYTE, '0')

/** Bodies that cost far more to parse than to send, by content coding. */
const BODIES: readonly (readonly [string, string | Uint8Array])[] = [
  ['identity', `[${'0,'.repeat(MEGABYTE)}0]`],
  ['identity', '['.repeat(500_000)],
  ['identity', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['identity', `{"a":"${'\\u0041'.repeat(300_000)}"}`],
  ['identity', `{"a":${'9'.repeat(MEGABYTE)}}`],
  ['identity', `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
  ['gzip', gzipSync(zeros)],
  ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ['deflate', deflateSync(zeros)],
  ['gzip', gzipSync(`{"a":"${'x'.repeat(MEGABYTE)}"}`).subarray(0, 200)],
  ['gzip, gzip', gzipSync(gzipSync(zeros))],
]

/** Large, deep and compressed JSON for a route that reads it. */
export const jsonBodies: Attack = {
  name: 'JSON bodies',
  clients: 1,
  async turn({ port }, round) {
    const [coding, body] = pick(BODIES, round)
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding }
    const signal = AbortSignal.timeout(5_000)
    // The gateway may close before it has read the body: that is not a failure.
    await sendRequest(`http://127.0.0.1:${port}/json`, { method: 'POST', headers, body, signal }).catch(() => {})
  },
}
