import assert from 'node:assert/strict'
import { Agent, get, type RequestListener } from 'node:http'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { httpUpstream, type Upstream } from '#test/upstream'
import { waitUntil, within } from '#test/waiting'

interface CountingUpstream extends AsyncDisposable {
  readonly upstream: Upstream
  /** The most connections that were open at one time. */
  most(): number
}

async function countingUpstream(listener: RequestListener): Promise<CountingUpstream> {
  let most = 0
  const upstream = await httpUpstream((request, response) => {
    // The server of Node closes its side some turns of the event loop after the gateway did.
    const open = [...upstream.sockets].filter(({ readableEnded, destroyed }) => !readableEnded && !destroyed)
    most = Math.max(most, open.length)
    listener(request, response)
  })
  return { upstream, most: () => most, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() }
}

const routeTo = ({ upstream }: CountingUpstream, config: object, filters: readonly object[] = []) => ({
  baseURI: upstream.url,
  handler: {
    type: 'Chain',
    config: { filters, handler: { type: 'ReverseProxyHandler', config } },
  },
})

/** The status and the text of the response to one request; without an agent on a connection of its own. */
function ask(url: string, agent: Agent | false = false): Promise<string> {
  return within(
    `the response to ${url}`,
    new Promise<string>((resolve, reject) => {
      const request = get(url, { agent }, (response) => {
        let text = ''
        response.setEncoding('latin1')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve(`${response.statusCode} ${text}`))
        response.on('error', reject)
      })
      request.on('error', reject)
    }),
  )
}

test('connections is the limit of all units together, and none of them starves with fewer connections than units', async () => {
  await using server = await countingUpstream((_request, response) => setImmediate(() => response.end('ok')))
  await using gateway = await RunningGateway.start({
    units: 3,
    routes: { app: routeTo(server, { connections: 2, connectionTimeout: '20 s' }) },
  })
  const clients = Array.from({ length: 24 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; i < 10; i++) assert.equal(await ask(gateway.url, agent), '200 ok')
    agent.destroy()
  })
  await Promise.all(clients)
  assert.ok(server.most() <= 2, `${server.most()} connections`)
})

test('an idle connection of one unit is closed when a request of another waits', async () => {
  await using server = await countingUpstream((_request, response) => response.end('ok'))
  await using gateway = await RunningGateway.start({
    units: 2,
    routes: { app: routeTo(server, { connections: 1, connectionTimeout: '20 s' }) },
  })
  // Client connections are spread over the units by the kernel.
  for (let i = 0; i < 40; i++) assert.equal(await ask(gateway.url), '200 ok')
  assert.equal(server.most(), 1)
  assert.ok(server.upstream.accepted > 1, 'requests of both units')
  assert.ok(server.upstream.accepted < 40, 'connections are reused')
})

test('all connections can be used, whatever units the requests reach', async () => {
  const held: (() => void)[] = []
  await using server = await countingUpstream((_request, response) => held.push(() => response.end('ok')))
  await using gateway = await RunningGateway.start({
    units: 3,
    routes: { app: routeTo(server, { connections: 4 }) },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const answers = Array.from({ length: 4 }, () => ask(gateway.url, agent))
  await waitUntil('all requests reached the upstream', () => held.length === 4)
  for (const answer of held) answer()
  assert.deepEqual(await Promise.all(answers), ['200 ok', '200 ok', '200 ok', '200 ok'])
  assert.equal(server.most(), 4)
  agent.destroy()
})

const CRASH_EXTENSION = `
export const types = ({ defineType, FilterKind }) => [
  defineType({
    name: 'CrashFilter',
    kind: FilterKind,
    summary: 'Ends its unit when the response head has been received.',
    config: {},
    create: () => async (exchange, next) => {
      const response = await next(exchange)
      if (exchange.request.uri.path === '/crash') setTimeout(() => { throw new Error('crash') })
      return response
    },
  }),
]
`

test('the connections of a unit that crashed can be used by the others', async () => {
  await using server = await countingUpstream((request, response) => {
    if (request.url === '/crash') response.write('the first part')
    else response.end('ok')
  })
  await using gateway = await RunningGateway.start({
    units: 2,
    extra: { 'crash.js': CRASH_EXTENSION },
    routes: { app: routeTo(server, { connections: 1, connectionTimeout: '20 s' }, [{ type: 'CrashFilter' }]) },
  })
  for (let round = 0; round < 2; round++) {
    const from = gateway.log.lines.length
    await assert.rejects(ask(`${gateway.url}/crash`))
    await gateway.log.until(/a unit ended/, from)
    for (let i = 0; i < 5; i++) assert.equal(await ask(gateway.url), '200 ok')
    await gateway.untilReady()
  }
  for (let i = 0; i < 10; i++) assert.equal(await ask(gateway.url), '200 ok')
  assert.equal(server.most(), 1)
})

test('a reload changes nothing about the limit', async () => {
  const held: (() => void)[] = []
  await using server = await countingUpstream((request, response) => {
    if (request.url === '/hold') held.push(() => response.end('held'))
    else response.end('ok')
  })
  await using gateway = await RunningGateway.start({ units: 2, routes: { app: routeTo(server, { connections: 2 }) } })
  const old = ask(`${gateway.url}/hold`)
  await waitUntil('the request reached the upstream', () => held.length === 1)
  await gateway.deploy('app', { ...routeTo(server, { connections: 2 }), name: 'renamed' })
  for (let i = 0; i < 20; i++) assert.equal(await ask(gateway.url), '200 ok')
  for (const answer of held) answer()
  assert.equal(await old, '200 held')
  for (let i = 0; i < 20; i++) assert.equal(await ask(gateway.url), '200 ok')
  assert.ok(server.most() <= 2)
})
