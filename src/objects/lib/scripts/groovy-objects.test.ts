// Every scriptable object type supports Groovy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  AccessTokenResolver,
  JwtValidatorCustomizer,
  ResourceAccess,
  ResourceUriProvider,
  ThrottlingPolicy,
} from '#contracts'
import { type Filter, type Handler, respond } from '#http'
import type { JsonObject } from '#json'
import type { TypeDefinition } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { ScriptableResourceAccess } from '../../access/scriptable/scriptable-resource-access.ts'
import { ScriptableJwtValidatorCustomizer } from '../../customizers/scriptable-jwt-validator/scriptable-jwt-validator-customizer.ts'
import { ScriptableFilter } from '../../filters/scriptable/scriptable-filter.ts'
import { ScriptableHandler } from '../../handlers/scriptable/scriptable-handler.ts'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScriptableAccessTokenResolver } from '../../resolvers/scriptable/scriptable-access-token-resolver.ts'
import { ScriptableResourceUriProvider } from '../../resource-uris/scriptable/scriptable-resource-uri-provider.ts'
import { ScriptableThrottlingPolicy } from '../../throttling/scriptable/scriptable-throttling-policy.ts'

const heap = [{ name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } }]
const exchange = () => exchangeFor('GET', 'http://app.example.com/a?x=1', { headers: { 'X-User': 'u' } })

/** The result of an object with a script; problems at load as text. */
async function withScript<T, R>(
  type: TypeDefinition,
  source: string,
  use: (object: T) => Promise<R> | R,
  args: JsonObject = {},
): Promise<R> {
  const config = { type: 'application/x-groovy', source, args }
  await using built = await build<T>(type, config, { types: [StaticResponseHandler], heap })
  return await use(built.object)
}

test('ScriptableHandler', async () => {
  const source = `
    def answer = http.send(new Request().setUri('http://x.example.com/')).get()
    def r = new Response(Status.OK)
    r.entity = [user: request.headers.getFirst('X-User'), client: answer.status.code, greeting: greeting]
    r`
  const text = await withScript<Handler, string>(
    ScriptableHandler,
    source,
    async (handle) => (await handle(exchange())).body.text(),
    { greeting: 'hi' },
  )
  assert.equal(text, '{"user":"u","client":202,"greeting":"hi"}')
})

test('ScriptableFilter', async () => {
  const source = 'next.handle(context, request).thenOnResult { response -> response.headers["X-A"] = "b" }'
  const value = await withScript<Filter, string | null>(ScriptableFilter, source, async (filter) =>
    (await filter(exchange(), async () => respond(200))).headers.get('x-a'),
  )
  assert.equal(value, 'b')
})

test('ScriptableAccessTokenResolver', async () => {
  const source = `
    import org.forgerock.http.oauth2.AccessTokenInfo
    import org.forgerock.json.JsonValue
    token == 'bad' ? null : new AccessTokenInfo(new JsonValue([sub: 'u-' + token]), token, ['read'] as Set, 4102444800000L)`
  const resolutions = await withScript<AccessTokenResolver, unknown[]>(
    ScriptableAccessTokenResolver,
    source,
    async (resolver) => [await resolver.resolve('t', exchange()), (await resolver.resolve('bad', exchange())).outcome],
  )
  assert.equal(
    JSON.stringify(resolutions, (_key, value: unknown) => (value instanceof Set ? [...value] : value)),
    '[{"outcome":"valid","accessToken":{"token":"t","info":{"sub":"u-t","scope":"read","exp":4102444800},"scopes":["read"],"expiresAt":4102444800000}},"invalid"]',
  )
})

test('ScriptableResourceAccess', async () => {
  const source = 'request.method == "GET" ? ["read"] as Set : ["write"] as Set'
  const scopes = await withScript<ResourceAccess, unknown>(ScriptableResourceAccess, source, (access) =>
    access.requiredScopes(exchange()),
  )
  assert.deepEqual(scopes, new Set(['read']))
})

test('ScriptableResourceUriProvider', async () => {
  const uri = await withScript<ResourceUriProvider, string>(
    ScriptableResourceUriProvider,
    '"https://r.example.com${request.uri.path}"',
    async (provider) => provider.resourceUri(exchange()),
  )
  assert.equal(uri, 'https://r.example.com/a')
})

