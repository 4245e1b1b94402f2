// Shares of UMA: created in the management API, used by all units, kept by reloads of their route.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { managing } from '#test/management'
import { umaServer } from '#test/uma-server'

const PAT = 'token-of-the-resource-owner'
const PASSWORD = 'correct-horse'
const SHARES = '/api/system/objects/_router/routes/photos/objects/umaservice/share'

test('shares are created, queried and deleted in the management API, and every unit protects them', async () => {
  await using server = await umaServer()
  const handler = { type: 'ClientHandler' }
  const route = (entity: string) => ({
    heap: [
      {
        name: 'UmaService',
        type: 'UmaService',
        config: {
          protectionApiHandler: handler,
          wellKnownEndpoint: server.wellKnown,
          resources: [{ pattern: '/.*', actions: [{ scopes: ['view'], condition: "${request.method == 'GET'}" }] }],
        },
      },
    ],
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'UmaFilter', config: { umaService: 'UmaService', protectionApiHandler: handler } }],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
      },
    },
  })
  await using gateway = await RunningGateway.start({
    units: 2,
    files: { 'secrets/gateway.admin.password': PASSWORD },
    routes: { photos: route('first') },
  })
  const manage = managing(gateway.adminUrl, { headers: { Authorization: `Bearer ${PASSWORD}` } })
  const created = await manage('POST', `${SHARES}?_action=create`, { body: { path: '/photos/.*', pat: PAT } })
  assert.equal(created.status, 201, created.text)
  const { _id: id, resource_set_id: resource } = created.json
  const all = await manage('GET', `${SHARES}?_queryFilter=true`)
  assert.deepEqual([all.json['resultCount'], all.text.includes(PAT)], [1, false])

  server.tokens.set('rpt', {
    active: true,
    permissions: [{ resource_id: resource as string, resource_scopes: ['view'] }],
  })
  const ask = (token: string) => gateway.ask('/photos/1', { headers: { Authorization: `Bearer ${token}` } })
  for (let time = 0; time < 8; time++)
    assert.deepEqual([(await ask('rpt')).status, (await ask('other')).status], [200, 401])

  const changed = await manage('PUT', '/api/system/objects/_router/routes/photos', {
    body: { name: 'photos', ...route('second') },
    headers: { 'If-Match': '*' },
  })
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await ask('rpt')).text, 'second')

  assert.equal((await manage('DELETE', `${SHARES}/${id}`)).status, 200)
  for (let time = 0; time < 8; time++) assert.equal((await ask('rpt')).status, 404)
  assert.equal((await manage('GET', `${SHARES}/${id}`)).status, 404)
  const unknown = await manage('GET', `${SHARES.replace('umaservice', 'other')}?_queryFilter=true`)
  assert.deepEqual([unknown.status, /no UmaService of this name/.test(unknown.text)], [404, true])
  assert.ok(!gateway.log.lines.join('').includes(PAT))
})
