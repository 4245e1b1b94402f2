// TLS sessions of a whole gateway with two units: a client may reconnect to any of them.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connect, type SecureVersion } from 'node:tls'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { RunningGateway, textRoute } from '#test/gateway'
import { secureHeap } from '#test/secure-connector'
import { within } from '#test/waiting'

const options = { skip: opensslMissing, timeout: 60_000 }
const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

const RECONNECTS = 40

/** One request on a new connection. */
function visit(
  port: number,
  version: SecureVersion,
  session?: Buffer,
): Promise<{ resumed: boolean; session?: Buffer }> {
  const ended = new Promise<{ resumed: boolean; session?: Buffer }>((resolve, reject) => {
    const limits = { minVersion: version, maxVersion: version }
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...limits, session })
    let result = { resumed: false, session }
    socket.on('secureConnect', () => {
      result = { ...result, resumed: socket.isSessionReused() }
    })
    socket.on('session', (received) => {
      result = { ...result, session: received }
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(result as { resumed: boolean; session?: Buffer }))
    socket.resume()
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  })
  return within('the connection closed', ended)
}

test(`${RECONNECTS} reconnects to two units resume the session, with TLS 1.2 and 1.3`, options, async () => {
  const issued = authority?.issue({ name: 'localhost' }) as Issued
  const connector = { port: 0, host: '127.0.0.1', tls: 'https' }
  await using running = await RunningGateway.start({
    admin: {
      connectors: [connector, connector],
      adminConnector: { port: 0 },
      gatewayUnits: 2,
      heap: secureHeap(issued),
    },
    routes: { text: textRoute('hello') },
  })
  const [first = 0, second = 0] = running.gateway.ports
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    let { session } = await visit(first, version)
    let resumed = 0
    for (let round = 0; round < RECONNECTS; round++) {
      const next = await visit(first, version, session)
      if (next.resumed) resumed++
      session = next.session
    }
    assert.equal(resumed, RECONNECTS, version)
    assert.equal((await visit(second, version, session)).resumed, false, `${version}, another connector`)
  }
})