test('ScriptableThrottlingPolicy', async () => {
  const source = `
    import org.forgerock.openig.filter.throttling.ThrottlingRate
    if (contexts.client.remoteAddress == '127.0.0.1') return new ThrottlingRate(7, '5 seconds')
    null`
  const rate = await withScript<ThrottlingPolicy, unknown>(ScriptableThrottlingPolicy, source, (policy) =>
    policy.rateFor(exchange()),
  )
  assert.deepEqual(rate, { numberOfRequests: 7, duration: 5_000 })
})

/** The violations that a customizer reports. */
const violations = (source: string, claims: JsonObject): Promise<readonly string[]> =>
  withScript<JwtValidatorCustomizer, readonly string[]>(ScriptableJwtValidatorCustomizer, source, (customizer) =>
    customizer.violations(claims, exchange()),
  )

test('ScriptableJwtValidatorCustomizer: constraints of a builder', async () => {
  const level = "builder.claim('level', JsonValue::asInteger, isGreaterThan(5))"
  assert.deepEqual(await violations(level, { level: 6 }), [])
  assert.deepEqual(await violations(level, { level: 5 }), ['the claim level is not greater than 5'])
  assert.deepEqual(await violations(level, {}), ['the claim level is missing'])
  const several = `
    builder.claim('aud', listOf(JsonValue::asString), contains('my app'))
           .claim('iat', instant(), isInThePast())
           .claim('exp', instant(), isInTheFuture())
           .claim('iss', JsonValue::asString, isEqualTo('https://am.example.com'))
           .claim('/val1', JsonValue::asInteger, isGreaterThan(claim('/val2').asInteger()))
           .claim('sub', JsonValue::asString, find(~/^u/))`
  const good = {
    aud: ['my app', 'x'],
    iat: 1,
    exp: 99_999_999_999,
    iss: 'https://am.example.com',
    val1: 2,
    val2: 1,
    sub: 'u1',
  }
  assert.deepEqual(await violations(several, good), [])
  assert.deepEqual(
    await violations(several, { ...good, aud: ['y'], iat: 99_999_999_999, exp: 1, iss: 'z', val1: 0, sub: 'v' }),
    [
      'the claim aud does not contain my app',
      'the claim iat is not in the past',
      'the claim exp is not in the future',
      'the claim iss is not https://am.example.com',
      'the claim /val1 is not greater than 1',
      'the claim sub does not match its pattern',
    ],
  )
})

test('ScriptableJwtValidatorCustomizer: violations returned by the script', async () => {
  assert.deepEqual(await violations('true', {}), [])
  assert.deepEqual(await violations('["not so"]', {}), ['not so'])
  await assert.rejects(violations('null', {}), /expected the script to return true, false, or an array/)
})

test('problems of a script are reported at load, each with its position', async () => {
  const source = ['import com.nimbusds.jwt.SignedJWT', 'request.getFoo()', 'new File("/etc/passwd").delete()'].join(
    '\n',
  )
  const config = { type: 'application/x-groovy', source }
  await assert.rejects(build(ScriptableHandler, config, { types: [StaticResponseHandler], heap }), (error: Error) => {
    const text = JSON.stringify((error as unknown as { problems: unknown }).problems)
    assert.match(
      text,
      /line 1, column 1: com\.nimbusds\.jwt\.SignedJWT is not available: use SigningManager and JwtBuilderFactory/,
    )
    assert.match(text, /line 2, column 9: org\.forgerock\.http\.protocol\.Request has no method getFoo/)
    assert.match(text, /line 3, column 25: java\.io\.File has no method delete/)
    return true
  })
})

test('names that neither a script nor its object declares are warnings at load, with the place', async () => {
  const warnings = async (config: object): Promise<readonly string[]> => {
    const options = { types: [StaticResponseHandler], heap, properties: { realm: '/' } }
    await using built = await build(ScriptableHandler, { type: 'application/x-groovy', ...config }, options)
    return built.warnings.map((text) => text.replace(/(?:: a request|; did).*$/, ''))
  }
  const source = ['def user = args.user', 'new Response(Status.OK).setEntity(usr + realm + title)']
  assert.deepEqual(await warnings({ source, args: { title: 'a', user: 'b' } }), [
    '/heap/0/config/source/1: line 2, column 35: usr is neither declared in the script nor a binding or argument of it',
  ])
  assert.deepEqual(await warnings({ source, args: { title: 'a', usr: 'b' } }), [])
})
