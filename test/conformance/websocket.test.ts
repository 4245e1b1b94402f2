// The table of the spec under 'websocket fields', and the rules below it, over a whole gateway.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type ClientOptions, WebSocket as WsClient } from 'ws'
import { Authority, type Issued, opensslMissing } from '#test/certificates'
import { type GatewayParts, RunningGateway } from '#test/gateway'
import { H2Client } from '#test/h2-client'
import { keystoreOf } from '#test/secure-connector'
import { silentUpstream } from '#test/upstream'
import { once, waitUntil } from '#test/waiting'
import { echoMessages, webSocketUpstream } from '#test/websocket'

const options = { timeout: 120_000 }

const authority = opensslMissing === false ? new Authority() : null
const issued = authority?.issue({ name: 'app.test', altNames: 'IP:127.0.0.1' }) as Issued
after(() => authority?.[Symbol.dispose]())

/** A gateway with one route to an application; that of an earlier test unless it has parts of its own. */
function gatewayTo(
  url: string,
  config: object,
  parts: GatewayParts | null = null,
  route: object = {},
): Promise<RunningGateway> {
  const routes = { app: { name: 'app', baseURI: url, handler: { type: 'ReverseProxyHandler', config }, ...route } }
  return parts === null ? RunningGateway.reuse({ routes }) : RunningGateway.start({ ...parts, routes })
}

const wsUrl = (gateway: RunningGateway) => `ws://127.0.0.1:${gateway.port}/app`

async function opened(url: string, protocols: string[] = []): Promise<WsClient> {
  const client = new WsClient(url, protocols)
  client.on('error', () => {})
  await once(client, 'open')
  return client
}

async function refusal(url: string, protocols: string[] = [], extra: object = {}): Promise<number> {
  const client = new WsClient(url, protocols, extra)
  client.on('error', () => {})
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, { statusCode: number }]
  client.terminate()
  return response.statusCode
}

/** The code with which a connection is closed. A handshake that times out on a busy machine is 504, and is retried. */
async function codeOfClose(url: string, extra: ClientOptions = {}): Promise<number> {
  for (;;) {
    const client = new WsClient(url, extra)
    const closed = new Promise<number>((resolve) => client.on('close', resolve))
    const refused = new Promise<Error>((resolve) => client.on('error', resolve))
    const opened = await Promise.race([once(client, 'open').then(() => null), refused])
    if (opened === null) return closed
    assert.match(opened.message, /Unexpected server response: 504/)
  }
}

async function echo(client: WsClient, text: string): Promise<string> {
  client.send(text)
  const [data] = (await once(client, 'message')) as [Buffer]
  return data.toString()
}

