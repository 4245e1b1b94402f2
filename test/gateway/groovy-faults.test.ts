// Groovy scripts that can not be used, and scripts that fail: in each scriptable object, beside other routes.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'

const GROOVY = 'application/x-groovy'

/** Scripts that are rejected at load: the position, what is meant, and what to use instead. */
const REJECTED: Readonly<Record<string, readonly [string, RegExp]>> = {
  'a missing parenthesis': ['def x = 1\nif (x > 0 {\n  x = 2\n}', /:2:4: this \( is not closed/],
  'an unterminated text': ['def x = "abc\nx', /:1:\d+: .*(?:text|string|quote)/i],
  'a class of Nimbus': [
    'def x = 1\nimport com.nimbusds.jose.JWSSigner\nx',
    /:2:1: com\.nimbusds\.jose\.JWSSigner is not available: .*(?:SigningManager|JwtBuilderFilter)/,
  ],
  'a class of Bouncy Castle': [
    'import org.bouncycastle.jce.provider.BouncyCastleProvider\nSecurity.addProvider(new BouncyCastleProvider())',
    /:1:1: org\.bouncycastle\.jce\.provider\.BouncyCastleProvider is not available: .*java\.security and javax\.crypto/,
  ],
  'a class of Redisson': [
    'import org.redisson.Redisson\nglobals.client = Redisson.create()',
    /:1:1: org\.redisson\.Redisson is not available: .*Redis; use session or globals/,
  ],
  'an event for an audit service': [
    'import static org.forgerock.json.resource.Requests.newCreateRequest\nnewCreateRequest(null, null)',
    /:1:1: org\.forgerock\.json\.resource\.Requests is not available: .*audit\.send\('Topic', \[eventName: 'NAME'\]\)/,
  ],
  'a class of groovyx': [
    'import groovyx.net.http.RESTClient\nnew RESTClient("http://x").get(path: "/")',
    /:1:1: groovyx\.net\.http\.RESTClient is not available: .*http\.send\(request\)/,
  ],
  '@Grab': [
    "@Grab('org.codehaus.groovy.modules.http-builder:http-builder:0.7.1')\nimport groovyx.net.http.HTTPBuilder",
    /:1:1: @Grab is not supported: libraries can not be fetched/,
  ],
  GroovyShell: [
    'def code = "1 + 1"\nreturn new GroovyShell(binding).evaluate(code)',
    /:2:12: (?:groovy\.lang\.)?GroovyShell is not available: .*class below scripts\/groovy/,
  ],
  'Eval.me': ['Eval.me("1")', /:1:1: (?:groovy\.util\.)?Eval is not available: .*class below scripts\/groovy/],
  'a JDBC driver': [
    'def sql = groovy.sql.Sql.newInstance("jdbc:h2:mem:", "sa", "")',
    /:1:11: groovy\.sql\.Sql is not available: .*call a service over HTTP/,
  ],
  'an LDAP client': [
    'import org.forgerock.opendj.ldap.LDAPConnectionFactory\n1',
    /:1:1: org\.forgerock\.opendj\.ldap\.LDAPConnectionFactory is not available: .*LDAP; call a service over HTTP/,
  ],
  'a process': ['"ls".execute().text', /:1:6: execute is not available: scripts can not start processes/],
  'an unknown class': ['new com.acme.Missing()', /:1:5: unknown class com\.acme\.Missing/],
  'an unknown method of a typed variable': [
    'import org.forgerock.json.jose.jwt.JwtClaimsSet\nJwtClaimsSet claims = new JwtClaimsSet()\nclaims.getExpirationTme()',
    /:3:8: .*JwtClaimsSet has no method getExpirationTme; did you mean getExpirationTime/,
  ],
  'an unknown method': ['request.getHedaers()', /:1:9: .*Request has no method getHedaers; did you mean getHeaders/],
}

/** Scripts that fail when they run, and their log entry. */
const FAILING: Readonly<Record<string, readonly [string, RegExp]>> = {
  throws: [
    "def x = 1\nthrow new IllegalStateException('out of order')",
    /:2:1: java\.lang\.IllegalStateException: out of order/,
  ],
  'never ends': ['def n = 0\nwhile (true) {\n  n++\n}', /:2:1: stopped: it ran 100 ms, pauses not counted/],
  'recurses without end': [
    'def down(n) {\n  return down(n + 1)\n}\ndown(0)',
    /:2:\d+: stopped: more than 512 nested calls/,
  ],
  'builds an endless text': [
    "def text = 'ab'\nfor (;;) text += text",
    /:2:\d+: stopped: a string of \d+ characters; at most 10000000/,
  ],
}

const KEY = 'a-shared-key-of-thirty-two-bytes'
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = `${part({ alg: 'HS256' })}.${part({ sub: 'ada', exp: 4_102_444_800 })}`
const token = `${unsigned}.${createHmac('sha256', KEY).update(unsigned).digest('base64url')}`

const secrets: JsonObject = {
  name: 'Keys',
  type: 'FileSystemSecretStore',
  config: {
    directory: '&{gateway.instance.dir}/secrets',
    mappings: [
      {
        secretId: 'signing',
        format: { type: 'SecretKeyPropertyFormat', config: { format: 'PLAIN', algorithm: 'HmacSHA256' } },
      },
      { secretId: 'agent', format: 'PLAIN' },
    ],
  },
}

const chain = (...filters: JsonObject[]): JsonObject => ({
  type: 'Chain',
  config: { filters, handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
})

const resourceServer = (accessTokenResolver: JsonObject, scopes: unknown): JsonObject =>
  chain({
    type: 'OAuth2ResourceServerFilter',
    config: { requireHttps: false, accessTokenResolver, scopes: scopes as JsonObject },
  })

const knownToken: JsonObject = {
  type: 'ScriptableAccessTokenResolver',
  config: { type: 'application/javascript', source: "return { sub: 'ada' }" },
}

/** The handler of a route with a script in each type of object. */
const OBJECTS: Readonly<Record<string, (config: JsonObject) => JsonObject>> = {
  ScriptableFilter: (config) => chain({ type: 'ScriptableFilter', config }),
  ScriptableHandler: (config) => ({ type: 'ScriptableHandler', config }),
  ScriptableAccessTokenResolver: (config) => resourceServer({ type: 'ScriptableAccessTokenResolver', config }, []),
  ScriptableResourceAccess: (config) => resourceServer(knownToken, { type: 'ScriptableResourceAccess', config }),
  ScriptableThrottlingPolicy: (config) =>
    chain({
      type: 'ThrottlingFilter',
      config: { throttlingRatePolicy: { type: 'ScriptableThrottlingPolicy', config } },
    }),
  ScriptableResourceUriProvider: (config) =>
    chain({
      type: 'PolicyEnforcementFilter',
      config: {
        amService: 'Manager',
        ssoTokenSubject: 'token',
        resourceUriProvider: { type: 'ScriptableResourceUriProvider', config },
      },
    }),
  ScriptableJwtValidatorCustomizer: (config) =>
    chain({
      type: 'JwtValidationFilter',
      config: {
        jwt: token,
        secretsProvider: 'Keys',
        verificationSecretId: 'signing',
        customizer: { type: 'ScriptableJwtValidatorCustomizer', config },
      },
    }),
}

const manager: JsonObject = {
  name: 'Manager',
  type: 'AmService',
  config: {
    url: 'http://127.0.0.1:1/am',
    agent: { username: 'agent', passwordSecretId: 'agent' },
    secretsProvider: 'Keys',
    notifications: { enabled: false },
  },
}

const idOf = (...words: readonly string[]): string =>
  words
    .join('-')
    .replaceAll(/[^\w]+/g, '-')
    .toLowerCase()
const served = { Authorization: 'Bearer token' }

describe('Groovy scripts beside other routes', () => {
  let gateway: RunningGateway

  before(async () => {
    const files: Record<string, unknown> = { 'secrets/signing': KEY, 'secrets/agent': 'password' }
    const routes: Record<string, unknown> = { good: pathRoute('/good', 'served') }
    const add = (id: string, object: string, source: string): void => {
      files[`scripts/groovy/${id}.groovy`] = source
      routes[id] = {
        condition: `\${request.uri.path == '/${id}'}`,
        heap: [secrets, ...(object === 'ScriptableResourceUriProvider' ? [manager] : [])],
        handler: OBJECTS[object]?.({ type: GROOVY, file: `${id}.groovy` }),
      }
    }
    for (const [what, [source]] of Object.entries(REJECTED)) add(idOf('rejected', what), 'ScriptableHandler', source)
    for (const object of Object.keys(OBJECTS)) {
      for (const [what, [source]] of Object.entries(FAILING)) add(idOf(object, what), object, source)
      add(idOf(object, 'rejected'), object, 'import com.nimbusds.jose.JWSSigner\nrequest.getFoo()')
    }
    gateway = await RunningGateway.start({ files, routes, admin: { scriptTimeout: '100 ms' } })
  })

  after(() => gateway[Symbol.asyncDispose]())

  for (const [what, [, expected]] of Object.entries(REJECTED)) {
    test(`${what} is rejected at load with file, line, column and advice`, async () => {
      const id = idOf('rejected', what)
      const [problem = '', ...more] = gateway.problems(`${id}.json`)
      assert.match(problem, expected, more.join('\n'))
      assert.ok(problem.startsWith(`/handler/config/file: groovy/${id}.groovy:`), problem)
      assert.equal((await gateway.ask(`/${id}`)).status, 404)
    })
  }

  for (const object of Object.keys(OBJECTS)) {
    for (const [what, [, expected]] of Object.entries(FAILING)) {
      test(`the script of a ${object} that ${what} fails its request only`, async () => {
        const id = idOf(object, what)
        assert.deepEqual(gateway.problems(`${id}.json`), [])
        const from = gateway.log.lines.length
        const [failed, other] = await Promise.all([gateway.ask(`/${id}`, { headers: served }), gateway.ask('/good')])
        assert.deepEqual([failed.status, failed.text, other.text], [500, '', 'served'])
        const entry = await gateway.log.until(/the request failed/, from)
        const { message } = entry['error'] as { message: string }
        assert.match(message, expected)
        assert.ok(message.startsWith(`groovy/${id}.groovy:`), message)
      })
    }

    test(`the script of a ${object} with unknown classes and methods is rejected, each with its position`, () => {
      const id = idOf(object, 'rejected')
      const problems = gateway.problems(`${id}.json`)
      assert.equal(problems.length, 2, problems.join('\n'))
      assert.match(problems[0] ?? '', new RegExp(`groovy/${id}\\.groovy:1:1: com\\.nimbusds`))
      assert.match(problems[1] ?? '', new RegExp(`groovy/${id}\\.groovy:2:9: .*Request has no method getFoo`))
    })
  }

  test('the unit was not restarted', async () => {
    assert.equal((await gateway.ask('/good')).text, 'served')
    assert.equal(gateway.gateway.units.length, 1)
    assert.equal(gateway.log.with(/unit.*(?:ended|restart)/).length, 0)
  })
})

test('a Groovy script in transform of a patch changes the value, or fails with its position', async () => {
  const PASSWORD = 'correct-horse'
  const scripts = Object.entries(FAILING).map(([what, [source]]) => [`scripts/groovy/${idOf(what)}.groovy`, source])
  await using gateway = await RunningGateway.start({
    files: {
      'secrets/gateway.admin.password': PASSWORD,
      'scripts/groovy/shout.groovy': 'value.toUpperCase() + resource.handler.config.status',
      'scripts/groovy/foreign.groovy': 'value\nnew GroovyShell()',
      ...Object.fromEntries(scripts),
    },
    routes: { shouted: pathRoute('/shouted', 'quiet') },
    admin: { patchTransform: true, scriptTimeout: '100 ms' },
  })
  const patch = (file: string) =>
    gateway.askAdmin('/api/system/objects/_router/routes/shouted', {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${PASSWORD}`, 'Content-Type': 'application/json' },
      body: JSON.stringify([
        { operation: 'transform', field: '/handler/config/entity', value: { script: { type: GROOVY, file } } },
      ]),
    })
  for (const [what, [, expected]] of Object.entries(FAILING)) {
    const { status, text } = await patch(`${idOf(what)}.groovy`)
    assert.equal(status, 400, text)
    assert.match((JSON.parse(text) as { message: string }).message, expected)
  }
  const foreign = await patch('foreign.groovy')
  assert.equal(foreign.status, 400)
  assert.match(foreign.text, /foreign\.groovy:2:5: .*GroovyShell is not available/)
  const shouted = await patch('shout.groovy')
  assert.equal(shouted.status, 200, shouted.text)
  assert.equal((await gateway.ask('/shouted')).text, 'QUIET200')
})
