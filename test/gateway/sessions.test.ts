// Sessions through a whole gateway: over several units, over a change of the route, and the session rules of routes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { parseSetCookie } from '#http'
import { RunningGateway } from '#test/gateway'
import { once } from '#test/waiting'

const options = { timeout: 60_000 }

/** Counts its requests in the session. */
function counter(route: object = {}) {
  const value = '${empty session.count ? 1 : session.count + 1}'
  return {
    condition: "${find(request.uri.path, '^/counter')}",
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'AssignmentFilter', config: { onRequest: [{ target: '${session.count}', value }] } }],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'count ${session.count}' } },
      },
    },
    ...route,
  }
}

const cookiesOf = (answer: { headers: Record<string, string | string[] | undefined> }) =>
  [answer.headers['set-cookie'] ?? []].flat().map((text) => {
    const { name, value } = parseSetCookie(text)
    return `${name}=${value}`
  })

test('a session is shared by every unit, on any connection', options, async () => {
  await using gateway = await RunningGateway.reuse({ units: 4, routes: { counter: counter() } })
  const [cookie = ''] = cookiesOf(await gateway.ask('/counter'))
  for (let count = 2; count <= 40; count += 1) {
    const answer = await gateway.ask('/counter', { headers: { Cookie: cookie, Connection: 'close' } })
    assert.equal(answer.text, `count ${count}`)
  }
})

test('a session survives a new version of its route, and of the route that created it', options, async () => {
  await using gateway = await RunningGateway.reuse({ routes: { counter: counter() } })
  const [cookie = ''] = cookiesOf(await gateway.ask('/counter'))
  await gateway.deploy('counter', counter({ name: 'renamed' }))
  assert.equal((await gateway.ask('/counter', { headers: { Cookie: cookie } })).text, 'count 2')
})

/** Sends requests in another thread, since the thread of the test is blocked. */
const CLIENT = `
const { get } = require('node:http')
const { parentPort, workerData } = require('node:worker_threads')
const ask = (headers) => new Promise((resolve) => {
  const from = performance.now()
  get(workerData.url, { headers, agent: false }, (response) => {
    response.resume()
    response.on('end', () => resolve({ status: response.statusCode, retry: response.headers['retry-after'], took: performance.now() - from }))
  })
})
parentPort.on('message', async () => {
  parentPort.postMessage('asking')
  const answers = await Promise.all([ask({ Cookie: workerData.cookie }), ask({})])
  Atomics.store(workerData.flag, 0, 1)
  Atomics.notify(workerData.flag, 0)
  parentPort.postMessage(answers)
  parentPort.close()
})
`

test(
  'a control thread that does not answer for 5 seconds: 503 for requests with a session, and a metric',
  options,
  async () => {
    const plain = { condition: '${true}', handler: { type: 'StaticResponseHandler', config: { status: 204 } } }
    await using gateway = await RunningGateway.reuse({ routes: { counter: counter(), plain } })
    const [cookie = ''] = cookiesOf(await gateway.ask('/counter'))
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const client = new Worker(CLIENT, { eval: true, workerData: { url: `${gateway.url}/other`, cookie, flag } })
    client.postMessage('go')
    await once(client, 'message')
    const answered = once(client, 'message')
    // The control plane runs in this thread.
    assert.equal(Atomics.wait(flag, 0, 0, 20_000), 'ok')
    const [[withSession, without]] = (await answered) as [{ status: number; retry: string; took: number }[]]
    assert.deepEqual([withSession?.status, withSession?.retry], [503, '5'])
    assert.ok((withSession?.took ?? 0) >= 4_900, `${withSession?.took} ms`)
    assert.equal(without?.status, 204)
    assert.ok((without?.took ?? Number.POSITIVE_INFINITY) < 4_000, `${without?.took} ms`)
    assert.equal((await gateway.ask('/counter', { headers: { Cookie: cookie } })).text, 'count 2')
    assert.ok((await gateway.metric('gw_session_wait_seconds')) >= 3)
  },
)

