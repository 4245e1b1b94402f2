import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JNDI_NAMES } from '../../../test/support/jms-plan.ts'
import { type JndiConfig, type JndiReading, readJndi } from '../index.ts'

const ACTIVEMQ = 'org.apache.activemq.jndi.ActiveMQInitialContextFactory'
const QPID = 'org.apache.qpid.jms.jndi.JmsInitialContextFactory'

function activeMq(properties: Record<string, string>, names: Partial<JndiConfig> = {}): JndiReading {
  return readJndi(
    {
      contextProperties: { 'java.naming.factory.initial': ACTIVEMQ, 'topic.audit': 'audit', ...properties },
      topicName: 'audit',
      connectionFactoryName: 'ConnectionFactory',
      ...names,
    },
    JNDI_NAMES,
  )
}

function at(url: string, properties: Record<string, string> = {}): JndiReading {
  return activeMq({ 'java.naming.provider.url': url, ...properties })
}

function qpid(url: string, properties: Record<string, string> = {}, names: Partial<JndiConfig> = {}): JndiReading {
  return readJndi(
    {
      contextProperties: {
        'java.naming.factory.initial': QPID,
        'connectionfactory.broker': url,
        'topic.audit': 'audit.topic',
        ...properties,
      },
      topicName: 'audit',
      connectionFactoryName: 'broker',
      ...names,
    },
    JNDI_NAMES,
  )
}

/** `path: message` of each problem. */
function problems({ plan, problems }: JndiReading): string[] {
  assert.equal(plan, null)
  return problems.map(({ path, message }) => `${path.join('/')}: ${message}`)
}

function warnings(reading: JndiReading): string[] {
  assert.deepEqual(reading.problems, [])
  return reading.warnings.map(({ path, message }) => `${path.join('/')}: ${message}`)
}

test('the example of the specification: an ActiveMQ broker over TCP', () => {
  const reading = at('tcp://broker.example.com:61616')
  assert.deepEqual(reading.warnings, [])
  assert.deepEqual(reading.plan, {
    protocol: 'openwire',
    destination: { kind: 'topic', name: 'audit' },
    endpoints: [
      {
        host: 'broker.example.com',
        port: 61616,
        tls: null,
        connectTimeout: 10_000,
        idleTimeout: 30_000,
        virtualHost: null,
        saslMechanisms: null,
      },
    ],
    randomize: false,
    reconnect: { initialDelay: 10, maxDelay: 30_000, multiplier: 2 },
    userName: null,
    password: null,
    clientId: null,
    producerWindow: 1024 * 1024,
    sendTimeout: 30_000,
  })
  assert.deepEqual(structuredClone(reading.plan), reading.plan)
})

test('an ssl:// address with socket options sets versions, suites and the check of the host name', () => {
  const options = [
    'daemon=true',
    'socket.enabledProtocols=TLSv1.3',
    'socket.enabledCipherSuites=TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'socket.verifyHostName=false',
  ]
  const reading = at(`ssl://127.0.0.1:61617?${options.join('&')}`)
  assert.deepEqual(reading.plan?.endpoints[0]?.tls, {
    verifyHostName: false,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    ciphers: 'TLS_AES_256_GCM_SHA384:ECDHE-RSA-AES128-GCM-SHA256',
  })
  assert.deepEqual(warnings(reading), [
    'contextProperties/java.naming.provider.url: option socket.verifyHostName: the name in the certificate of the broker is not checked',
  ])
})

test('versions and suites of TLS that are broken are problems', () => {
  const found = problems(
    at('ssl://h:1?socket.enabledProtocols=TLSv1.1&socket.enabledCipherSuites=SSL_RSA_WITH_RC4_128_SHA'),
  )
  assert.match(found[0] ?? '', /option socket.enabledProtocols: TLSv1.1 is broken/)
  assert.match(found[1] ?? '', /option socket.enabledCipherSuites: expected a cipher suite that this platform has/)
})

