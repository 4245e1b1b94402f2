import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Flow } from '../../flows.ts'
import type { Peers } from '../peers.ts'
import { CLIENT, USER } from '../set-up.ts'

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** OpenAM responds 400 `server_error` to the introspection of a signed token of another realm; clients get 400. */
const REFUSED = 400

export const tokenFlows: readonly Flow<Peers>[] = [
  {
    name: 'tokens: OpenAmAccessTokenResolver accepts opaque tokens and signed ones, each of its own realm',
    async run(peers) {
      const [opaque, signed] = await tokensOfBothRealms(peers)
      assert.deepEqual(
        await statuses(peers, ['token-info', 'token-info-alpha'], { opaque, signed }),
        {
          'token-info opaque': 200,
          'token-info signed': REFUSED,
          'token-info-alpha opaque': 401,
          'token-info-alpha signed': 200,
        },
        'statuses',
      )
    },
  },
  {
    name: 'tokens: introspection by the client that a token was issued to; to another client it is inactive',
    async run(peers) {
      const [opaque, signed] = await tokensOfBothRealms(peers)
      const resolvers = ['introspection', 'introspection-alpha', 'introspection-stranger']
      assert.deepEqual(
        await statuses(peers, resolvers, { opaque, signed }),
        {
          'introspection opaque': 200,
          'introspection signed': REFUSED,
          'introspection-alpha opaque': 401,
          'introspection-alpha signed': 200,
          'introspection-stranger opaque': 401,
          'introspection-stranger signed': REFUSED,
        },
        'statuses',
      )
    },
  },
  {
    name: 'tokens: introspection by an agent returns inactive, which is logged',
    async run(peers) {
      const { access_token: opaque } = await tokens(peers, '/')
      assert.deepEqual(Object.values(await statuses(peers, ['introspection-agent'], { opaque })), [401], 'statuses')
      const line = await peers.gateway.log.until(/"level":"warn".*introspection-agent/)
      assert.match(String(line['message']), /agent/, 'log')
      return String(line['message'])
    },
  },
  {
    name: 'tokens: StatelessAccessTokenResolver verifies signed ones by the keys of the realm, and rejects others',
    async run(peers) {
      const [opaque, signed, refresh] = await tokensOfBothRealms(peers)
      assert.deepEqual(
        await statuses(peers, ['signature'], { opaque, signed, refresh }),
        {
          'signature opaque': 401,
          'signature signed': 200,
          'signature refresh': 401,
        },
        'statuses',
      )
    },
  },
  {
    name: 'tokens: a refresh token is no access token, and a missing scope is 403',
    async run(peers) {
      const { refresh_token: refresh } = await tokens(peers, '/')
      const { access_token: narrow } = await tokens(peers, '/', 'profile')
      assert.deepEqual(
        await statuses(peers, ['token-info', 'introspection'], { refresh, narrow }),
        {
          'token-info refresh': 401,
          'token-info narrow': 403,
          'introspection refresh': 401,
          'introspection narrow': 403,
        },
        'statuses',
      )
    },
  },
  {
    name: 'tokens: a revoked one is rejected after its TTL (3 s): OpenAM sends no notification',
    async run(peers) {
      const { access_token: revoked } = await tokens(peers, '/')
      const resolvers = ['token-info', 'introspection']
      assert.deepEqual(Object.values(await statuses(peers, resolvers, { revoked })), [200, 200], 'before')
      await oauth2(peers, '/', 'token/revoke', { token: revoked })
      await pause(3_500)
      assert.deepEqual(Object.values(await statuses(peers, resolvers, { revoked })), [401, 401], 'after')
    },
  },
]

async function tokensOfBothRealms(peers: Peers): Promise<[opaque: string, signed: string, refresh: string]> {
  const [root, alpha] = [await tokens(peers, '/'), await tokens(peers, '/alpha')]
  return [root.access_token, alpha.access_token, alpha.refresh_token]
}

function tokens(peers: Peers, realm: string, scope = 'mail'): Promise<Tokens> {
  const grant = { grant_type: 'password', username: USER.name, password: USER.password, scope }
  return oauth2(peers, realm, 'access_token', grant) as Promise<Tokens>
}

async function oauth2({ openam }: Peers, realm: string, path: string, form: Record<string, string>): Promise<unknown> {
  const base = realm === '/' ? `${openam.url}/oauth2` : `${openam.url}/oauth2/realms/root/realms${realm}`
  const answer = await fetch(`${base}/${path}`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}` },
    body: new URLSearchParams(form),
  })
  if (!answer.ok) throw new Error(`${path} in ${realm}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Statuses of routes for tokens, by `route token`. */
async function statuses(
  { ask }: Peers,
  routes: readonly string[],
  tokensByName: Readonly<Record<string, string>>,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const route of routes) {
    for (const [name, token] of Object.entries(tokensByName)) {
      const { status } = await ask(`/${route}/page`, null, { headers: { Authorization: `Bearer ${token}` } })
      found[`${route} ${name}`] = status
    }
  }
  return found
}
