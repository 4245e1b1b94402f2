import { randomBytes } from 'node:crypto'
import { type Attack, pick } from './attack.ts'
import { HostileConnection } from './connection.ts'

const REQUEST = 'POST /proxy/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello'

/** A request with some bytes replaced. */
function mutated(): Buffer {
  const bytes = Buffer.from(REQUEST, 'latin1')
  const changes = randomBytes(6)
  for (let at = 0; at < 3; at++) bytes[(changes[at] as number) % bytes.length] = changes[at + 3] as number
  return bytes
}

const KINDS: readonly (() => string | Uint8Array)[] = [
  () => randomBytes(2_000),
  mutated,
  () => `GET /static HTTP/1.1\r\nHost: a\r\n${'x'.repeat(20_000)}`,
  () => `GET /static HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(3_000)}\r\n`,
  () =>
    `POST /json HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${`1;${'e'.repeat(900)}\r\n1\r\n`.repeat(50)}`,
  () => `POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc`,
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
]

/** Bytes that are not HTTP, nearly HTTP, or HTTP beyond its limits. */
export const garbageRequests: Attack = {
  name: 'garbage requests',
  clients: 2,
  async turn({ port, securePort }, round) {
    using connection = await HostileConnection.open(round % 10 === 0 ? securePort : port)
    await connection.send(pick(KINDS, round)())
    await connection.closed(50)
  },
}
