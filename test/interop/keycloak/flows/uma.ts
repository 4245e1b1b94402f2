// Resources shared by User-Managed Access (UMA 2.0).
import assert from 'node:assert/strict'
import { managing } from '#test/management'
import { client, secretOf } from '../realm.ts'
import { chain, SECRETS, text } from '../routes.ts'
import { type Addresses, type Part, type Peers, REALM } from '../suite.ts'
import { bearer, tokenRequest, tokensOf } from '../tokens.ts'

const CLIENT = 'photos'
const PASSWORD = 'correct-horse'
const SHARES = `/api/system/objects/_router/routes/${CLIENT}/objects/umaservice/share`

/** Keycloak introspects for clients only: its requests get the credentials of one, all others keep the token of the share. */
const handler = chain(
  [
    {
      type: 'ConditionalFilter',
      config: {
        condition: "${find(request.uri.path, '/introspect$')}",
        delegate: {
          type: 'ClientSecretBasicAuthenticationFilter',
          config: { clientId: CLIENT, clientSecretId: CLIENT, secretsProvider: 'secrets' },
        },
      },
    },
  ],
  'ClientHandler',
)

const route = (at: Addresses): object => ({
  name: CLIENT,
  condition: `\${find(request.uri.path, '^/${CLIENT}/')}`,
  heap: [
    SECRETS,
    {
      name: 'UmaService',
      type: 'UmaService',
      config: {
        protectionApiHandler: 'ClientHandler',
        wellKnownEndpoint: `${at.provider}/.well-known/uma2-configuration`,
        resources: [
          {
            pattern: `/${CLIENT}/.*`,
            actions: [
              { scopes: ['view'], condition: "${request.method == 'GET'}" },
              { scopes: ['edit'], condition: "${request.method == 'PUT'}" },
            ],
          },
        ],
      },
    },
  ],
  handler: chain(
    [{ type: 'UmaFilter', config: { umaService: 'UmaService', protectionApiHandler: handler } }],
    text('a photo'),
  ),
})

/** Creates the client with authorization services, which a realm of JSON does not grant its own role. */
async function enableUma({ at, admin }: Peers): Promise<string> {
  const fields = { authorizationServicesEnabled: true }
  return (await admin.post(`/${REALM}/clients`, client(at, CLIENT, fields))) as string
}

/** Lets a user view a resource. */
async function allow({ admin }: Peers, clientId: string, resource: string, username: string): Promise<void> {
  const server = `/${REALM}/clients/${clientId}/authz/resource-server`
  const [user] = await admin.get<{ id: string }[]>(`/${REALM}/users?username=${username}&exact=true`)
  const policy = { name: `only ${username}`, users: [user?.id], logic: 'POSITIVE' }
  await admin.post(`${server}/policy/user`, policy)
  const permission = { name: 'view', resources: [resource], scopes: ['view'], policies: [policy.name] }
  await admin.post(`${server}/permission/scope`, permission)
}

/** A requesting party token for a ticket; null where Keycloak denies it. */
async function tokenFor(peers: Peers, ticket: string, username: string): Promise<string | null> {
  const { access_token: token } = await tokensOf(peers, 'caller', username)
  const answer = await fetch(`${peers.keycloak.url}/realms/${REALM}/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:uma-ticket', ticket }),
  })
  const { access_token: rpt, error } = (await answer.json()) as { access_token?: string; error?: string }
  if (rpt === undefined) assert.equal(error, 'access_denied')
  return rpt ?? null
}

export const uma: Part = {
  clients: () => [],
  routes: (at) => ({ [CLIENT]: route(at) }),
  files: () => ({ [`secrets/${CLIENT}`]: secretOf(CLIENT), 'secrets/gateway.admin.password': PASSWORD }),
  flows: [
    {
      name: 'uma: a shared resource is served to the user whom a policy allows, by ticket and requesting party token',
      run: async (peers) => {
        const { gateway } = peers
        const clientId = await enableUma(peers)
        const { access_token: pat } = await tokenRequest(peers, CLIENT, { grant_type: 'client_credentials' })
        const manage = managing(`http://127.0.0.1:${gateway.adminPort}`, {
          headers: { Authorization: `Bearer ${PASSWORD}` },
        })
        const shared = await manage('POST', `${SHARES}?_action=create`, { body: { path: `/${CLIENT}/alice/.*`, pat } })
        assert.equal(shared.status, 201, shared.text)
        await allow(peers, clientId, shared.json['resource_set_id'] as string, 'bob')

        const ticketOf = async (headers = {}) => {
          const answer = await gateway.ask(`/${CLIENT}/alice/1`, { headers })
          assert.equal(answer.status, 401)
          const challenge = answer.headers['www-authenticate'] ?? ''
          assert.match(challenge, /^UMA realm="uma", as_uri="http[^"]*\/realms\/shop", ticket="/)
          return { challenge, ticket: /ticket="([^"]+)"/.exec(challenge)?.[1] ?? '' }
        }
        const rpt = await tokenFor(peers, (await ticketOf()).ticket, 'bob')
        assert.ok(rpt !== null)
        const answer = await gateway.ask(`/${CLIENT}/alice/1`, bearer(rpt))
        assert.deepEqual([answer.status, answer.text], [200, 'a photo'])
        const changed = await gateway.ask(`/${CLIENT}/alice/1`, { method: 'PUT', ...bearer(rpt) })
        assert.equal(changed.status, 401)
        assert.match(changed.headers['www-authenticate'] ?? '', /error="insufficient_scope"/)

        assert.equal(await tokenFor(peers, (await ticketOf()).ticket, 'carol'), null)
        const { access_token: plain } = await tokensOf(peers, 'caller', 'bob')
        assert.match((await ticketOf(bearer(plain).headers)).challenge, /error="(invalid_token|insufficient_scope)"/)
        assert.equal((await gateway.ask(`/${CLIENT}/bob/1`, bearer(rpt))).status, 404)
      },
    },
  ],
}
