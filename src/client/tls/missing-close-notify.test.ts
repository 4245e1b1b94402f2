import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { after, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import type { ClientTls } from '#contracts'
import { Authority, type Issued, opensslMissing, trustIn } from '#test/certificates'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { silentUpstream } from '#test/upstream'

const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'localhost' }) as Issued
after(() => authority?.[Symbol.dispose]())

const trusting = (version: ClientTls['minVersion']): ClientTls => ({
  minVersion: version,
  maxVersion: version,
  ciphers: null,
  alpn: true,
  keys: null,
  trust: trustIn(authority!.certificate),
  hostnames: 'STRICT',
})

/** A TLS server whose connections end after the first record of the response, with FIN but without the alert close_notify. */
function endingWithoutAlert(response: string) {
  return silentUpstream((connection) => {
    const [inner, outer] = duplexPair()
    let isAnswered = false
    connection.on('data', (bytes) => outer.write(bytes))
    outer.on('data', (bytes) => (isAnswered ? connection.end(bytes) : connection.write(bytes)))
    const socket = new TLSSocket(inner, { isServer: true, key: issued.key, cert: issued.certificate })
    socket.on('error', () => {})
    socket.once('data', () => {
      isAnswered = true
      socket.write(response)
    })
  })
}

const HEAD = 'HTTP/1.1 200 OK\r\nConnection: close\r\n'
const RESPONSES: readonly [what: string, response: string, text: string | null][] = [
  ['Content-Length is complete', `${HEAD}Content-Length: 5\r\n\r\nwhole`, 'whole'],
  ['Content-Length is truncated', `${HEAD}Content-Length: 10\r\n\r\nwhole`, null],
  ['the last chunk is complete', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n`, 'whole'],
  ['chunks but the last is truncated', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n`, null],
  // A limit, docs/guide/tls.md: node:tls emits the same events for both ends. This fails when it tells them apart.
  ['neither length nor chunks counts as complete', `${HEAD}\r\nwhole`, 'whole'],
]

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  for (const [what, response, text] of RESPONSES) {
    const name = `${version}: where the connection ends without close_notify, a body with ${what}`
    test(name, { skip: opensslMissing }, async () => {
      await using upstream = await endingWithoutAlert(response)
      await using client = clientWith({ tls: trusting(version) })
      const url = upstream.url.replace('http://127.0.0.1', 'https://localhost')
      const received = send(client, exchangeFor('GET', url)).then(textOf)
      if (text === null) await assert.rejects(received, { code: 'GW_UPSTREAM_CLOSED' })
      else assert.equal(await received, text)
    })
  }
}