test('a list of brokers is read with and without parentheses, with options of both places', () => {
  for (const list of [
    'failover:(tcp://a:1?connectionTimeout=500,ssl://b:2)?randomize=false&maxReconnectDelay=1000',
    'failover://(tcp://a:1?connectionTimeout=500, ssl://b:2)?randomize=false&maxReconnectDelay=1000',
  ]) {
    const { plan } = at(list)
    assert.deepEqual(
      plan?.endpoints.map(({ host, port, connectTimeout }) => [host, port, connectTimeout]),
      [
        ['a', 1, 500],
        ['b', 2, 10_000],
      ],
    )
    assert.equal(plan?.endpoints[0]?.tls, null)
    assert.notEqual(plan?.endpoints[1]?.tls, null)
    assert.equal(plan?.randomize, false)
    assert.equal(plan?.reconnect.maxDelay, 1000)
  }
  assert.equal(at('failover:tcp://a:1,tcp://b:2').plan?.endpoints.length, 2)
  assert.equal(at('failover://tcp://[::1]:61616').plan?.endpoints[0]?.host, '::1')
  assert.equal(at('failover:(tcp://a:1)').plan?.randomize, true)
  assert.equal(at('failover:(tcp://a:1)?nested.wireFormat.maxInactivityDuration=9').plan?.endpoints[0]?.idleTimeout, 9)
  assert.equal(at('failover:(tcp://a:1)?useExponentialBackOff=false').plan?.reconnect.multiplier, 1)
})

test('liveness can be switched off, and time limits of 0 mean the default', () => {
  assert.equal(at('tcp://a:1?wireFormat.maxInactivityDuration=0').plan?.endpoints[0]?.idleTimeout, 0)
  assert.equal(at('tcp://a:1?useInactivityMonitor=false').plan?.endpoints[0]?.idleTimeout, 0)
  assert.equal(at('tcp://a:1?jms.sendTimeout=0').plan?.sendTimeout, 30_000)
  assert.equal(at('tcp://a:1?jms.sendTimeout=1500&jms.producerWindowSize=0').plan?.producerWindow, 0)
})

test('user and password come from the properties, of the factory first, or from the address', () => {
  const user = ({ plan }: JndiReading) => [plan?.userName, plan?.password, plan?.clientId]
  assert.deepEqual(user(at('tcp://a:1', { userName: 'u', password: 'p' })), ['u', 'p', null])
  assert.deepEqual(
    user(at('tcp://a:1', { 'java.naming.security.principal': 'u', 'java.naming.security.credentials': 'p' })),
    ['u', 'p', null],
  )
  assert.deepEqual(user(at('tcp://a:1?jms.userName=u&jms.password=p%2B%26&jms.clientID=c')), ['u', 'p+&', 'c'])
  assert.deepEqual(
    user(at('tcp://a:1', { userName: 'u', password: 'p', 'connection.ConnectionFactory.userName': 'v' })),
    ['v', 'p', null],
  )
  assert.deepEqual(user(qpid('amqp://a?jms.username=u&jms.password=p')), ['u', 'p', null])
  assert.deepEqual(user(qpid('amqp://a', { 'property.connectionfactory.broker.username': 'u' })), ['u', null, null])
})

test('a connection factory of an own name has an address of its own', () => {
  const names = { connectionFactoryName: 'audit' }
  const own = { connectionFactoryNames: 'one, audit', 'connection.audit.brokerURL': 'tcp://own:2' }
  assert.equal(activeMq(own, names).plan?.endpoints[0]?.host, 'own')
  const shared = { connectionFactoryNames: 'audit', 'java.naming.provider.url': 'tcp://shared:2' }
  assert.equal(activeMq(shared, names).plan?.endpoints[0]?.host, 'shared')
  assert.deepEqual(problems(activeMq({ 'java.naming.provider.url': 'tcp://a:1' }, names)), [
    'connectionFactoryName: expected one of ConnectionFactory, XAConnectionFactory, QueueConnectionFactory, TopicConnectionFactory, or add "connectionFactoryNames": "audit" to contextProperties; got "audit"',
  ])
})

