import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '#http'
import { HeapObject } from '#scripts'
import { scriptOf } from '#test/evaluate-script'
import { exchangeFor } from '#test/exchange'
import { groovyResponse, groovyValue } from '#test/groovy-script'

test('a script reads and changes the request', async () => {
  const exchange = exchangeFor('POST', 'http://app.example.com/a%20b?x=1&x=2')
  const source = `
    request.headers['X-A'] = ['1', '2']
    request.headers.add('X-B', 5)
    request.headers.'X-C' = "g\${1 + 1}"
    request.uri.path = '/other'
    request.method = 'PUT'
    request.entity = [a: [1, 2.50], b: null]
    next.handle(context, request)`
  const script = scriptOf(source, { language: 'groovy', next: async () => respond(204) })
  await script.evaluate('response', exchange)
  const { request } = exchange
  assert.equal(`${request.method} ${request.uri}`, 'PUT http://app.example.com/other?x=1&x=2')
  assert.deepEqual(request.headers.all('x-a'), ['1', '2'])
  assert.equal(request.headers.get('x-b'), '5')
  assert.equal(request.headers.get('x-c'), 'g2')
  assert.equal(request.headers.get('content-type'), 'application/json; charset=UTF-8')
  assert.equal(request.body.text(), '{"a":[1,2.50],"b":null}')
})

test('getters and setters, and properties, are the same', async () => {
  const source = `
    def q = new Request().setMethod('GET').setUri('http://h.example:81/p?q=%20')
    q.getHeaders().put('X', 'y')
    [q.getUri().getHost(), q.uri.port, q.uri.query, q.uri.rawQuery, q.getHeaders().getFirst('x'), q.headers['X'].values,
     q.headers.get('X').firstValue, q.headers['none'], q.method, q.uri.pathElements]`
  assert.deepEqual(await groovyValue(source), ['h.example', 81, 'q= ', 'q=%20', 'y', ['y'], 'y', null, 'GET', ['p']])
})

test('contexts are found by name and by class', async () => {
  const source = `
    import org.forgerock.services.context.*
    def client = context.asContext(ClientContext.class)
    [contexts.client.remoteAddress, client.getRemoteAddress(), client.contextName, context.containsContext(ClientContext),
     context.containsContext('nope'), contexts.keySet().contains('session'), contexts.nope]`
  assert.deepEqual(await groovyValue(source), ['127.0.0.1', '127.0.0.1', 'client', true, false, true, null])
  assert.match(
    String(await groovyValue('context.asContext(org.forgerock.http.oauth2.OAuth2Context)')),
    /IllegalArgumentException: No context of type OAuth2Context/,
  )
})

test('objects in attributes are the same for later scripts of the request, until other code changes them', async () => {
  const exchange = exchangeFor('GET', 'http://app.example.com/')
  const store = `
    class User { String name; private String password = 'p'; String getInitial() { name[0] } }
    attributes.user = new User(name: 'ada')
    attributes.time = new Date(5)
    attributes.all = [at: new Date(6), list: [1]]`
  const load = '[attributes.user.class.simpleName, attributes.time.time, attributes.all.at.class.simpleName]'
  const run = (source: string) => scriptOf(source, { language: 'groovy' }).evaluate('json', exchange)
  await run(store)
  assert.equal(
    JSON.stringify(exchange.attributes),
    '{"user":{"name":"ada","initial":"a"},"time":"Thu Jan 01 00:00:00 UTC 1970","all":{"at":"Thu Jan 01 00:00:00 UTC 1970","list":[1]}}',
  )
  assert.deepEqual(await run(load), ['User', 5, 'Date'])
  await run('attributes.all.list << 2')
  assert.deepEqual((exchange.attributes['all'] as { list: unknown }).list, [1, 2])
  ;(exchange.attributes['user'] as Record<string, unknown>)['name'] = 'eve'
  exchange.attributes['time'] = 'noon'
  assert.deepEqual(await run('[attributes.user.name, attributes.time]'), ['eve', 'noon'])
})

test('the exception of a returned promise is the failure of the script', async () => {
  const source = "org.forgerock.util.promise.Promises.newExceptionPromise(new IllegalStateException('no'))"
  assert.equal(await groovyValue(source), 'ScriptError: test.groovy: java.lang.IllegalStateException: no')
})

