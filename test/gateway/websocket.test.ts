// WebSocket through a whole gateway: TLS on either side, half-closed connections, clients over HTTP/2.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { WebSocket as WsClient } from 'ws'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { RunningGateway } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { H2Client } from '#test/h2-client'
import { FRAME, FrameClient, frame, literal } from '#test/h2-frames'
import { keystoreOf } from '#test/secure-connector'
import { once, waitUntil, within } from '#test/waiting'
import { echoMessages, webSocketUpstream } from '#test/websocket'
import { acceptingUpstream, upgraded } from '#test/websocket-frames'
import { HANDSHAKE } from '#test/websocket-proxy'

const options = { skip: opensslMissing }

const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'app.test', altNames: 'IP:127.0.0.1,DNS:localhost' }) as Issued
after(() => authority?.[Symbol.dispose]())

/** Fields of admin.json for a connector with TLS and HTTP/2. */
const secureAdmin = () => ({
  connectors: [{ port: 0, host: '127.0.0.1', tls: 'https' }],
  heap: [
    { name: 'keystore', type: 'KeyStore', config: { url: keystoreOf(issued), password: 'word' } },
    { name: 'keys', type: 'KeyManager', config: { keystore: 'keystore' } },
    { name: 'https', type: 'ServerTlsOptions', config: { keyManager: 'keys' } },
  ],
})

const route = (baseURI: string, config: object) => ({
  name: 'app',
  baseURI,
  handler: { type: 'ReverseProxyHandler', config },
})

const anyone = { trustManager: { type: 'TrustAllManager' }, hostnameVerifier: 'ALLOW_ALL' }
const trusting = { type: 'ClientTlsOptions', config: anyone }

describe('applications with TLS', () => {
  test('wss: tls of websocket takes precedence over that of the handler', options, async () => {
    await using upstream = await webSocketUpstream({ tls: { key: issued.key, cert: issued.certificate } })
    const wss = upstream.url.replace('https:', 'wss:')
    await using gateway = await RunningGateway.start({
      routes: { app: route(wss, { websocket: { enabled: true, tls: trusting } }) },
    })
    const client = new WsClient(`ws://127.0.0.1:${gateway.port}/a`)
    await once(client, 'open')
    client.send('a')
    assert.equal(String((await once(client, 'message'))[0]), 'a')
    // Plain requests use the TLS options of the handler, which do not trust this server.
    assert.equal((await gateway.ask('/a')).status, 502)
    client.terminate()

    await gateway.deploy(
      'app',
      route(wss, { tls: trusting, websocket: { enabled: true, tls: { type: 'ClientTlsOptions', config: {} } } }),
    )
    const distrustful = new WsClient(`ws://127.0.0.1:${gateway.port}/a`)
    distrustful.on('error', () => {})
    const [, response] = (await once(distrustful, 'unexpected-response')) as [unknown, { statusCode: number }]
    assert.equal(response.statusCode, 502)
    distrustful.terminate()
  })
})

describe('a gateway that stops', () => {
  test(
    'F20: on SIGTERM 50 connections over two units are closed with 1001 at both ends, and the exit is 0',
    options,
    async () => {
      const codes: number[] = []
      await using upstream = await webSocketUpstream({
        onConnection: (socket) => socket.on('close', (code) => codes.push(code)),
      })
      await using gateway = await GatewayProcess.start({
        units: 2,
        routes: { app: route(upstream.url, { websocket: { enabled: true } }) },
      })
      const clients = Array.from({ length: 50 }, () => new WsClient(`ws://127.0.0.1:${gateway.port}/`))
      await Promise.all(clients.map((client) => once(client, 'open')))
      const closed = Promise.all(clients.map((client) => once(client, 'close') as Promise<[number]>))
      gateway.kill('SIGTERM')
      assert.deepEqual(new Set((await closed).map(([code]) => code)), new Set([1001]))
      assert.deepEqual(await gateway.exit, { code: 0, signal: null })
      await waitUntil('the upstream got a close frame on each of 50 connections', () => codes.length >= 50)
      assert.deepEqual(new Set(codes), new Set([1001]))
    },
  )
})

describe('limits and ends of connections', () => {
  test('retries and a circuit breaker apply to the handshake; ClientHandler relays too', options, async () => {
    await using upstream = await webSocketUpstream()
    const config = {
      websocket: { enabled: true },
      retries: { enabled: true, count: 2, delay: '1 ms' },
      circuitBreaker: { enabled: true, maxFailures: 1, openDuration: '1 hour' },
    }
    const handler = (type: string, path: string) => ({
      condition: `\${find(request.uri.path, '^/${path}')}`,
      handler: { type, config },
    })
    await using gateway = await RunningGateway.start({
      routes: {
        reverse: { ...handler('ReverseProxyHandler', 'reverse'), baseURI: upstream.url },
        client: { ...handler('ClientHandler', 'client'), baseURI: upstream.url },
        gone: { ...handler('ReverseProxyHandler', 'gone'), baseURI: 'http://127.0.0.1:1' },
      },
    })
    for (const path of ['reverse', 'client']) {
      const client = new WsClient(`ws://127.0.0.1:${gateway.port}/${path}`)
      await once(client, 'open')
      client.send(path)
      assert.equal(String((await once(client, 'message'))[0]), path)
      client.close(4_000)
      assert.equal((await once(client, 'close'))[0], 4_000)
    }
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const client = new WsClient(`ws://127.0.0.1:${gateway.port}/gone`)
      client.on('error', () => {})
      const [, response] = (await once(client, 'unexpected-response')) as [unknown, { statusCode: number }]
      statuses.push(response.statusCode)
      client.terminate()
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [502, 500])
  })
})

