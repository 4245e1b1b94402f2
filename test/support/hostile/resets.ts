import { setTimeout as wait } from 'node:timers/promises'
import { FRAME, frame, GET, literal } from '../h2-frames.ts'
import { ResetClient } from '../reset-client.ts'
import { type Attack, pick } from './attack.ts'

const HOST = 'Host: localhost\r\n'
const UPGRADE = `${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`
const POST = literal({ ':method': 'POST', ':scheme': 'https', ':authority': 'localhost', ':path': '/proxy/echo' })
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const opening = Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0)])

/** Bytes after which the connection is reset, over HTTP/1.1. */
const STAGES: readonly string[] = [
  '',
  'GET /proxy/sm',
  `GET /proxy/small HTTP/1.1\r\n${HOST}X-`,
  `GET /proxy/large HTTP/1.1\r\n${HOST}\r\n`,
  `POST /proxy/echo HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n`,
  `POST /proxy/echo HTTP/1.1\r\n${HOST}Content-Length: 100000\r\n\r\n${'x'.repeat(50_000)}`,
  `POST /json HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nff\r\n{"a`,
  `POST /json HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
  `CONNECT a:443 HTTP/1.1\r\n${HOST}\r\nbytes`,
  `GET /proxy/small HTTP/1.1\r\n${UPGRADE}\r\n`,
  `GET /proxy/small HTTP/1.1\r\n${HOST}\r\nCONNECT a:443 HTTP/1.1\r\n${HOST}\r\n`,
  'FOO / HTTP/1.1\r\n\r\n',
]

/** The same over HTTP/2. */
const FRAMES: readonly Uint8Array[] = [
  Buffer.from(PREFACE.slice(0, 9)),
  opening,
  Buffer.concat([opening, frame(FRAME.headers, 5, 1, GET)]),
  Buffer.concat([opening, frame(FRAME.headers, 0, 1, GET)]),
  Buffer.concat([opening, frame(FRAME.headers, 4, 1, POST), frame(FRAME.data, 0, 1, Buffer.alloc(10_000))]),
]

/** TCP resets at every stage of a request, at once or some milliseconds later, when the response is on its way. */
export const resets: Attack = {
  name: 'resets',
  clients: 4,
  async turn({ port, securePort }, round) {
    const transport = pick(['plain', 'tls', 'h2'] as const, round)
    const stages: readonly (string | Uint8Array)[] = transport === 'h2' ? FRAMES : STAGES
    const client = await ResetClient.open(transport === 'plain' ? port : securePort, transport)
    await client.send(pick(stages, Math.floor(round / 3)))
    await wait(pick([0, 1, 5, 20], round))
    client.reset()
  },
}

/** The same within the TLS handshake. */
export const handshakeResets: Attack = {
  name: 'resets in TLS handshakes',
  clients: 1,
  async turn({ securePort }, round) {
    const client = await ResetClient.connect(securePort)
    await client.send(pick(['', '\u0016', '\u0016\u0003\u0001\u0002\u0000\u0001', 'GET / HTTP/1.1\r\n\r\n'], round))
    await wait(pick([0, 5, 100], round))
    client.reset()
  },
}
