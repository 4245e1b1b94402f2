import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { once, waitUntil } from '#test/waiting'
import { startProtectedApplication } from './protected-application.ts'

test('echo returns method, path, headers and body as received', async () => {
  await using application = await startProtectedApplication()
  const response = await fetch(`${application.url}/echo?a=1`, {
    method: 'PUT',
    body: 'text',
    headers: { 'X-One': '1' },
  })
  const seen = (await response.json()) as {
    method: string
    path: string
    body: string
    headers: Record<string, string>
  }
  assert.equal(seen.method, 'PUT')
  assert.equal(seen.path, '/echo?a=1')
  assert.equal(seen.body, 'text')
  assert.equal(seen.headers['x-one'], '1')
})

test('status, download and slow respond as requested; other paths are 404', async () => {
  await using application = await startProtectedApplication()
  const status = async (path: string): Promise<number> => (await fetch(application.url + path)).status
  assert.equal(await status('/status/418'), 418)
  assert.equal(await status('/status/999'), 400)
  assert.equal(await status('/nothing'), 404)
  assert.equal((await (await fetch(`${application.url}/download?bytes=100000`)).arrayBuffer()).byteLength, 100_000)
  assert.equal(await (await fetch(`${application.url}/slow?ms=1`)).text(), 'that took a while\n')
})

test('a download in many chunks leaves no listeners', async (context) => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  context.after(() => process.off('warning', warn))
  await using application = await startProtectedApplication()
  const response = await fetch(`${application.url}/download?bytes=30000000`)
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // Waits until the buffers of the kernel are full, so that the application has to pause.
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(length, 30_000_000)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(warnings, [])
})

test('the application stops while a stream is open', async () => {
  const application = await startProtectedApplication()
  const response = await fetch(`${application.url}/stream`)
  const reader = response.body?.getReader()
  await reader?.read()
  await application[Symbol.asyncDispose]()
  await assert.rejects(async () => {
    for (;;) if ((await reader?.read())?.done) return
  })
})

test('the page names the user of the gateway, escaped, the step of its route, and the next one', async () => {
  await using application = await startProtectedApplication()
  application.setLinks({ traffic: 'http://gw', secure: 'https://gw', admin: 'http://admin' })
  const page = async (headers: Record<string, string>) => (await fetch(application.url, { headers })).text()
  const text = await page({ 'X-User': '<b>"eve"</b>', 'X-Login': 'test', 'X-Demo-Step': 'login' })
  assert.match(text, /Logged in as <strong>&#60;b&#62;&#34;eve&#34;&#60;\/b&#62;<\/strong> by test/)
  assert.match(text, /<h2>Single sign-on and policies<\/h2>[\s\S]*href="http:\/\/gw\/oidc\/">Next: OpenID Connect</)
  assert.match(await page({ 'X-Demo-Step': '__proto__' }), /Not logged in[\s\S]*<h2>Proxy<\/h2>/)
})

/** Bytes of a masked text frame. */
function masked(text: string): Buffer {
  const mask = [1, 2, 3, 4]
  const bytes = Buffer.from(text).map((byte, at) => byte ^ (mask[at % 4] as number))
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, ...mask]), bytes])
}

test('WebSocket messages are returned in upper case, also in pieces; invalid frames close the connection', async () => {
  await using application = await startProtectedApplication()
  const socket = connect(Number(new URL(application.url).port), '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (data: string) => {
    received += data
  })
  socket.on('error', () => {})
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n\r\n`)
  await waitUntil('the greeting', () => received.includes('hello over WebSocket'))
  assert.match(received, /^HTTP\/1\.1 101 [\s\S]*Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/)
  const frames = Buffer.concat([masked('one'), masked('two')])
  for (const byte of frames) socket.write(Buffer.from([byte]))
  await waitUntil('both messages', () => received.includes('ONE') && received.includes('TWO'))
  const closed = once(socket, 'close')
  // Frames of clients are masked.
  socket.write(Buffer.from([0x81, 1, 65]))
  await closed
})