test('attributes and session are live: changes inside their values are visible to other objects', async () => {
  const exchange = exchangeFor('GET', 'http://app.example.com/')
  exchange.attributes['before'] = { list: [1] }
  const source = `
    attributes.before.list << 2
    attributes.user = [name: 'n']
    attributes.user.roles = ['a']
    session.cart = [1]
    session.cart << 2
    session.gone = 1
    session.remove('gone')
    next.handle(context, request).thenOnResult { attributes.user.roles << 'b'; attributes.late = 1 }`
  let seen = ''
  const next = async () => {
    seen = JSON.stringify([exchange.attributes, exchange.session.get('cart')])
    return respond(204)
  }
  await scriptOf(source, { language: 'groovy', next }).evaluate('response', exchange)
  assert.equal(seen, '[{"before":{"list":[1,2]},"user":{"name":"n","roles":["a"]}},[1,2]]')
  assert.equal(JSON.stringify(exchange.attributes['user']), '{"name":"n","roles":["a","b"]}')
  assert.deepEqual([...exchange.session.keys()], ['cart'])
})

test('globals are live objects that persist between evaluations', async () => {
  const source = `
    globals.list = globals.list ?: []
    globals.list << globals.list.size()
    def counter = globals.computeIfAbsent('n') { new java.util.concurrent.atomic.AtomicInteger() }
    [globals.list, counter.incrementAndGet()]`
  const script = scriptOf(source, { language: 'groovy' })
  assert.equal(JSON.stringify(await script.evaluate()), '[[0],1]')
  assert.equal(JSON.stringify(await script.evaluate()), '[[0,1],2]')
})

test('arguments, also as a map, and properties of the configuration', async () => {
  const settings = { args: { limit: 5, hosts: { a: ['x'] } }, properties: { realm: 'r', env: { SECRET: 1 } } }
  assert.deepEqual(await groovyValue('[limit + 1, hosts.a[0], args.limit, realm]', settings), [6, 'x', 5, 'r'])
  assert.match(String(await groovyValue('env', settings)), /No such property: env/)
})

test('the environment has the configured variables only', async () => {
  const environment = new Map([['APP', 'x']])
  const source = '[System.getenv("APP"), System.getenv("HOME"), System.getenv().keySet()]'
  assert.deepEqual(await groovyValue(source, { environment }), ['x', null, ['APP']])
})

test('system properties are those that every JVM has, with the values of expressions', async () => {
  const properties = { system: { 'user.home': '/home/gateway', 'db.password': 'secret' } }
  const source =
    '[System.getProperty("user.home"), System.getProperty("db.password"), System.getProperty("os.name", "x")]'
  assert.deepEqual(await groovyValue(source, { properties }), ['/home/gateway', null, 'x'])
})

test('the clock is that of the gateway', async () => {
  const source = '[clock.millis(), clock.instant().toString(), System.currentTimeMillis(), new Date().time]'
  const now = 1_700_000_000_000
  assert.deepEqual(await groovyValue(source, { clock: { now: () => now } }), [now, '2023-11-14T22:13:20Z', now, now])
})

test('the logger replaces placeholders, and println is an entry of level info', async () => {
  const source = `
    logger.warn('a {} b {}', 1, [x: 2])
    logger.info("plain \${1}")
    logger.error('failed', new IllegalStateException('why'))
    println 'printed'
    print 'part'
    logger.isDebugEnabled()`
  const script = scriptOf(source, { language: 'groovy' })
  assert.equal(await script.evaluate(), true)
  assert.deepEqual(
    script.log.entries.map(({ level, message }) => `${level} ${message}`),
    [
      'warn a 1 b [x:2]',
      'info plain 1',
      'error failed java.lang.IllegalStateException: why',
      'info printed',
      'info part',
    ],
  )
})

test('the log of a script is limited to 1000 entries', async () => {
  const script = scriptOf('for (i in 1..5000) logger.info("x"); 1', { language: 'groovy' })
  await script.evaluate()
  assert.equal(script.log.entries.length, 1_000)
})

test('objects of the heap are called', async () => {
  const args = {
    handler: new HeapObject('Handler', async () => respond(203, {}, 'h')),
    resolver: new HeapObject('AccessTokenResolver', {
      resolve: async (token: string) => ({
        outcome: 'valid',
        accessToken: { token, info: { sub: token }, scopes: new Set(), expiresAt: null },
      }),
    }),
    nested: { access: new HeapObject('ResourceAccess', { requiredScopes: async () => new Set(['s']) }) },
  }
  const source = `
    [handler.handle(context, request).get().status.code, resolver.resolve(context, 't').get().sub,
     nested.access.getRequiredScopes(context, request).get()]`
  assert.deepEqual(await groovyValue(source, { args }), [203, 't', ['s']])
})

