// The spec's 'JmsAuditEventHandler', 'Events' and `auditService` of 'Route', over a whole gateway and a broker.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'
import { OpenWireBroker } from '#test/openwire-broker'
import { waitUntil } from '#test/waiting'

const CLASS = 'org.vendor.audit.handlers.jms.JmsAuditEventHandler'
const FIELDS = ['name', 'topics', 'deliveryMode', 'sessionMode', 'jndi']

let broker: OpenWireBroker
let gateway: RunningGateway

/** Properties of a broker such as that of the example. */
const properties = (): JsonObject => ({
  'java.naming.factory.initial': 'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
  'java.naming.provider.url': `tcp://127.0.0.1:${broker.port}`,
  'topic.audit': 'audit',
})

const jndi = (more: JsonObject = {}): JsonObject => ({
  contextProperties: properties(),
  topicName: 'audit',
  connectionFactoryName: 'ConnectionFactory',
  ...more,
})

const handler = (more: JsonObject = {}): JsonObject => ({
  class: CLASS,
  config: {
    name: 'jms',
    topics: ['access'],
    deliveryMode: 'NON_PERSISTENT',
    sessionMode: 'AUTO',
    jndi: jndi(),
    ...more,
  },
})

const service = (...eventHandlers: JsonObject[]): JsonObject => ({
  type: 'AuditService',
  config: { config: {}, eventHandlers },
})

const SCHEMA = {
  schema: {
    $schema: 'http://json-schema.org/draft-04/schema#',
    id: '/',
    type: 'object',
    properties: Object.fromEntries(
      ['_id', 'timestamp', 'transactionId', 'eventName', 'customField'].map((name) => [name, { type: 'string' }]),
    ),
  },
  filterPolicies: { field: { includeIf: ['/_id', '/timestamp', '/transactionId', '/eventName', '/customField'] } },
  required: ['_id', 'timestamp', 'transactionId', 'eventName'],
}

const ROUTER = { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } }

before(async () => {
  broker = await OpenWireBroker.start()
  gateway = await RunningGateway.start({
    files: {
      'audit-schemas/customTopic.json': SCHEMA,
      // Instances of other gateways have the client of the broker there.
      'extra/activemq-all.jar': 'PK',
      'config/config.json': {
        handler: '_router',
        properties: { text: 'jms', topic: 'access', mode: 'PERSISTENT', session: 'CLIENT', audit: 'audit' },
        heap: [
          { name: 'Custom', ...service(handler({ name: 'custom', topics: ['customTopic'] })) },
          { name: 'Boundary', ...service(handler({ name: 'boundary' })) },
          ROUTER,
        ],
      },
    },
  })
})

after(async () => {
  await gateway[Symbol.asyncDispose]()
  await broker[Symbol.asyncDispose]()
})

beforeEach(async () => {
  gateway.instance.remove('config/routes')
  gateway.instance.remove('config/inner')
  gateway.instance.write('config/routes/.keep', '')
  gateway.instance.write('config/inner/.keep', '')
  await gateway.scan()
  broker.messages.length = 0
})

/** Waits until the broker has as many messages, and parses them. */
async function received(count: number): Promise<JsonObject[]> {
  await waitUntil(`the broker had ${count} messages`, () => broker.messages.length >= count)
  assert.equal(broker.messages.length, count)
  return broker.messages.map(({ text }) => JSON.parse(text) as JsonObject)
}

const pathOf = ({ http }: JsonObject) => new URL((http as { request: { path: string } }).request.path).pathname

/** Problems of a route that is audited by a service with this handler. */
async function problems(eventHandler: JsonObject): Promise<string[]> {
  await gateway.deploy('a', pathRoute('/a', 'a', { auditService: service(eventHandler) }))
  return gateway.problems('a.json')
}

