import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UmaService as UmaServiceContract } from '#contracts'
import { DevelopmentAccessManager } from '#dev'
import type { JsonObject } from '#json'
import type { ObjectOperation } from '#schema'
import { accessManagerOptions } from '#test/am-service'
import { build } from '#test/build'
import { type UmaServer, umaServer } from '#test/uma-server'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { UmaService } from './uma-service.ts'

const PAT = 'protection-api-token'

async function withService(server: UmaServer, config: JsonObject = {}) {
  const given = {
    protectionApiHandler: { type: 'ClientHandler' },
    wellKnownEndpoint: server.wellKnown,
    resources: [
      {
        pattern: '/photos/.*',
        actions: [
          { scopes: ['view'], condition: '${true}' },
          { scopes: ['view', 'edit'], condition: '${false}' },
        ],
      },
    ],
    ...config,
  }
  const built = await build<UmaServiceContract>(UmaService, given as JsonObject, { types: [ClientHandler] })
  return {
    built,
    async shares(operation: ObjectOperation) {
      const endpoint = built.endpoints.get('share')
      assert.ok(endpoint !== undefined)
      return endpoint(operation)
    },
    [Symbol.asyncDispose]: () => built[Symbol.asyncDispose](),
  }
}

test('a share is registered with all scopes of its resource, and its token is never shown', async () => {
  await using server = await umaServer()
  await using service = await withService(server)
  const created = await service.shares({ verb: 'create', content: { path: '/photos/alice/.*', pat: PAT } })
  assert.ok('resources' in created)
  const [share] = created.resources
  const [id = '', registered = {}] = [...server.resources][0] ?? []
  assert.deepEqual(share?.content, {
    id: share?.id,
    path: '/photos/alice/.*',
    resource_set_id: id,
    user_access_policy_uri: `${server.url}/policies/${id}`,
  })
  assert.deepEqual(registered['resource_scopes'], ['view', 'edit'])
  assert.match(String(registered['name']), /^\/photos\/alice\/\.\* @ \d+$/)
  assert.equal(server.calls[0]?.authorization, `Bearer ${PAT}`)
  assert.deepEqual(await service.shares({ verb: 'list' }), { resources: [share] })
  const found = await service.built.object.findShare('/photos/alice/1')
  assert.deepEqual([found?.resourceId, JSON.stringify(found).includes(PAT)], [id, false])
  assert.ok(!service.built.log.lines.join('').includes(PAT))
})

for (const [name, content, status] of [
  ['no path', { pat: PAT }, 400],
  ['an empty path', { path: '', pat: PAT }, 400],
  ['a path of no resource', { path: '/videos/.*', pat: PAT }, 400],
  ['an invalid pattern', { path: '/photos/(', pat: PAT }, 400],
  ['no token', { path: '/photos/.*' }, 400],
  ['a token that is no header value', { path: '/photos/.*', pat: 'a\r\nb' }, 400],
  ['a path that is shared already', { path: '/photos/shared', pat: PAT }, 409],
] as const) {
  test(`a share is refused: ${name}`, async () => {
    await using server = await umaServer()
    await using service = await withService(server)
    await service.shares({ verb: 'create', content: { path: '/photos/shared', pat: PAT } })
    const result = await service.shares({ verb: 'create', content })
    assert.deepEqual('refused' in result && result.refused.status, status, JSON.stringify(result))
    assert.equal(server.resources.size, 1)
  })
}

test('a path is shared once, also by concurrent callers', async () => {
  await using server = await umaServer()
  await using service = await withService(server)
  const content = { path: '/photos/.*', pat: PAT }
  const results = await Promise.all([1, 2, 3].map(() => service.shares({ verb: 'create', content })))
  assert.deepEqual(
    results.map((result) => ('refused' in result ? result.refused.status : 201)),
    [201, 409, 409],
  )
})

test('a share that the server does not register is 502 and does not exist', async () => {
  await using server = await umaServer()
  await using service = await withService(server)
  for (const fault of [
    { status: 403, content: { error: 'insufficient_scope' } },
    { status: 201, content: {} },
    { status: 201, content: 'no object' },
  ]) {
    server.fault = fault
    const result = await service.shares({ verb: 'create', content: { path: '/photos/.*', pat: PAT } })
    assert.deepEqual('refused' in result && result.refused.status, 502, JSON.stringify(fault))
  }
  assert.deepEqual(await service.shares({ verb: 'list' }), { resources: [] })
})

test('a pattern that takes too many steps matches no path, and other shares still do', async () => {
  await using server = await umaServer()
  await using service = await withService(server)
  await service.shares({ verb: 'create', content: { path: '/photos/(?=(a+)+$)((a|aa)+)+\\2b', pat: PAT } })
  await service.shares({ verb: 'create', content: { path: '/photos/.*', pat: PAT } })
  assert.equal((await service.built.object.findShare(`/photos/${'a'.repeat(2_000)}!`))?.path, '/photos/.*')
})

test('the access manager of amService is the authorization server, in its realm', async () => {
  await using manager = await DevelopmentAccessManager.start()
  const options = accessManagerOptions(manager.url, { realm: '/alpha', notifications: { enabled: false } })
  const config = { protectionApiHandler: { type: 'ClientHandler' }, amService: 'am', resources: [{ pattern: '.*' }] }
  await using built = await build<UmaServiceContract>(UmaService, config, {
    ...options,
    types: [...(options.types ?? []), ClientHandler],
  })
  const wanted = /\/uma\/realms\/root\/realms\/alpha\/\.well-known\/uma2-configuration can not be read/
  await assert.rejects(built.object.endpoints(), wanted)
})

for (const [name, config, message] of [
  ['no authorization server', { wellKnownEndpoint: null }, /at least one of amService/],
  ['UMA 1.0 without a client', { wellKnownEndpoint: null, authorizationServerUri: 'http://am' }, /clientId/],
  ['no resources', { resources: [] }, /resources/],
  ['an invalid pattern', { resources: [{ pattern: '(' }] }, /resources\/0\/pattern.*regular expression/],
] as const) {
  test(`refused: ${name}`, async () => {
    await using server = await umaServer()
    await assert.rejects(withService(server, config as unknown as JsonObject), (error: { problems?: object[] }) => {
      assert.match(JSON.stringify(error.problems), message)
      return true
    })
  })
}
