import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { request } from 'node:https'
import { after, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import type { Certificate } from '#expression'
import { type Exchange, respond } from '#http'
import { Authority, Changing, type Issued, identityOf, opensslMissing, serverTlsOf, trustIn } from '#test/certificates'
import { H2Client } from '#test/h2-client'
import { listening } from '#test/listening'
import { once, waitUntil, within } from '#test/waiting'

const options = { skip: opensslMissing }
const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' }) as Issued
const other = authority?.issue({ name: 'other.example' }) as Issued
after(() => authority?.[Symbol.dispose]())

const hello = async () => respond(200, {}, 'hello')
const subjects = async ({ client }: Exchange) =>
  respond(200, {}, client.certificates.map((each) => (each as Certificate).x509.subject).join(' < '))

/** One request over HTTP/1.1 on a new connection. */
function ask(port: number, extra: object = {}): Promise<{ status: number; text: string; peer: string }> {
  const answer = new Promise<{ status: number; text: string; peer: string }>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false, ...extra }, (response) => {
      const peer = (response.socket as TLSSocket).getPeerCertificate().subject?.CN ?? ''
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, peer: String(peer) }))
    })
    sent.on('error', reject)
    sent.end()
  })
  return within('the response', answer)
}

/** Output of `openssl s_client` for a connection. */
function client(port: number, ...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...args], (_error, out, err) =>
      resolve(out + err),
    )
    child.stdin?.end()
  })
}

test('HTTP/1.1 and HTTP/2 are served on one port, by ALPN', options, async () => {
  await using server = await listening(hello, { tls: serverTlsOf(issued) })
  assert.equal((await ask(server.port)).text, 'hello')
  await using h2 = new H2Client(server.port)
  assert.equal((await h2.ask('/')).text, 'hello')
})

test('without ALPN only HTTP/1.1 is offered', options, async () => {
  await using server = await listening(hello, { tls: serverTlsOf(issued, { alpn: false }) })
  const socket = connect({ port: server.port, rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] })
  await once(socket, 'secureConnect')
  assert.equal(socket.alpnProtocol, 'http/1.1')
  socket.destroy()
})

test('only TLS 1.2 and 1.3 are offered', options, async () => {
  await using server = await listening(hello, { tls: serverTlsOf(issued) })
  assert.match(await client(server.port, '-tls1_3', '-alpn', 'h2'), /TLSv1\.3[\s\S]*ALPN protocol: h2/)
  assert.match(await client(server.port, '-tls1_2'), /Protocol *: TLSv1\.2/)
  assert.doesNotMatch(await client(server.port, '-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'), /Cipher is [A-Z]*ECDHE/)
  for (const suite of ['AES128-SHA', 'ECDHE-ECDSA-AES128-SHA', 'DHE-RSA-AES128-GCM-SHA256', 'NULL:@SECLEVEL=0']) {
    assert.doesNotMatch(await client(server.port, '-tls1_2', '-cipher', suite), /Cipher is (?!\(NONE\))/)
  }
  assert.match(await client(server.port, '-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-GCM-SHA256'), /Cipher is ECDHE/)
})

test('key exchange uses the groups of the intermediate profile of Mozilla, and no others', options, async () => {
  // With TLS 1.2 the curve of a certificate must also be among the groups of the client.
  const rsa = authority!.issue({ name: 'localhost', keyType: 'rsa' })
  await using server = await listening(hello, { tls: serverTlsOf(rsa) })
  for (const version of ['-tls1_2', '-tls1_3']) {
    for (const group of ['X25519', 'prime256v1', 'secp384r1']) {
      assert.match(
        await client(server.port, version, '-groups', group),
        /Cipher is (?!\(NONE\))/,
        `${version} ${group}`,
      )
    }
    for (const group of ['X448', 'secp521r1']) {
      assert.doesNotMatch(await client(server.port, version, '-groups', group), /Cipher is (?!\(NONE\))/, group)
    }
  }
})