test('destinations: topics, queues and the contexts that create them', () => {
  const url = { 'java.naming.provider.url': 'tcp://a:1' }
  const destination = (topicName: string, more: Record<string, string> = {}) =>
    activeMq({ ...url, ...more }, { topicName }).plan?.destination
  assert.deepEqual(destination('audit'), { kind: 'topic', name: 'audit' })
  assert.deepEqual(destination('jobs', { 'queue.jobs': 'AUDIT.JOBS' }), { kind: 'queue', name: 'AUDIT.JOBS' })
  assert.deepEqual(destination('dynamicTopics/a/b'), { kind: 'topic', name: 'a/b' })
  assert.deepEqual(destination('dynamicQueues/q'), { kind: 'queue', name: 'q' })
  assert.deepEqual(problems(activeMq(url, { topicName: 'audits' })), [
    'topicName: expected a topic that contextProperties defines: add "topic.audits": "<name at the broker>"; contextProperties defines audit; did you mean "audit"?',
  ])
  assert.match(
    problems(activeMq({ ...url, 'topic.audit': '' }))[0] ?? '',
    /^contextProperties\/topic.audit: expected the name/,
  )
})

test('empty properties are a problem that says why', () => {
  const [found] = problems(
    readJndi({ contextProperties: {}, topicName: 'audit', connectionFactoryName: 'ConnectionFactory' }),
  )
  assert.match(found ?? '', /^contextProperties: .*there is no application server/)
})

test('an unknown or missing initial context factory is a problem that names those that are known', () => {
  const of = (factory: string) => problems(activeMq({ 'java.naming.factory.initial': factory }))[0] ?? ''
  assert.match(
    of('com.sun.jndi.fscontext.RefFSContextFactory'),
    /^contextProperties\/java.naming.factory.initial: expected .*JmsInitialContextFactory/,
  )
  assert.match(
    of('org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory'),
    /Core protocol of Artemis is not spoken/,
  )
  assert.match(of('constructor'), /expected/)
  const missing = readJndi({ contextProperties: { a: 'b' }, topicName: 'audit', connectionFactoryName: 'c' })
  assert.match(problems(missing)[0] ?? '', /^contextProperties: java.naming.factory.initial: expected/)
})