describe('Route: auditService', () => {
  test('no auditing by default: a no-op audit service is provided', async () => {
    await gateway.deploy('a', pathRoute('/a', 'a'))
    await gateway.deploy('b', pathRoute('/b', 'b', { auditService: 'Boundary' }))
    assert.equal((await gateway.ask('/a')).text, 'a')
    assert.equal((await gateway.ask('/b')).text, 'b')
    assert.deepEqual((await received(1)).map(pathOf), ['/b'])
    await gateway.deploy('c', pathRoute('/c', 'c', { auditService: 'AuditService' }))
    assert.deepEqual(gateway.problems('c.json'), [])
  })

  test('is a reference, by name or inline; another object is refused', async () => {
    await gateway.deploy('a', pathRoute('/a', 'a', { auditService: 'Boundary' }))
    await gateway.deploy('b', pathRoute('/b', 'b', { auditService: service(handler({ name: 'inline' })) }))
    await gateway.ask('/a')
    await received(1)
    await gateway.ask('/b')
    assert.deepEqual((await received(2)).map(pathOf), ['/a', '/b'])
    await gateway.deploy('c', pathRoute('/c', 'c', { auditService: '_router' }))
    assert.match(gateway.problems('c.json').join(), /^\/auditService: /)
  })

  test('child routes inherit it, and have their own or a NoOpAuditService instead', async () => {
    const inner = { name: 'inner', type: 'Router', config: { directory: '${gateway.configDirectory}/inner' } }
    gateway.instance.write('config/inner/one.json', pathRoute('/one', 'one'))
    gateway.instance.write(
      'config/inner/two.json',
      pathRoute('/two', 'two', { auditService: { type: 'NoOpAuditService' } }),
    )
    await gateway.deploy('outer', { handler: 'inner', heap: [inner], auditService: 'Boundary' })
    await gateway.scan()
    assert.equal((await gateway.ask('/two')).text, 'two')
    assert.equal((await gateway.ask('/one')).text, 'one')
    assert.deepEqual((await received(1)).map(pathOf), ['/one'])
  })
})

describe('AuditService', () => {
  test('the shape of the spec: name, type, and config with config and eventHandlers of class and config', async () => {
    await gateway.deploy(
      'a',
      pathRoute('/a', 'a', { heap: [{ name: 'Own', ...service(handler()) }], auditService: 'Own' }),
    )
    assert.deepEqual(gateway.problems('a.json'), [])
    await gateway.ask('/a')
    await received(1)
  })

  test('an unknown class and a handler without class are load errors', async () => {
    const [unknown] = await problems({ ...handler(), class: 'org.vendor.NoSuchAuditEventHandler' })
    assert.match(unknown ?? '', /^\/auditService\/config\/eventHandlers\/0\/class: /)
    const [missing] = await problems({ config: {} })
    assert.match(missing ?? '', /^\/auditService\/config\/eventHandlers\/0: expected an event handler/)
  })
})

