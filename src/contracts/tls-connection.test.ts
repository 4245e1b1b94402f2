import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { Authority, clientTlsOf, opensslMissing } from '#test/certificates'
import { once } from '#test/waiting'
import type { ClientTls } from './tls.ts'
import { tlsConnectionOptions } from './tls-connection.ts'

const authority = opensslMissing === false ? new Authority() : null
after(() => authority?.[Symbol.dispose]())

/** Connects with the options of Redis and databases to a server with a certificate; the problem, or null. */
async function problemWith(name: string, altNames: string | null, hostnames: ClientTls['hostnames']) {
  const { key, certificate } = authority!.issue({ name, altNames })
  const server = createServer({ key, cert: certificate }, (socket) => socket.end())
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const options = await tlsConnectionOptions(clientTlsOf(authority!, { hostnames }))
  const socket = connect({ ...options, host: '127.0.0.1', port, servername: 'cache.example.com' })
  const outcome = Promise.withResolvers<string | null>()
  socket.on('secureConnect', () => outcome.resolve(null)).on('error', ({ message }) => outcome.resolve(message))
  try {
    return await outcome.promise
  } finally {
    socket.destroy()
    server.close()
  }
}

for (const [what, name, altNames, isAccepted] of [
  ['its name', 'x', 'DNS:cache.example.com', true],
  ['a wildcard', 'x', 'DNS:*.example.com', true],
  ['the CN alone', 'cache.example.com', null, true],
  ['a wildcard within a label', 'x', 'DNS:ca*.example.com', false],
  ['the CN beside an address', 'cache.example.com', 'IP:10.0.0.1', false],
  ['the CN beside a URI', 'cache.example.com', 'URI:spiffe://example/cache', false],
] as const) {
  const verb = isAccepted ? 'accepted' : 'rejected'
  test(`B49: a server with ${what} in its certificate is ${verb} under STRICT`, { skip: opensslMissing }, async () => {
    const problem = await problemWith(name, altNames, 'STRICT')
    if (isAccepted) assert.equal(problem, null)
    else assert.match(problem ?? '', /does not name "cache\.example\.com"/)
    assert.equal(await problemWith(name, altNames, 'ALLOW_ALL'), null)
  })
}