test('a missing, unsupported or broken address is a problem that does not quote it', () => {
  const cases: [string, RegExp][] = [
    ['vm://localhost', /expected tcp:\/\/, ssl:\/\/ or failover:, got vm:\/\//],
    ['amqp://a:5672', /for AMQP use org.apache.qpid/],
    ['tcp://a', /with a port/],
    ['a:61616', /expected a:\/\/host:port/],
    ['61616', /expected an address like/],
    ['tcp://:61616', /expected tcp:\/\/host:port/],
    ['tcp://a:99999', /expected tcp:\/\/host:port/],
    ['tcp://user:hunter2@a:1', /not in the address/],
    ['failover:(tcp://a:1?jms.password=hunter2', /expected "\)"/],
    ['failover:(tcp://a:1)jms.password=hunter2', /nothing but "\?options"/],
    ['failover:()', /at least one broker/],
    ['failover:(tcp://a:1,vm://b)', /got vm/],
    ['tcp://a:1?connectionTimeout=hunter2', /option connectionTimeout: expected a number/],
    ['tcp://a:1?useInactivityMonitor=hunter2', /option useInactivityMonitor: expected true or false/],
  ]
  for (const [address, expected] of cases) {
    const found = problems(at(address)).join()
    assert.match(found, expected, address)
    assert.doesNotMatch(found, /hunter2/)
  }
  assert.match(problems(activeMq({}))[0] ?? '', /^contextProperties: expected "java.naming.provider.url"/)
})

test('options and properties without effect get a warning', () => {
  const found = warnings(
    at(
      'failover:(tcp://a:1?conectionTimeout=1&trace=true)?jms.useAsyncSend=true&priorityBackup=true&jms.prefetchPolicy.all=1',
      {
        clientId: 'x',
      },
    ),
  )
  const url = 'contextProperties/java.naming.provider.url: option'
  assert.deepEqual(found, [
    'contextProperties/clientId: is not known and has no effect',
    `${url} jms.useAsyncSend: PERSISTENT messages always wait for the broker to acknowledge them`,
    `${url} priorityBackup: a connection to a later broker of the list stays until it ends`,
    `${url} conectionTimeout: is not known and has no effect; did you mean "connectionTimeout"?`,
  ])
})

test('Qpid JMS: a factory is an AMQP address with its options', () => {
  const reading = qpid(
    'amqps://a?transport.verifyHost=true&amqp.vhost=v&amqp.idleTimeout=1000&amqp.saslMechanisms=PLAIN,GSSAPI',
  )
  assert.deepEqual(warnings(reading), [])
  assert.equal(reading.plan?.protocol, 'amqp')
  assert.deepEqual(reading.plan?.destination, { kind: 'topic', name: 'audit.topic' })
  assert.deepEqual(reading.plan?.endpoints, [
    {
      host: 'a',
      port: 5671,
      tls: { verifyHostName: true, minVersion: null, maxVersion: null, ciphers: null },
      connectTimeout: 10_000,
      idleTimeout: 1000,
      virtualHost: 'v',
      saslMechanisms: ['PLAIN', 'GSSAPI'],
    },
  ])
  assert.equal(qpid('amqp://a').plan?.endpoints[0]?.port, 5672)
  const list = qpid(
    'failover:(amqp://a:1,amqps://b:2)?failover.randomize=true&failover.nested.amqp.vhost=v&jms.clientID=c',
  )
  assert.deepEqual(warnings(list), [])
  assert.deepEqual(
    list.plan?.endpoints.map(({ host, virtualHost }) => [host, virtualHost]),
    [
      ['a', 'v'],
      ['b', 'v'],
    ],
  )
  assert.equal(list.plan?.randomize, true)
})

test('Qpid JMS: mistakes', () => {
  assert.match(
    problems(qpid('tcp://a:61616'))[0] ?? '',
    /^contextProperties\/connectionfactory.broker: expected amqp.*for OpenWire use/,
  )
  assert.match(problems(qpid('amqpws://a:80'))[0] ?? '', /amqpws:\/\/, which is not supported/)
  assert.match(
    problems(qpid('amqp://a?amqp.saslMechanisms=GSSAPI'))[0] ?? '',
    /expected one of EXTERNAL, PLAIN, ANONYMOUS/,
  )
  assert.deepEqual(problems(qpid('amqp://a', {}, { connectionFactoryName: 'broke' })), [
    'connectionFactoryName: expected a connection factory that contextProperties defines: add "connectionfactory.broke": "amqp://host:5672"; defined: broker; did you mean "broker"?',
  ])
  assert.match(warnings(qpid('amqps://a?transport.trustStoreLocation=x'))[0] ?? '', /those of the field tls/)
  assert.match(
    warnings(qpid('amqp://a', { 'java.naming.provider.url': 'amqp://a' }))[0] ?? '',
    /path of a properties file/,
  )
})

test('without names of the platform, suites are those of OpenSSL, and nothing is suggested', () => {
  const reading = (options: string) =>
    readJndi({
      contextProperties: {
        'java.naming.factory.initial': ACTIVEMQ,
        'topic.audit': 'audit',
        'java.naming.provider.url': `ssl://broker.example.com:61617?${options}`,
      },
      topicName: 'audit',
      connectionFactoryName: 'ConnectionFactory',
    })
  const suites = 'socket.enabledCipherSuites=ECDHE-RSA-AES128-GCM-SHA256'
  const tls = reading(`${suites}&socket.enabledProtocols=TLSv1.3`).plan?.endpoints[0]?.tls
  assert.deepEqual([tls?.ciphers, tls?.minVersion], ['ECDHE-RSA-AES128-GCM-SHA256', 'TLSv1.3'])
  const wrong = reading('socket.enabledCipherSuites=RC4&socket.enabledProtocols=SSLv3')
  assert.deepEqual(
    wrong.problems.map(({ message }) => message),
    [
      'option socket.enabledProtocols: expected TLSv1.2 or TLSv1.3, got "SSLv3"',
      'option socket.enabledCipherSuites: expected the OpenSSL name of a cipher suite, got "RC4"',
    ],
  )
})