test('names that an object type does not offer are missing', async () => {
  assert.match(String(await groovyValue('next.handle(context, request)')), /No such property: next/)
  assert.match(String(await groovyValue('token')), /No such property: token/)
  assert.deepEqual(await groovyValue('token', { token: 't' }), 't')
})

test('the binding has hasVariable and getVariable', async () => {
  const source =
    "x = 1; [binding.hasVariable('x'), binding.hasVariable('next'), binding.hasVariable('http'), binding.x]"
  assert.deepEqual(await groovyValue(source), [true, false, true, 1])
})

test('results of each shape are converted and checked', async () => {
  assert.deepEqual(await groovyValue("new ThrottlingRate(6, '10 seconds')", {}, 'rate'), {
    numberOfRequests: 6,
    duration: 10_000,
  })
  assert.equal(await groovyValue('null', {}, 'rate'), null)
  assert.match(String(await groovyValue("'x'", {}, 'rate')), /expected the script to return a ThrottlingRate or null/)
  assert.match(String(await groovyValue("new ThrottlingRate(0, '1 s')", {}, 'rate')), /at least 1, got 0/)
  assert.deepEqual(await groovyValue('["a", "b${1}"] as Set', {}, 'texts'), ['a', 'b1'])
  assert.match(
    String(await groovyValue('null', {}, 'texts')),
    /expected the script to return a Set or a list of strings/,
  )
  assert.equal(await groovyValue('"http://x/${1}"', {}, 'text'), 'http://x/1')
  assert.match(
    String(await groovyValue('null', {}, 'response')),
    /^ScriptError: test.groovy: expected the script to return a Response, .* got null$/,
  )
})

test('an AccessTokenInfo is an introspection response for the gateway', async () => {
  const source = `
    import org.forgerock.http.oauth2.AccessTokenInfo
    import org.forgerock.json.JsonValue
    new AccessTokenInfo(new JsonValue([sub: 'u']), token, ['read', 'write'] as Set, 4102444800000L)`
  assert.deepEqual(await groovyValue(source, { token: 't' }), { sub: 'u', scope: 'read write', exp: 4_102_444_800 })
})

test('a response is created, changed and compared', async () => {
  const source = `
    def r = new Response(Status.NOT_FOUND)
    r.status = Status.valueOf(418, 'Tea')
    r.headers.put('X-A', [1, 2])
    r.entity.string = "is it? \${r.status == Status.valueOf(418)} \${r.status.isClientError()}"
    r`
  assert.equal(await groovyResponse(source), '418 | X-A: 1 | X-A: 2 | is it? true true')
})

test('cookies, forms and headers by their classes', async () => {
  const exchange = exchangeFor('GET', 'http://app.example.com/?q=a+b&q=c')
  exchange.request.headers.add('Cookie', 'a=1; b=2; a=3')
  const source = `
    import org.forgerock.http.header.*
    def form = new Form().fromQueryString('x=1&x=2')
    form.add('y', 'ä &')
    request.cookies.remove('b')
    request.cookies.put('c', new Cookie(name: 'c', value: '9'))
    def r = new Response(Status.OK)
    r.headers.put(new SetCookieHeader([new Cookie().setName('s').setValue('v').setPath('/').setHttpOnly(true)]))
    [request.cookies['a']*.value, request.headers.getFirst('Cookie'), request.form.q, request.queryParams.getFirst('q'),
     form.toString(), form.toFormString(), form.toQueryString(), r.headers['Set-Cookie'].values]`
  assert.deepEqual(await groovyValue(source, { exchange }), [
    ['1', '3'],
    'a=1; a=3; c=9',
    ['a b', 'c'],
    'a b',
    '[x:[1, 2], y:[ä &]]',
    'x=1&x=2&y=%C3%A4+%26',
    'x=1&x=2&y=%C3%A4%20%26',
    ['s=v; Path=/; HttpOnly'],
  ])
})

