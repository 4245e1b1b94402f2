// The table of the spec under 'Notation used in this document', row by row, over a whole gateway.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { RunningGateway } from '#test/gateway'

let gateway: RunningGateway

before(async () => {
  gateway = await RunningGateway.start()
})

after(() => gateway[Symbol.asyncDispose]())

beforeEach(async () => {
  gateway.instance.remove('config/routes')
  gateway.instance.write('config/routes/.keep', '')
  await gateway.scan()
})

const page = (entity: string, status: unknown = 200) => ({
  type: 'StaticResponseHandler',
  config: { status, headers: { 'Content-Type': ['text/plain; charset=UTF-8'] }, entity },
})

const slowRetries = (delay: unknown) => ({
  handler: { type: 'ReverseProxyHandler', config: { retries: { enabled: false, delay } } },
})

test('configuration expression<T>: a literal, an expression, or one with configuration properties', async () => {
  for (const status of [201, '201', '${200 + 1}', '&{code}', "${system['none'] == null ? 201 : 500}"]) {
    await gateway.deploy('a', { properties: { code: 201 }, handler: page('', status) })
    assert.equal((await gateway.ask('/')).status, 201, String(status))
  }
})

test('runtime expression<T>: evaluated for each request, as ${...} and as #{...}', async () => {
  await gateway.deploy('a', {
    handler: page("${request.uri.path} #{request.headers['X-Name'][0]} ${find(request.uri.query, 'a=\\\\d')}"),
  })
  for (const [path, name, expected] of [
    ['/one?a=1', 'Ann', '/one Ann true'],
    ['/two?a=b', 'Bob', '/two Bob false'],
  ] as const) {
    assert.equal((await gateway.ask(path, { headers: { 'X-Name': name } })).text, expected)
  }
})

test('duration: a number and a unit; unlimited only where a field accepts it', async () => {
  for (const delay of ['10 s', '10 seconds', '1 minute', '1 hour', '1 day', '1 hour and 5 minutes']) {
    await gateway.deploy('a', slowRetries(delay))
    assert.deepEqual(gateway.problems('a.json'), [], delay)
  }
  for (const delay of ['10', '10 parsecs', 'unlimited']) {
    await gateway.deploy('a', slowRetries(delay))
    assert.equal(gateway.problems('a.json').length, 1, delay)
  }
})

test('X reference: the name of an object of the heap, or an inline object, of type X', async () => {
  await gateway.deploy('a', { heap: [{ name: 'named', ...page('named') }], handler: 'named' })
  assert.equal((await gateway.ask('/')).text, 'named')
  await gateway.deploy('a', { handler: page('inline') })
  assert.equal((await gateway.ask('/')).text, 'inline')
  await gateway.deploy('a', {
    heap: [{ name: 'named', type: 'HeaderFilter', config: { messageType: 'REQUEST' } }],
    handler: 'named',
  })
  assert.deepEqual(gateway.problems('a.json'), ['/handler: expected a Handler, got a Filter'])
})

test('secret-id: the identifier under which a secrets provider looks up a secret', async () => {
  const login = (passwordSecretId: string) => ({
    heap: [
      {
        name: 'passwords',
        type: 'Base64EncodedSecretStore',
        config: { secrets: { 'my.password': btoa('secret') } },
      },
    ],
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'HttpBasicAuthenticationClientFilter',
            config: { username: 'ann', passwordSecretId, secretsProvider: 'passwords' },
          },
        ],
        handler: page("${request.headers['Authorization'][0]}"),
      },
    },
  })
  await gateway.deploy('a', login('my.password'))
  assert.equal((await gateway.ask('/')).text, `Basic ${btoa('ann:secret')}`)
})
