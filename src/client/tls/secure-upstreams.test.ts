import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createSecureContext, type TLSSocket, type TlsOptions } from 'node:tls'
import type { ClientTls, TrustManager } from '#contracts'
import { Authority, Changing, clientTlsOf, type Issued, keysOf, opensslMissing, trustIn } from '#test/certificates'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { once, within } from '#test/waiting'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
const named = authority?.issue({ name: 'localhost', altNames: 'DNS:localhost,IP:127.0.0.1' }) as Issued
const misnamed = authority?.issue({ name: 'other.example' }) as Issued
const visitor = authority?.issue({ name: 'visitor' }) as Issued
const successor = authority?.issue({ name: 'successor' }) as Issued
after(() => authority?.[Symbol.dispose]())

const TRUST_ALL: TrustManager = { authorities: async () => 'anything', onChange: () => () => {} }

const tlsWith = (fields: Partial<ClientTls>): ClientTls => clientTlsOf(authority!, fields)

/** A server that responds with the name in the client certificate and its number of connections. */
async function upstream(issued: Issued, tls: TlsOptions = {}) {
  const server = createServer({ key: issued.key, cert: issued.certificate, ...tls }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate()
    response.end(`${subject?.CN ?? 'anonymous'} ${connections}`)
  })
  let connections = 0
  server.on('secureConnection', () => {
    connections++
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server,
    url: `https://localhost:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const matrix: readonly [what: string, server: () => Issued, tls: () => Partial<ClientTls>, accepted: boolean][] = [
  ['a trusted certificate of the right name, STRICT', () => named, () => ({}), true],
  ['a trusted certificate of another name, STRICT', () => misnamed, () => ({}), false],
  ['a trusted certificate of another name, ALLOW_ALL', () => misnamed, () => ({ hostnames: 'ALLOW_ALL' }), true],
  ['an untrusted certificate, STRICT', () => named, () => ({ trust: null }), false],
  ['an untrusted certificate, ALLOW_ALL', () => named, () => ({ trust: null, hostnames: 'ALLOW_ALL' }), false],
  ['any certificate of the right name, TrustAll and STRICT', () => named, () => ({ trust: TRUST_ALL }), true],
  ['any certificate of another name, TrustAll and STRICT', () => misnamed, () => ({ trust: TRUST_ALL }), false],
  [
    'any certificate of another name, TrustAll and ALLOW_ALL',
    () => misnamed,
    () => ({ trust: TRUST_ALL, hostnames: 'ALLOW_ALL' }),
    true,
  ],
  ['a certificate that is itself trusted, STRICT', () => named, () => ({ trust: trustIn(named.certificate) }), true],
]

for (const [what, server, tls, accepted] of matrix) {
  test(`${what}: ${accepted ? 'accepted' : 'rejected'}`, options, async () => {
    await using target = await upstream(server())
    await using client = clientWith({ tls: tlsWith(tls()) })
    for (let i = 0; i < 2; i++) {
      const answer = send(client, exchangeFor('GET', target.url))
      if (accepted) assert.match(await textOf(await answer), /^anonymous/)
      else
        await assert.rejects(
          answer,
          rejectedFor(/the certificate of the server (?:does not name|is rejected: .* \([A-Z_]+\)$)/),
        )
    }
  })
}

/** Checks that an error is about the certificate, and not about the network. */
function rejectedFor(reason: RegExp): (error: Error) => boolean {
  return (error) => {
    const { code, message } = error.cause as NodeJS.ErrnoException
    assert.deepEqual([(error as NodeJS.ErrnoException).code, code], ['GW_UPSTREAM_CONNECT', 'GW_TLS_IDENTITY'])
    assert.match(message, reason)
    return true
  }
}

test('without TLS options the trust of the platform is used, and names are verified', options, async () => {
  await using target = await upstream(named)
  await using client = clientWith()
  await assert.rejects(send(client, exchangeFor('GET', target.url)), { code: 'GW_UPSTREAM_CONNECT' })
})

test('a resumed session does not bypass the verification of names', options, async () => {
  await using target = await upstream(misnamed)
  const tls = tlsWith({})
  await using client = clientWith({ tls, disableReuseConnection: true })
  for (let i = 0; i < 3; i++) {
    await assert.rejects(send(client, exchangeFor('GET', target.url)), { code: 'GW_UPSTREAM_CONNECT' })
  }
})

const asking = () => ({ requestCert: true, rejectUnauthorized: true, ca: authority!.certificate })

test('a client certificate is sent on request, and its connections are used once', options, async () => {
  await using target = await upstream(named, asking())
  const keys = keysOf(new Changing([visitor]))
  await using tracking = clientWith({ tls: tlsWith({ keys }), stateTracking: true })
  for (const expected of ['visitor 1', 'visitor 2']) {
    assert.equal(await textOf(await send(tracking, exchangeFor('GET', target.url))), expected)
  }
  await using sharing = clientWith({ tls: tlsWith({ keys }), stateTracking: false })
  const answers = []
  for (let i = 0; i < 6; i++) answers.push(await textOf(await send(sharing, exchangeFor('GET', target.url))))
  assert.match(answers[5]!, /^visitor [34]$/)
})

test('without a client certificate connections are reused, also with stateTrackingEnabled', options, async () => {
  await using target = await upstream(named)
  await using client = clientWith({ tls: tlsWith({}), stateTracking: true })
  const answers = []
  for (let i = 0; i < 6; i++) answers.push(await textOf(await send(client, exchangeFor('GET', target.url))))
  // The first connection may still be busy at the second request; a third is not needed.
  assert.match(answers[5]!, /^anonymous [12]$/)
})

test('changed keys are used by the next request; an active one finishes on its connection', options, async () => {
  const gate = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  await using target = await upstream(named, asking())
  target.server.prependListener('request', (request, response) => {
    if (request.url !== '/slow') return
    const { end } = response
    response.end = ((text: string) => {
      arrived.resolve()
      void gate.promise.then(() => end.call(response, text, 'utf8'))
      return response
    }) as typeof response.end
  })
  const changing = new Changing<readonly Issued[]>([visitor])
  await using client = clientWith({ tls: tlsWith({ keys: keysOf(changing) }), stateTracking: false })
  const slow = send(client, exchangeFor('GET', `${target.url}slow`))
  await within('the request reached the upstream', arrived.promise)
  changing.set([successor])
  assert.match(await textOf(await send(client, exchangeFor('GET', target.url))), /^successor/)
  gate.resolve()
  assert.match(await textOf(await slow), /^visitor/)
})

test('only the configured versions and cipher suites are used', options, async () => {
  await using target = await upstream(named, { maxVersion: 'TLSv1.2' })
  await using modern = clientWith({ tls: tlsWith({ minVersion: 'TLSv1.3' }) })
  await assert.rejects(send(modern, exchangeFor('GET', target.url)), { code: 'GW_UPSTREAM_CONNECT' })
  const suite = 'ECDHE-ECDSA-AES256-GCM-SHA384'
  await using narrow = clientWith({ tls: tlsWith({ ciphers: suite }) })
  assert.equal((await send(narrow, exchangeFor('GET', target.url))).status, 200)
  target.server.setSecureContext({ key: named.key, cert: named.certificate, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })
  await using other = clientWith({ tls: tlsWith({ ciphers: suite, maxVersion: 'TLSv1.2' }) })
  await assert.rejects(send(other, exchangeFor('GET', target.url)), { code: 'GW_UPSTREAM_CONNECT' })
  assert.ok(createSecureContext({ ciphers: suite }))
})