test('only the configured versions and cipher suites are offered', options, async () => {
  const tls = serverTlsOf(issued, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' })
  await using server = await listening(hello, { tls })
  assert.doesNotMatch(await client(server.port, '-tls1_3'), /Cipher is TLS_/)
  assert.match(await client(server.port), /Cipher is ECDHE-ECDSA-AES256-GCM-SHA384/)
})

test('a certificate for each server name; an error for one ends that handshake only (B90)', options, async () => {
  const identities = { default: [identityOf(issued)], other: [identityOf(other)] }
  const tls = serverTlsOf(issued, {
    identitiesFor: async (name) => {
      if (name === 'bad.example') throw new Error('no such secret')
      return name === 'other.example' ? identities.other : identities.default
    },
  })
  await using server = await listening(hello, { tls })
  assert.equal((await ask(server.port, { servername: 'other.example' })).peer, 'other.example')
  assert.equal((await ask(server.port, { servername: 'third.example' })).peer, 'localhost')
  await assert.rejects(ask(server.port, { servername: 'bad.example' }))
  assert.equal((await ask(server.port)).peer, 'localhost')
})

test('client certificates: required, requested, not requested', options, async () => {
  const shown = { key: other.key, cert: other.chain }
  using strangers = new Authority('Strangers')
  const stranger = strangers.issue({ name: 'stranger' })
  const unknown = { key: stranger.key, cert: stranger.certificate }
  const trust = trustIn(authority!.certificate)
  const chain = 'CN=other.example < CN=Test Authority'

  await using required = await listening(subjects, { tls: serverTlsOf(issued, { clientAuth: 'REQUIRED', trust }) })
  assert.equal((await ask(required.port, shown)).text, chain)
  await assert.rejects(ask(required.port))
  await assert.rejects(ask(required.port, unknown))
  await using h2 = new H2Client(required.port, shown)
  assert.equal((await h2.ask('/')).text, chain)

  await using requested = await listening(subjects, { tls: serverTlsOf(issued, { clientAuth: 'REQUEST', trust }) })
  assert.equal((await ask(requested.port, shown)).text, chain)
  assert.deepEqual(await ask(requested.port), { status: 200, text: '', peer: 'localhost' })
  await assert.rejects(ask(requested.port, unknown))

  await using none = await listening(subjects, { tls: serverTlsOf(issued) })
  assert.equal((await ask(none.port, shown)).text, '')

  const anyone = { authorities: async () => 'anything' as const, onChange: () => () => {} }
  const trusting = serverTlsOf(issued, { clientAuth: 'REQUIRED', trust: anyone })
  await using open = await listening(subjects, { tls: trusting })
  assert.equal((await ask(open.port, unknown)).text, 'CN=stranger')
  await assert.rejects(ask(open.port))
})

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  test(`a rejected client certificate is logged with its reason and the address (${version})`, options, async () => {
    using strangers = new Authority('Strangers')
    const stranger = strangers.issue({ name: 'stranger' })
    const unknown = { key: stranger.key, cert: stranger.certificate }
    const [trust, limits] = [trustIn(authority!.certificate), { minVersion: version, maxVersion: version }]
    const none = /"client":"127\.0\.0\.1","problem":"the client sent no certificate"/
    const untrusted = /"client":"127\.0\.0\.1","problem":"the certificate of the client is not trusted: UNABLE_TO_\w+"/
    for (const clientAuth of ['REQUIRED', 'REQUEST'] as const) {
      await using server = await listening(subjects, { tls: serverTlsOf(issued, { clientAuth, trust, ...limits }) })
      const isLogged = (entry: RegExp) => server.log.lines.some((line) => entry.test(line))
      if (clientAuth === 'REQUIRED') {
        await assert.rejects(ask(server.port))
        await waitUntil('the missing certificate was logged', () => isLogged(none))
      }
      await assert.rejects(ask(server.port, unknown))
      await waitUntil('the untrusted certificate was logged', () => isLogged(untrusted))
      assert.ok(server.log.lines.every((line) => line.includes('GW_LISTENER_CLIENT_CERTIFICATE_REJECTED')))
    }
  })
}

test('a renewed certificate is used for new connections; open ones stay open', options, async () => {
  const keys = new Changing<readonly Issued[]>([issued])
  await using server = await listening(hello, { tls: serverTlsOf(keys) })
  await using h2 = new H2Client(server.port)
  assert.equal((await h2.ask('/')).status, 200)
  keys.set([other])
  await waitUntil('the new certificate was used', async () => (await ask(server.port)).peer === 'other.example')
  await waitUntil(
    'the new certificate was used for localhost',
    async () => (await ask(server.port, { servername: 'localhost' })).peer === 'other.example',
  )
  assert.equal((await h2.ask('/')).status, 200)
})

test('a failed renewal leaves the previous certificate in use', options, async () => {
  const keys = new Changing<readonly Issued[]>([issued])
  await using server = await listening(hello, { tls: serverTlsOf(keys) })
  keys.set([{ ...issued, key: 'broken' }])
  const isLogged = () => server.log.lines.join().includes('could not be renewed')
  for (let attempt = 0; attempt < 200 && !isLogged(); attempt++) await ask(server.port)
  assert.ok(isLogged(), 'the failed renewal was not logged')
  assert.equal((await ask(server.port)).peer, 'localhost')
})

test('cleartext, garbage and stalled handshakes do not affect other clients (B90)', options, async () => {
  await using server = await listening(hello, { tls: serverTlsOf(issued), headersTimeout: 300 })
  const { connect: open } = await import('node:net')
  const silent = open(server.port, '127.0.0.1')
  silent.on('error', () => {}).resume()
  const silentEnded = once(silent, 'close')
  for (const text of ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', '\x16\x03\x01\x00\x05hello', '\x00'.repeat(1000)]) {
    const socket = open(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.end(text, 'latin1')
    socket.resume()
    await once(socket, 'close')
  }
  for (let i = 0; i < 200; i++) {
    const socket = open(server.port, '127.0.0.1', () => socket.resetAndDestroy())
    socket.on('error', () => {})
    await once(socket, 'close')
  }
  await silentEnded
  assert.equal((await ask(server.port)).status, 200)
})

const curlMissing = spawnSync('curl', ['--http2', '--version']).status === 0 ? false : 'curl is not on the PATH'

test('curl gets its response over HTTP/2 and HTTP/1.1', {
  ...options,
  skip: opensslMissing || curlMissing,
}, async () => {
  await using server = await listening(hello, { tls: serverTlsOf(issued) })
  const curl = (...args: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const url = `https://localhost:${server.port}/`
      const all = ['-sS', '--cacert', authority!.certificateFile, '-w', ' %{http_version}', ...args, url]
      execFile('curl', all, (error, out) => (error === null ? resolve(out) : reject(error)))
    })
  assert.equal(await curl('--http2'), 'hello 2')
  assert.equal(await curl('--http1.1'), 'hello 1.1')
})