test('JsonValue navigates data', async () => {
  const source = `
    import static org.forgerock.json.JsonValue.*
    def j = json(object(field('a', array(1, 2)), field('b', object(field('c', 'x')))))
    j.put('d', 1.50)
    [j.get('b').get('c').asString(), j.get('/a/1').asInteger(), j.get('none').isNull(), j.get('none').defaultTo(5).asInteger(),
     j.isDefined('a'), j.a.asList(), j.toString()]`
  assert.deepEqual(await groovyValue(source), [
    'x',
    2,
    true,
    5,
    true,
    [1, 2],
    '{ "a": [ 1, 2 ], "b": { "c": "x" }, "d": 1.50 }',
  ])
  assert.match(
    String(await groovyValue("new org.forgerock.json.JsonValue([a: 'x']).get('a').asInteger()")),
    /JsonValueException: \/a: Expecting a Number, found a String/,
  )
})

test('classes of http.protocol and the other automatic imports need no import', async () => {
  const names =
    'Cookie Entity Form Header Headers Message Request RequestCookies Response Responses ResponseException Status'
  const others = 'Client Filter Handler Uris Promise NeverThrowsException AsyncFunction Function Context ThrottlingRate'
  const source = `[${[...names.split(' '), ...others.split(' ')].map((name) => `${name}.class.simpleName`).join(', ')}]`
  assert.deepEqual(await groovyValue(source), [...names.split(' '), ...others.split(' ')])
  assert.match(
    String(await groovyValue('Promises.newResultPromise(1)')),
    /unknown class Promises; did you mean .* It needs an import/,
  )
  assert.deepEqual(
    await groovyValue(
      "[Responses.newNotFound(), Responses.newInternalServerError(new IOException('x'))]*.status*.code",
    ),
    [404, 500],
  )
})

test('unknown methods of headers, cookies and forms are rejected at load', async () => {
  for (const [source, message] of [
    ['request.headers.nope()', /test\.groovy:1:17: org\.forgerock\.http\.protocol\.Headers has no method nope/],
    ['request.cookies.nope()', /RequestCookies has no method nope/],
    ['request.queryParams.nope()', /Form has no method nope/],
    ["'abc'.chars()", /java\.lang\.String has no method chars(?!.*did you mean chars\?)/],
    ['new Form().getFrist("a")', /Form has no method getFrist; did you mean getFirst\?/],
  ] as const) {
    assert.match(String(await groovyValue(source)), message)
  }
  assert.equal(await groovyValue('def m = [twice: { it * 2 }]; m.twice(4)'), 8)
  assert.match(String(await groovyValue('contexts.client.getRemoteAddress()')), /127\.0\.0\.1/)
})

test('ldap of OpenIG is rejected before the script runs, unless a script has a variable of that name', async () => {
  const rejected = /ldap is not available: scripts can not access LDAP; call a service over HTTP/
  assert.match(String(await groovyValue("false && ldap.connect('host', 389)")), rejected)
  assert.equal(await groovyValue("def ldap = 'a'; ldap.toUpperCase()"), 'A')
  assert.equal(await groovyValue('ldap.toUpperCase()', { args: { ldap: 'a' } }), 'A')
})

test('classes of other libraries are rejected with what scripts have in their place', async () => {
  for (const [source, message] of [
    [
      'import com.sun.identity.idm.AMIdentity',
      /AMIdentity is not available: classes of the access manager run only there/,
    ],
    ['import com.iplanet.sso.SSOToken', /SSOToken is not available: classes of the access manager/],
    ['import com.sun.net.httpserver.HttpServer', /HttpServer is not available: scripts can not use reflection/],
    ['import org.joda.time.DateTime', /DateTime is not available: .* use java\.time/],
    ['import org.forgerock.openig.handler.StaticResponseHandler', /new Response\(Status\.FOUND\)/],
    ['import org.forgerock.openig.filter.HeaderFilter', /declare it in the route/],
    ['import org.forgerock.openig.el.Expression', /an AssignmentFilter before the script stores their values/],
    ['import java.security.KeyStore', /keys come from a secret store: use secrets\.get\(secretId\)/],
    ["new FileInputStream('x')", /FileInputStream is not available: read a file of the instance with new File/],
    [
      'import org.forgerock.opendj.ldap.*\ntry { 1 } catch (LdapException e) { 2 }',
      /unknown class LdapException; org\.forgerock\.opendj\.ldap\.LdapException is not available: scripts can not access LDAP/,
    ],
  ] as const) {
    assert.match(String(await groovyValue(source)), message)
  }
  assert.equal(await groovyValue('import org.forgerock.opendj.ldap.*\n1'), 1, 'a package that is not used')
})