describe('half-closed connections', () => {
  test('the other relay direction stays open until it ends too', options, async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>()
    await using upstream = await acceptingUpstream(resolve)
    await using gateway = await RunningGateway.start({
      routes: { app: route(upstream.url, { websocket: { enabled: true } }) },
    })
    const client = await upgraded(gateway.port)
    const server = await within('the server was connected', promise)
    client.end(Buffer.from([0x88, 0x80, 0, 0, 0, 0]))
    server.resume()
    await once(server, 'end')
    const received: Buffer[] = []
    client.on('data', (chunk: Buffer) => received.push(chunk)).resume()
    for (let i = 0; i < 3; i++) {
      server.write(Buffer.from([0x82, 1, i]))
      await once(client, 'data')
    }
    server.end(Buffer.from([0x88, 0]))
    await once(client, 'end')
    assert.deepEqual([...Buffer.concat(received)], [0x82, 1, 0, 0x82, 1, 1, 0x82, 1, 2, 0x88, 0])
    await waitUntil(
      'no request of the route was active',
      async () => (await gateway.metric('gw_route_request_active', { route: 'app' })) === 0,
    )
  })
})

describe('clients with TLS', () => {
  test('a connection over TLS relays late data, and is closed when the client ends', options, async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>()
    await using upstream = await acceptingUpstream(resolve)
    await using gateway = await RunningGateway.start({
      admin: secureAdmin(),
      routes: { app: route(upstream.url, { websocket: { enabled: true } }) },
    })
    const client = connectTls({ port: gateway.port, host: '127.0.0.1', ca: authority!.certificate })
    client.write(`GET / HTTP/1.1\r\n${HANDSHAKE}\r\n`)
    const [head] = (await once(client, 'data')) as [Buffer]
    assert.match(head.toString('latin1'), /^HTTP\/1\.1 101 /)
    const server = await within('the server was connected', promise)
    server.write(Buffer.from([0x82, 1, 7]))
    assert.deepEqual([...((await once(client, 'data')) as [Buffer])[0]], [0x82, 1, 7])
    client.end(Buffer.from([0x88, 0x80, 0, 0, 0, 0]))
    server.resume().on('end', () => server.end())
    await once(server, 'close')
    await waitUntil(
      'no request of the route was active',
      async () => (await gateway.metric('gw_route_request_active', { route: 'app' })) === 0,
    )
  })

  test('large messages arrive unchanged, over TLS on both sides and with pauses of the readers', options, async () => {
    await using upstream = await webSocketUpstream({
      tls: { key: issued.key, cert: issued.certificate },
      perMessageDeflate: false,
      onConnection: (socket) => {
        const pausing = setInterval(() => (socket.isPaused ? socket.resume() : socket.pause()), 10)
        socket.on('close', () => clearInterval(pausing))
        echoMessages(socket)
      },
    })
    await using gateway = await RunningGateway.start({
      admin: secureAdmin(),
      routes: { app: route(upstream.url, { tls: trusting, websocket: { enabled: true } }) },
    })
    const client = new WsClient(`wss://127.0.0.1:${gateway.port}/`, {
      ca: authority!.certificate,
      perMessageDeflate: false,
    })
    await once(client, 'open')
    const pausing = setInterval(() => (client.isPaused ? client.resume() : client.pause()), 15)
    for (let i = 0; i < 3; i++) {
      const sent = randomBytes(8 * 2 ** 20 + i)
      client.send(sent)
      const [echo] = (await once(client, 'message')) as [Buffer]
      assert.ok(sent.equals(echo))
    }
    clearInterval(pausing)
    client.terminate()
  })

  test('over HTTP/2 neither Upgrade nor an extended CONNECT (RFC 8441) reaches the application', options, async () => {
    await using upstream = await webSocketUpstream({ onConnection: () => assert.fail('a connection was opened') })
    await using gateway = await RunningGateway.start({
      admin: secureAdmin(),
      routes: { app: route(upstream.url, { websocket: { enabled: true } }) },
    })
    await using frames = await FrameClient.open(gateway.port)
    const connect = {
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':scheme': 'https',
      ':path': '/',
      ':authority': 'localhost',
    }
    // END_HEADERS without END_STREAM, as in such a request.
    frames.send(frame(FRAME.headers, 0x4, 1, literal({ ...connect, 'sec-websocket-version': '13' })))
    await frames.receives(({ type, stream }) => stream === 1 || type === FRAME.goaway)
    await using client = new H2Client(gateway.port)
    // SETTINGS_ENABLE_CONNECT_PROTOCOL is off, and the connection stays open after a plain CONNECT.
    const refused = await client.ask('/', {
      headers: { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' },
    })
    assert.equal(refused.status, 426)
    assert.notEqual(client.session.remoteSettings.enableConnectProtocol, true)
  })
})