describe('websocket', () => {
  test('enabled: false by default: no upgrade', options, async () => {
    await using upstream = await webSocketUpstream()
    await using gateway = await gatewayTo(upstream.url, {})
    assert.equal(await refusal(wsUrl(gateway)), 426)
  })

  test('a baseURI of ws or wss is tunnelled also if enabled is not set', {
    ...options,
    skip: opensslMissing,
  }, async () => {
    await using clear = await webSocketUpstream()
    await using secure = await webSocketUpstream({ tls: { key: issued.key, cert: issued.certificate } })
    const tls = { type: 'ClientTlsOptions', config: { trustManager: { type: 'TrustAllManager' } } }
    for (const [url, config] of [
      [clear.url.replace('http:', 'ws:'), {}],
      [secure.url.replace('https:', 'wss:'), { tls }],
    ] as const) {
      await using gateway = await gatewayTo(url, config)
      const client = await opened(wsUrl(gateway))
      assert.equal(await echo(client, 'a'), 'a', url)
      client.terminate()
      // Plain requests are sent to the same server by HTTP.
      assert.equal((await gateway.ask('/app')).status, 426)
    }
  })

  test('a binding of ws is tunnelled, a request whose scheme an expression sets to http is not', options, async () => {
    await using upstream = await webSocketUpstream()
    const ws = upstream.url.replace('http:', 'ws:')
    const dispatching = {
      type: 'DispatchHandler',
      config: { bindings: [{ handler: 'ReverseProxyHandler', baseURI: ws }] },
    }
    await using dispatched = await RunningGateway.reuse({ routes: { app: { name: 'app', handler: dispatching } } })
    const client = await opened(wsUrl(dispatched))
    assert.equal(await echo(client, 'a'), 'a')
    client.terminate()
    const assign = { target: '${request.uri.scheme}', value: 'http' }
    const filters = [{ type: 'AssignmentFilter', config: { onRequest: [assign] } }]
    const chain = { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } }
    await using plain = await RunningGateway.reuse({ routes: { app: { name: 'app', baseURI: ws, handler: chain } } })
    assert.equal(await refusal(wsUrl(plain)), 426)
  })

  test(
    'enabled: true upgrades from HTTP to WebSocket, and the route counts the connection while it is open',
    options,
    async () => {
      await using upstream = await webSocketUpstream()
      await using gateway = await gatewayTo(upstream.url, { websocket: { enabled: true } })
      const client = await opened(wsUrl(gateway))
      assert.equal(await echo(client, 'hello'), 'hello')
      assert.equal(await gateway.metric('gw_route_request_active', { route: 'app' }), 1)
      assert.equal(await gateway.metric('gw_route_response_status_total', { route: 'app', family: 'Informational' }), 1)
      client.close()
      await once(client, 'close')
      await waitUntil(
        'no request of the route was active',
        async () => (await gateway.metric('gw_route_request_active', { route: 'app' })) === 0,
      )
    },
  )

  test(
    "connectionTimeout: maximum time to establish a WebSocket connection; the handler's by default",
    options,
    async () => {
      // Accepts connections and never sends a certificate.
      await using upstream = await silentUpstream()
      const target = upstream.url.replace('http:', 'https:')
      const started = performance.now()
      await using own = await gatewayTo(target, {
        connectionTimeout: '1 hour',
        websocket: { enabled: true, connectionTimeout: '100 ms' },
      })
      assert.equal(await refusal(wsUrl(own)), 502)
      await using inherited = await gatewayTo(target, { connectionTimeout: '100 ms', websocket: { enabled: true } })
      assert.equal(await refusal(wsUrl(inherited)), 502)
      assert.ok(performance.now() - started >= 200)
    },
  )

  test('soTimeout: stalled connections are destroyed after this time', options, async () => {
    await using upstream = await webSocketUpstream()
    await using gateway = await gatewayTo(upstream.url, { websocket: { enabled: true, soTimeout: '100 ms' } })
    assert.equal(await codeOfClose(wsUrl(gateway)), 1006)
    await waitUntil(
      'no request of the route was active',
      async () => (await gateway.metric('gw_route_request_active', { route: 'app' })) === 0,
    )
  })

  test("soTimeout: the handler's by default, for a peer without pongs", options, async () => {
    await using upstream = await webSocketUpstream()
    await using gateway = await gatewayTo(upstream.url, { soTimeout: '100 ms', websocket: { enabled: true } })
    assert.equal(await codeOfClose(wsUrl(gateway), { autoPong: false }), 1006)
  })

  test('WebSocket numberOfSelectors: accepted', options, async () => {
    await using upstream = await webSocketUpstream()
    await using gateway = await gatewayTo(upstream.url, { websocket: { enabled: true, numberOfSelectors: 4 } })
    const client = await opened(wsUrl(gateway))
    assert.equal(await echo(client, 'a'), 'a')
    client.terminate()
  })

  test("tls: the handler's ClientTlsOptions by default, or its own", { ...options, skip: opensslMissing }, async () => {
    await using upstream = await webSocketUpstream({ tls: { key: issued.key, cert: issued.certificate } })
    await using gateway = await gatewayTo(upstream.url, {
      tls: {
        type: 'ClientTlsOptions',
        config: { trustManager: { type: 'TrustAllManager' }, hostnameVerifier: 'ALLOW_ALL' },
      },
      websocket: { enabled: true },
    })
    const client = await opened(wsUrl(gateway))
    assert.equal(await echo(client, 'secret'), 'secret')
    client.terminate()
    await using distrustful = await gatewayTo(upstream.url, { websocket: { enabled: true } })
    assert.equal(await refusal(wsUrl(distrustful)), 502)
    await using own = await gatewayTo(upstream.url, {
      websocket: { enabled: true, trustManager: { type: 'TrustAllManager' } },
    })
    const other = await opened(wsUrl(own))
    assert.equal(await echo(other, 'own'), 'own')
    other.terminate()
  })

  test(
    'vertx: compression is tried by default, and the disallowed names are those of the handler',
    options,
    async () => {
      await using upstream = await webSocketUpstream({ perMessageDeflate: true })
      await using gateway = await gatewayTo(upstream.url, { websocket: { enabled: true } })
      const client = await opened(wsUrl(gateway))
      assert.match(client.extensions, /permessage-deflate/)
      client.terminate()
      await gateway.deploy('app', {
        handler: { type: 'ReverseProxyHandler', config: { websocket: { vertx: { ssl: true } } } },
      })
      assert.match(gateway.problems('app.json').join('\n'), /\/websocket\/vertx\/ssl: "ssl" is not allowed here/)
    },
  )

  test('the proxied subprotocols are listed in the vertx property of admin.json', options, async () => {
    await using upstream = await webSocketUpstream()
    const admin = { vertx: { webSocketSubProtocols: ['mqtt'] } }
    await using gateway = await gatewayTo(upstream.url, { websocket: { enabled: true } }, { admin })
    const client = await opened(wsUrl(gateway), ['mqtt', 'soap'])
    assert.equal(client.protocol, 'mqtt')
    client.terminate()
    assert.equal(await refusal(wsUrl(gateway), ['soap']), 400)
  })
})

