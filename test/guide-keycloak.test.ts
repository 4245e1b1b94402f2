// The commands of the guide to Keycloak, against a server with the observed behaviour of Keycloak's admin REST API.
// `npm run interop -- keycloak guide` runs them, and the routes of the guide, against the real one.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Folder } from '#test/folder'
import { guideScript } from '#test/guide'
import { httpUpstream } from '#test/upstream'

const curlMissing = spawnSync('curl', ['--version']).status !== 0 && 'there is no curl here'
const opensslMissing = spawnSync('openssl', ['version']).status !== 0 && 'there is no openssl here'

interface Created {
  readonly path: string
  readonly body: { clientId?: string; secret?: string; protocolMapper?: string }
}

test('every command of the guide to Keycloak succeeds', { skip: curlMissing || opensslMissing }, async () => {
  const created: Created[] = []
  await using keycloak = await httpUpstream(async (request, response) => {
    const { method, url = '', headers } = request
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    if (url === '/realms/master/protocol/openid-connect/token') {
      const isAdmin = new URLSearchParams(text).get('password') === 'of the admin'
      return void response.writeHead(isAdmin ? 200 : 401).end('{"access_token":"token","expires_in":60}')
    }
    if (headers.authorization !== 'Bearer token') return void response.writeHead(401).end()
    if (method === 'GET') return void response.end('[{"id":"id-of-portal","clientId":"portal"}]')
    created.push({ path: url, body: JSON.parse(text) as Created['body'] })
    response.writeHead(201, { location: `${url}/new` }).end()
  })
  using folder = new Folder()
  const script = guideScript('keycloak', {
    'https://sso.example.com': keycloak.url,
    'my-gateway/': `${folder.path}/`,
  })
  const env = { ...process.env, KEYCLOAK_ADMIN_PASSWORD: 'of the admin' }
  await promisify(execFile)('sh', ['-e', '-c', script], { env })
  const clients = created.filter(({ path }) => path === '/admin/realms/shop/clients').map(({ body }) => body)
  assert.deepEqual(
    clients.map(({ clientId, secret }) => [clientId, secret]),
    ['portal', 'stock'].map((name) => [name, folder.read(`secrets/${name}.secret`)]),
  )
  assert.deepEqual(
    created.filter(({ body }) => body.protocolMapper !== undefined).map(({ path }) => path),
    ['/admin/realms/shop/clients/id-of-portal/protocol-mappers/models'],
  )
})
