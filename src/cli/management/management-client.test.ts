import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer as createPlain, type RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { test } from 'node:test'
import { altName, selfSigned } from '@identity-gateway/jvm-keystores'
import { once } from '#test/waiting'
import { ManagementClient, ManagementUnavailable } from './management-client.ts'

/** A server on loopback, closed at the end of its scope. */
async function serving(server: Server): Promise<{ port: number } & AsyncDisposable> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close()
    },
  }
}

/** A client of a plain server that answers by the listener; keep-alive is off, so that it closes. */
async function withServer(listener: RequestListener, use: (client: ManagementClient) => Promise<void>): Promise<void> {
  await using peer = await serving(createPlain({ keepAlive: false }, listener))
  const url = new URL(`http://127.0.0.1:${peer.port}/gateway/`)
  await use(new ManagementClient({ url, password: 'päss word', ca: null }))
}

const fails = (promise: Promise<unknown>, message: RegExp) =>
  assert.rejects(promise, (error: Error) => error instanceof ManagementUnavailable && message.test(error.message))

test('requests have the prefix of the address and the password, of any characters', () =>
  withServer(
    ({ url, headers: { authorization = '' } }, response) => {
      const credentials = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString('utf8')
      response.setHeader('Connection', 'close').end(JSON.stringify({ url, credentials }))
    },
    async (client) => {
      assert.deepEqual(await client.read('/api/x?a=b'), { url: '/gateway/api/x?a=b', credentials: 'admin:päss word' })
    },
  ))

test('a redirect is not followed, so that the password is not sent elsewhere', () =>
  withServer(
    (_request, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/', Connection: 'close' }).end(),
    (client) => fails(client.read('/api/info'), /no management API: 302$/),
  ))

test('errors of the management API are shown, with the time to wait', () =>
  withServer(
    (_request, response) => {
      response.writeHead(429, { 'Retry-After': '3', Connection: 'close' }).end('{ "message": "too many" }')
    },
    (client) => fails(client.read('/api/info'), /: 429: too many; try again in 3 s$/),
  ))

test('a gateway that does not respond in time is reported with that time', () =>
  withServer(
    () => {},
    (client) => fails(client.report('/health/ready', 50), /: no response within 0.05 s$/),
  ))

test('an action whose response is not complete in time has an unknown outcome', () =>
  withServer(
    (_request, response) => response.writeHead(200, { Connection: 'close' }).write('{ "_id":'),
    (client) => fails(client.act('/api/x', {}, 200), /: no complete response within 0.2 s; the outcome is unknown$/),
  ))

test('a response that is cut off is an error', () =>
  withServer(
    (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{')
      setImmediate(() => response.destroy())
    },
    (client) => fails(client.read('/api/info'), /aborted|socket hang up|ECONNRESET/),
  ))

test('an action whose response does not come, or not completely, has an unknown outcome', async () => {
  await withServer(
    (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{')
    },
    (client) =>
      fails(client.act('/api/x', {}, 50), /^http:\S+: no complete response within 0\.05 s; the outcome is unknown$/),
  )
  await withServer(
    (_request, response) => {
      response.destroy()
    },
    (client) => fails(client.act('/api/x', {}), /; the outcome is unknown$/),
  )
})

test('a response that is too slow is reported as such, also after its first byte', () =>
  withServer(
    (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{')
    },
    (client) => fails(client.report('/api/x', 50), /: no response within 0\.05 s$/),
  ))

test('events may be split anywhere; comments are skipped', () =>
  withServer(
    (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', Connection: 'close' })
      const text = ': hi\n\ndata: {"a":\ndata: 1}\n\ndata: {"b":"ü"}\n\n'
      for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]))
      response.end()
    },
    async (client) => {
      assert.deepEqual(await Array.fromAsync(client.events('/x', new AbortController().signal)), [{ a: 1 }, { b: 'ü' }])
    },
  ))

test('a private certificate needs --ca, and the error says so', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const certificate = selfSigned({
    privateKey,
    publicKey,
    commonName: 'localhost',
    altNames: [altName('127.0.0.1')],
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + 600_000),
  }).toString()
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const listener: RequestListener = (_request, response) => void response.setHeader('Connection', 'close').end('{}')
  await using peer = await serving(createSecure({ key, cert: certificate }, listener))
  const access = { url: new URL(`https://127.0.0.1:${peer.port}`), password: null }
  assert.deepEqual(await new ManagementClient({ ...access, ca: certificate }).read('/'), {})
  await fails(
    new ManagementClient({ ...access, ca: null }).read('/'),
    /self-signed certificate; name its certificate authority with --ca FILE, and its host name with --gateway URL$/,
  )
})
