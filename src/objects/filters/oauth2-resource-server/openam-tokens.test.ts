// Tokens of an access manager that does not notify of revocations, as OpenAM.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DevelopmentAccessManager } from '#dev'
import type { JsonObject } from '#json'
import { amServiceConfig } from '#test/am-service'
import { type ProtectedResource, protectedResource } from '#test/protected-resource'
import { OpenAmAccessTokenResolver } from '../../resolvers/open-am/open-am-access-token-resolver.ts'

const SECRETS = {
  name: 'secrets',
  type: 'Base64EncodedSecretStore',
  config: { secrets: { 'agent.password': btoa('password'), 'client.password': btoa('password') } },
}
/** OpenAM introspects a token only for the client that it was issued to. */
const AS_CLIENT = {
  type: 'Chain',
  config: {
    filters: [
      {
        type: 'HttpBasicAuthenticationClientFilter',
        config: { username: 'client-application', passwordSecretId: 'client.password', secretsProvider: 'secrets' },
      },
    ],
    handler: 'ForgeRockClientHandler',
  },
}
const RESOLVER = {
  type: 'TokenIntrospectionAccessTokenResolver',
  config: { amService: 'am', providerHandler: AS_CLIENT },
}

function resource(
  manager: DevelopmentAccessManager,
  config: JsonObject,
  service: JsonObject = {},
): Promise<ProtectedResource> {
  const am = { name: 'am', type: 'AmService', config: amServiceConfig(manager.url, service) }
  return protectedResource({ accessTokenResolver: RESOLVER, ...config }, [SECRETS, am], [OpenAmAccessTokenResolver])
}

/** The status of a request with a token that was revoked `milliseconds` ago, after its first use. */
async function statusAfter(config: JsonObject, milliseconds: number): Promise<number> {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using pages = await resource(manager, config)
  const token = await manager.issueToken()
  assert.equal(await pages.status(token), 200)
  manager.revoke(token)
  pages.clock.advance(milliseconds)
  return pages.status(token)
}

test('OpenAM does not notify of revoked tokens: one is accepted for a minute at most, although it expires in an hour', async () => {
  const cache = { enabled: true, amService: 'am' }
  assert.equal(await statusAfter({ cache }, 59_999), 200)
  assert.equal(await statusAfter({ cache }, 60_000), 401)
  assert.equal(await statusAfter({ cache: { ...cache, defaultTimeout: '10 s' } }, 10_000), 401)
  assert.equal(await statusAfter({ cache: { ...cache, maxTimeout: '2 minutes' } }, 119_999), 200)
  assert.equal(await statusAfter({ cache: { ...cache, maxTimeout: '2 minutes' } }, 120_000), 401)
})

test('a cache without amService uses that of its resolver', async () => {
  assert.equal(await statusAfter({ cache: { enabled: true } }, 60_000), 401)
  const accessTokenResolver = { type: 'CacheAccessTokenResolver', config: { delegate: RESOLVER } }
  assert.equal(await statusAfter({ accessTokenResolver }, 60_000), 401)
})

test('the time for which a revoked token is accepted is logged once; more than 5 minutes give a warning at load', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  await using pages = await resource(manager, { cache: { enabled: true, amService: 'am' } })
  await pages.status(await manager.issueToken())
  await pages.status(await manager.issueToken())
  const said = pages.built.log.lines.filter((line) => line.includes('does not notify of every revoked token'))
  assert.equal(said.length, 1)
  assert.match(said[0] ?? '', /"seconds":60/)
  assert.deepEqual(pages.built.warnings, [])
  await using long = await resource(manager, { cache: { enabled: true, amService: 'am', maxTimeout: '1 hour' } })
  assert.match(long.built.warnings.join('\n'), /maxTimeout: revoked tokens are accepted for up to 3600 seconds/)
})

test('a token of another realm is rejected where the response has its realm: introspection of PingAM, tokeninfo', async () => {
  const clients = ['/', '/alpha'].map((realm) => ({ id: 'client-application', secret: 'password', realm }))
  const agents = [{ name: 'ig_agent', password: 'password', introspection: 'realm-and-subrealms' as const }]
  const tokenInfo = { type: 'OpenAmAccessTokenResolver', config: { amService: 'am' } }
  const asAgent = {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { amService: 'am', providerHandler: 'asAgent' },
  }
  for (const [family, accessTokenResolver] of [
    ['openam', tokenInfo],
    ['pingam', asAgent],
  ] as const) {
    await using manager = await DevelopmentAccessManager.start({ family, clients, agents })
    await using pages = await resource(manager, { accessTokenResolver })
    assert.equal(await pages.status(await manager.issueToken()), 200)
    const foreign = await manager.issueToken({ realm: '/alpha' })
    const { status, challenges } = await pages.ask(`Bearer ${foreign}`)
    assert.equal(status, 401)
    assert.match(challenges.join(), /error="invalid_token".*another realm/)
    await using shared = await resource(manager, { accessTokenResolver }, { sharedRealms: ['/alpha'] })
    assert.equal(await shared.status(foreign), 200)
  }
})

test('a signed token of OpenAM: scopes are one text, and it expires at exp', async () => {
  const clients = [{ id: 'client-application', secret: 'password', scopes: ['mail'], tokenFormat: 'jwt' as const }]
  await using manager = await DevelopmentAccessManager.start({ family: 'openam', clients })
  const accessTokenResolver = { type: 'OpenAmAccessTokenResolver', config: { amService: 'am' } }
  await using pages = await resource(manager, { accessTokenResolver, scopes: ['mail'] })
  const token = await manager.issueToken({ scopes: ['mail'], lifetime: 60_000 })
  assert.equal(await pages.status(token), 200)
  pages.clock.advance(61_000)
  assert.equal(await pages.status(token), 401)
  await using others = await resource(manager, { accessTokenResolver, scopes: ['profile'] })
  assert.equal(await others.status(token), 403)
})

test('introspection by the agent at OpenAM: no token is active, and the reason is logged until one is', async () => {
  await using manager = await DevelopmentAccessManager.start({ family: 'openam' })
  const accessTokenResolver = {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { amService: 'am', providerHandler: 'asAgent' },
  }
  await using asAgent = await resource(manager, { accessTokenResolver })
  const token = await manager.issueToken()
  const warned = ({ built }: ProtectedResource) =>
    built.log.lines.filter((line) =>
      line.includes('no access token has been active so far: OpenAM answers introspection only for the client'),
    )
  for (let at = 0; at < 3; at++) assert.equal(await asAgent.status(token), 401)
  assert.equal(warned(asAgent).length, 1)
  await using asClient = await resource(manager, {})
  assert.equal(await asClient.status(token), 200)
  assert.equal(await asClient.status('unknown'), 401)
  assert.equal(warned(asClient).length, 0)
})