describe('Session rules of a route', () => {
  const own = { session: { type: 'InMemorySessionManager', config: { cookie: { name: 'own' } } } }

  test('1. a new session object is built for a route with session', options, async () => {
    await using gateway = await RunningGateway.reuse({ routes: { counter: counter(own) } })
    const [cookie = ''] = cookiesOf(await gateway.ask('/counter'))
    assert.match(cookie, /^own=/)
    assert.equal((await gateway.ask('/counter', { headers: { Cookie: cookie } })).text, 'count 2')
  })

  test('2. content of the parent is not available in it', options, async () => {
    await using gateway = await RunningGateway.start({
      routes: {
        around: counter(),
        inside: counter({ ...own, condition: "${request.uri.path == '/inside'}" }),
      },
    })
    const [outer = ''] = cookiesOf(await gateway.ask('/counter'))
    assert.equal((await gateway.ask('/inside', { headers: { Cookie: outer } })).text, 'count 1')
    assert.equal((await gateway.ask('/counter', { headers: { Cookie: outer } })).text, 'count 2')
  })

  test('3. its content leaves as an encrypted JWT in a cookie, and is not available outside', options, async () => {
    const session = { type: 'AuthenticatedEncryptedJwtSessionManager' }
    await using gateway = await RunningGateway.start({
      admin: { gatewayUnits: 2 },
      routes: { around: counter(), inside: counter({ session, condition: "${request.uri.path == '/inside'}" }) },
    })
    const [inner = ''] = cookiesOf(await gateway.ask('/inside'))
    assert.match(inner, /^gateway-jwt-session=[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
    let cookie = inner
    for (let count = 2; count <= 9; count += 1) {
      const answer = await gateway.ask('/inside', { headers: { Cookie: cookie } })
      assert.equal(answer.text, `count ${count}`)
      cookie = cookiesOf(answer)[0] as string
    }
    assert.equal((await gateway.ask('/counter', { headers: { Cookie: cookie } })).text, 'count 1')
  })

  /** A browser: stores cookies by name, and deletes removed ones. */
  function browser(gateway: RunningGateway) {
    const jar = new Map<string, string>()
    return {
      jar,
      async open(path: string): Promise<string> {
        const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await gateway.ask(path, Cookie === '' ? {} : { headers: { Cookie } })
        for (const text of [answer.headers['set-cookie'] ?? []].flat()) {
          const { name, value } = parseSetCookie(text)
          if (value === '') jar.delete(name)
          else jar.set(name, value)
        }
        return answer.text
      },
    }
  }

  const logout = (path: string, route: object = {}) => ({
    ...counter(route),
    condition: `\${request.uri.path == '${path}'}`,
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'AssignmentFilter', config: { onRequest: [{ target: '${session.count}', value: null }] } }],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'gone' } },
      },
    },
  })

  const types = ['InMemorySessionManager', 'AuthenticatedEncryptedJwtSessionManager']
  for (const [type, own] of types.flatMap((type) => types.map((own) => [type, own] as const))) {
    test(
      `a route with ${own} and the cookie name of ${type} keeps its sessions apart from those around it`,
      options,
      async () => {
        const config = { cookie: { name: 'shared' } }
        const inside = { session: { type: own, config } }
        await using gateway = await RunningGateway.start({
          admin: { gatewayUnits: 2 },
          files: {
            'config/config.json': {
              heap: [{ name: 'Session', type, config }],
              session: 'Session',
              handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } },
            },
          },
          routes: {
            around: counter(),
            inside: counter({ ...inside, condition: "${request.uri.path == '/inside'}" }),
            echo: {
              condition: "${request.uri.path == '/echo'}",
              handler: {
                type: 'StaticResponseHandler',
                config: { status: 200, entity: "${join(request.headers['Cookie'], ';')}" },
              },
            },
            out: logout('/out'),
            'out-inside': logout('/out-inside', inside),
          },
        })
        const { jar, open } = browser(gateway)
        assert.deepEqual([await open('/inside'), await open('/inside'), jar.size], ['count 1', 'count 2', 1])
        assert.deepEqual([await open('/counter'), await open('/counter')], ['count 1', 'count 2'])
        assert.deepEqual([await open('/inside'), await open('/counter')], ['count 3', 'count 3'])
        assert.deepEqual([...jar.keys()], ['shared~1', 'shared'])
        assert.equal(await open('/echo'), '', 'no application gets one of the cookies')
        await open('/out')
        assert.deepEqual([await open('/counter'), await open('/inside')], ['count 1', 'count 4'])
        await open('/out-inside')
        assert.deepEqual([await open('/inside'), await open('/counter'), jar.size], ['count 1', 'count 2', 2])
        await open('/out')
        await open('/out-inside')
        assert.equal(jar.size, 0)
      },
    )
  }

  test('a client that renames the cookie of a nested manager gets no session', options, async () => {
    for (const type of ['InMemorySessionManager', 'AuthenticatedEncryptedJwtSessionManager']) {
      const session = { type, config: {} }
      await using gateway = await RunningGateway.start({
        files: { 'config/config.json': { session, handler: { type: 'Router', name: '_router' } } },
        routes: { around: counter(), inside: counter({ session, condition: "${request.uri.path == '/inside'}" }) },
      })
      const { jar, open } = browser(gateway)
      await open('/inside')
      const [[name, value]] = [...jar] as [[string, string]]
      assert.match(name, /~1$/)
      jar.set(name.replace('~1', ''), value)
      assert.equal(await open('/counter'), 'count 1')
      jar.clear()
      await open('/counter')
      jar.set(name, [...jar.values()].at(-1) as string)
      assert.equal(await open('/inside'), 'count 1')
    }
  })
})