describe('JmsAuditEventHandler', () => {
  const AT = '/auditService/config/eventHandlers/0/config'

  for (const field of FIELDS) {
    test(`${field}: required`, async () => {
      const found = await problems(handler({ [field]: null }))
      assert.ok(
        found.some((problem) => problem.startsWith(`${AT}/${field}`)),
        found.join('\n'),
      )
    })
  }

  for (const field of ['topicName', 'connectionFactoryName']) {
    test(`jndi.${field}: required`, async () => {
      const found = await problems(handler({ jndi: jndi({ [field]: null }) }))
      assert.ok(
        found.some((problem) => problem.startsWith(`${AT}/jndi/${field}`)),
        found.join('\n'),
      )
    })
  }

  test('all fields and the values of contextProperties are configuration expressions', async () => {
    const expressions = handler({
      name: '${text}',
      topics: ['${topic}'],
      deliveryMode: '${mode}',
      sessionMode: '${session}',
      jndi: {
        contextProperties: { ...properties(), 'topic.audit': '${audit}' },
        topicName: '${audit}',
        connectionFactoryName: "${'ConnectionFactory'}",
      },
    })
    assert.deepEqual(await problems(expressions), [])
    await gateway.ask('/a')
    await received(1)
    assert.equal(broker.messages[0]?.persistent, true)
  })

  test('topics: an unknown one is a load error that names the schema it needs', async () => {
    const [problem] = await problems(handler({ topics: ['access', 'payments'] }))
    assert.match(
      problem ?? '',
      /eventHandlers\/0\/config\/topics\/1: unknown topic "payments".*audit-schemas\/payments\.json/,
    )
  })

  for (const deliveryMode of ['PERSISTENT', 'NON_PERSISTENT']) {
    test(`deliveryMode: ${deliveryMode} is that of the message`, async () => {
      assert.deepEqual(await problems(handler({ deliveryMode })), [])
      await gateway.ask('/a')
      await received(1)
      assert.equal(broker.messages[0]?.persistent, deliveryMode === 'PERSISTENT')
    })
  }

  for (const sessionMode of ['AUTO', 'CLIENT', 'DUPS_OK']) {
    test(`sessionMode: ${sessionMode}`, async () => {
      assert.deepEqual(await problems(handler({ sessionMode })), [])
      await gateway.ask('/a')
      await received(1)
    })
  }

  test('deliveryMode and sessionMode: other values are refused', async () => {
    const [mode] = await problems(handler({ deliveryMode: 'DURABLE' }))
    assert.match(mode ?? '', /config\/deliveryMode: expected one of .*PERSISTENT.*NON_PERSISTENT/)
    const [session] = await problems(handler({ sessionMode: 'SESSION_TRANSACTED' }))
    assert.match(session ?? '', /config\/sessionMode: expected one of .*AUTO.*CLIENT.*DUPS_OK/)
  })

  test('jndi.contextProperties: left empty, there is no application server whose resources could be used', async () => {
    for (const contextProperties of [{}, null]) {
      const found = await problems(handler({ jndi: jndi({ contextProperties }) }))
      assert.match(found.join(), /config\/jndi\/contextProperties: .*there is no application server/)
    }
  })

  for (const name of ['java.naming.factory.initial', 'java.naming.provider.url', 'topic.audit']) {
    test(`jndi.contextProperties: ${name} is required`, async () => {
      const { [name]: _, ...rest } = properties()
      const found = await problems(handler({ jndi: jndi({ contextProperties: rest }) }))
      assert.match(found.join(), /config\/jndi\//)
      assert.ok(found.join().includes(name), found.join())
    })
  }

  test('jndi.contextProperties: the URL scheme for SSL is ssl:// with socket options', async () => {
    const url =
      'ssl://127.0.0.1:61617?daemon=true&socket.enabledCipherSuites=TLS_AES_128_GCM_SHA256&socket.enabledProtocols=TLSv1.3'
    const contextProperties = { ...properties(), 'java.naming.provider.url': url }
    assert.deepEqual(await problems(handler({ jndi: jndi({ contextProperties }) })), [])
  })

  test('jndi.topicName: must match topic.audit', async () => {
    const [problem] = await problems(handler({ jndi: jndi({ topicName: 'audits' }) }))
    assert.match(problem ?? '', /config\/jndi\/topicName: expected a topic that contextProperties defines/)
    const contextProperties = { ...properties(), 'topic.audit': 'gateway.events' }
    assert.deepEqual(await problems(handler({ jndi: jndi({ contextProperties }) })), [])
    await gateway.ask('/a')
    await received(1)
    assert.match(broker.messages[0]?.destination ?? '', /gateway\.events$/)
  })

  test('jndi.connectionFactoryName: the name of a connection factory', async () => {
    const [problem] = await problems(handler({ jndi: jndi({ connectionFactoryName: 'NoSuchFactory' }) }))
    assert.match(problem ?? '', /config\/jndi\/connectionFactoryName: /)
  })
})

describe('JmsAuditEventHandler does not support queries', () => {
  const query = '/api/audit/access?_queryFilter=true'
  const start = (...handlers: JsonObject[]) =>
    RunningGateway.start({
      admin: { mode: 'DEVELOPMENT' },
      files: {
        'config/config.json': { handler: '_router', heap: [{ name: 'AuditService', ...service(...handlers) }, ROUTER] },
      },
      routes: { a: pathRoute('/a', 'a') },
    })

  test('a query is refused with 501, which names a handler that supports queries', async () => {
    await using alone = await start(handler())
    const { status, text } = await alone.askAdmin(query)
    assert.equal(status, 501)
    assert.match(text, /JsonAuditEventHandler/)
  })

  test('a second handler that supports queries is enabled for querying', async () => {
    const files = { name: 'file', topics: ['access'], logDirectory: 'trail' }
    await using both = await start(handler(), {
      class: 'org.vendor.audit.handlers.json.JsonAuditEventHandler',
      config: files,
    })
    await both.ask('/a')
    const [event] = await received(1)
    const results = async () => JSON.parse((await both.askAdmin(query)).text)['results'] as JsonObject[]
    await waitUntil('the event was in the file', async () => (await results()).length === 1)
    assert.deepEqual(await results(), [event])
  })
})

describe('Events', () => {
  test('access: a TextMessage with the JSON of the event, at the boundary of the gateway', async () => {
    await gateway.deploy('a', pathRoute('/a', 'a', { auditService: 'Boundary' }))
    const before = Date.now()
    await gateway.ask('/a?token=secret')
    const [event] = (await received(1)) as [JsonObject]
    const [message] = broker.messages
    assert.match(message?.destination ?? '', /audit$/)
    assert.equal(message?.correlationId, event['_id'])
    const response = event['response'] as JsonObject
    const arrival = Date.parse(event['timestamp'] as string)
    assert.ok(arrival >= before - 1 && arrival + (response['elapsedTime'] as number) <= Date.now() + 1)
    assert.deepEqual([response['status'], response['statusCode']], ['SUCCESSFUL', '200'])
    assert.doesNotMatch(message?.text ?? '', /secret/)
  })

  test('customTopic: events with a JSON schema, through a service of the heap that the route references', async () => {
    const send = {
      type: 'AuditFilter',
      config: { topic: 'customTopic', fields: { customField: "${request.queryParams['v'][0]}" } },
    }
    const route = (more: JsonObject) => {
      const { handler, ...rest } = pathRoute('/a', 'a', more)
      return { ...rest, handler: { type: 'Chain', config: { filters: [send], handler } } }
    }
    await gateway.deploy('a', route({ auditService: 'Custom' }))
    assert.deepEqual(gateway.problems('a.json'), [])
    await gateway.ask('/a?v=one')
    const [event] = (await received(1)) as [JsonObject]
    assert.deepEqual(Object.keys(event).sort(), Object.keys(SCHEMA.schema.properties).sort())
    assert.deepEqual([event['eventName'], event['customField']], ['customTopic', 'one'])
  })

  test('customTopic: a service of the heap that a subroute inherits', async () => {
    const inner = { name: 'inner', type: 'Router', config: { directory: '${gateway.configDirectory}/inner' } }
    const source = "await audit.send('customTopic', { customField: 'script' }); return next.handle(request)"
    const filters = [{ type: 'ScriptableFilter', config: { type: 'application/javascript', source } }]
    const { handler, ...rest } = pathRoute('/sub', 'sub')
    gateway.instance.write('config/inner/sub.json', {
      ...rest,
      handler: { type: 'Chain', config: { filters, handler } },
    })
    await gateway.deploy('outer', { handler: 'inner', heap: [inner], auditService: 'Custom' })
    await gateway.scan()
    assert.equal((await gateway.ask('/sub')).text, 'sub')
    assert.deepEqual(
      (await received(1)).map(({ customField }) => customField),
      ['script'],
    )
  })
})