describe('WebSocket and the gateway around it', () => {
  test(
    'B66: an upgrade that a filter refuses, such as one of another Origin, is answered in HTTP',
    options,
    async () => {
      let connections = 0
      await using upstream = await webSocketUpstream({ onConnection: () => connections++ })
      const condition = "${request.headers['Origin'][0] == 'https://good.example'}"
      const handler = {
        type: 'Chain',
        config: {
          filters: [{ type: 'ConditionEnforcementFilter', config: { condition } }],
          handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } },
        },
      }
      await using gateway = await gatewayTo(upstream.url, {}, null, { handler })
      assert.equal(await refusal(wsUrl(gateway)), 403)
      const origin = 'https://good.example'
      const client = new WsClient(wsUrl(gateway), { origin })
      await once(client, 'open')
      assert.equal(await refusal(wsUrl(gateway), [], { origin: `${origin}.bad` }), 403)
      client.terminate()
      assert.equal(connections, 1)
    },
  )

  test('F19: connections survive a change of their route, on the old chain', options, async () => {
    await using upstream = await webSocketUpstream()
    await using gateway = await gatewayTo(upstream.url, { websocket: { enabled: true } })
    const client = await opened(wsUrl(gateway))
    await gateway.undeploy('app')
    assert.equal((await gateway.ask('/app')).status, 404)
    assert.equal(await echo(client, 'still here'), 'still here')
    client.close()
    await once(client, 'close')
  })

  test('F20: a gateway that stops closes both ends with 1001', options, async () => {
    const codes: number[] = []
    await using upstream = await webSocketUpstream({
      onConnection: (socket) => {
        echoMessages(socket)
        socket.on('close', (code) => codes.push(code))
      },
    })
    await using gateway = await gatewayTo(upstream.url, { websocket: { enabled: true } }, {})
    const clients = await Promise.all(Array.from({ length: 10 }, () => opened(wsUrl(gateway))))
    const closed = Promise.all(clients.map((client) => once(client, 'close') as Promise<[number]>))
    await gateway.gateway.drain()
    assert.deepEqual(new Set((await closed).map(([code]) => code)), new Set([1001]))
    await waitUntil('the upstream got a close frame on each of 10 connections', () => codes.length >= 10)
    assert.deepEqual(new Set(codes), new Set([1001]))
  })

  test('clients may connect over TLS; those with HTTP/2 get no upgrade', {
    ...options,
    skip: opensslMissing,
  }, async () => {
    await using upstream = await webSocketUpstream()
    const admin = {
      connectors: [{ port: 0, host: '127.0.0.1', tls: 'https' }],
      heap: [
        { name: 'keystore', type: 'KeyStore', config: { url: keystoreOf(issued), password: 'word' } },
        { name: 'keys', type: 'KeyManager', config: { keystore: 'keystore' } },
        { name: 'https', type: 'ServerTlsOptions', config: { keyManager: 'keys' } },
      ],
    }
    await using gateway = await gatewayTo(upstream.url, { websocket: { enabled: true } }, { admin })
    const client = new WsClient(`wss://127.0.0.1:${gateway.port}/app`, { ca: authority!.certificate })
    await once(client, 'open')
    assert.equal(await echo(client, 'over TLS'), 'over TLS')
    client.close(4000)
    assert.equal((await once(client, 'close'))[0], 4000)

    await using h2 = new H2Client(gateway.port)
    assert.equal((await h2.ask('/app')).status, 426)
    assert.notEqual(h2.session.remoteSettings.enableConnectProtocol, true)
  })
})
