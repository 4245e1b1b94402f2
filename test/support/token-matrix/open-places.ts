// A gateway with every place that judges tokens, and the servers and keys that it needs.
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { DevelopmentAccessManager } from '#dev'
import { RunningGateway } from '../gateway.ts'
import { managing } from '../management.ts'
import type { Purpose } from './kinds.ts'
import { loginPlaces } from './login-places.ts'
import type { Place, Surroundings } from './place.ts'
import { requestPlaces } from './request-places.ts'
import { routesAt } from './routes.ts'
import type { SigningKeys } from './specimen.ts'
import { tokenServer } from './token-server.ts'

const AGENT = 'ig_agent'
const PASSWORD = 'correct-horse'
const RESOURCE = 'photos'
const SHARES = '/api/system/objects/_router/routes/uma/objects/uma/share'

export interface OpenPlaces extends AsyncDisposable {
  readonly places: readonly Place[]
  readonly keys: SigningKeys
  /** A JWK of the stranger, as JSON text. */
  readonly strangerKey: string
  /** A purpose at places that have no other. */
  readonly purpose: () => Purpose
}

export async function openPlaces(): Promise<OpenPlaces> {
  await using owned = new AsyncDisposableStack()
  const [issuer, stranger, client] = [pair(), pair(), pair()]
  const published = { ...issuer.jwk, kid: 'issuer', alg: 'ES256', use: 'sig' }
  const server = owned.use(await tokenServer(published, { resourceId: RESOURCE }))
  const manager = owned.use(
    await DevelopmentAccessManager.start({ agents: [{ name: AGENT, password: 'password', redirectUris: [] }] }),
  )
  const { crv, kty, x, y } = client.jwk
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  const gateway = owned.use(
    await RunningGateway.start({
      files: { 'secrets/gateway.admin.password': PASSWORD },
      routes: routesAt({ server: server.url, accessManager: manager.url, agent: AGENT, thumbprint }),
    }),
  )
  const manage = managing(gateway.adminUrl, { headers: { Authorization: `Bearer ${PASSWORD}` } })
  const shared = await manage('POST', `${SHARES}?_action=create`, { body: { path: '/uma', pat: 'protection' } })
  if (shared.status !== 201)
    throw new Error(`no share: ${shared.status} ${shared.text} ${gateway.problems('uma.json')}`)
  const metadata = await fetch(`${manager.url}/oauth2/.well-known/openid-configuration`)
  const { issuer: agentIssuer } = (await metadata.json()) as { issuer: string }

  const proof = (path: string, token: string, nonce: string | null) => ({
    jti: JSON.stringify(randomUUID()),
    htm: '"GET"',
    htu: JSON.stringify(gateway.url + path),
    iat: String(Math.floor(Date.now() / 1_000)),
    ath: JSON.stringify(createHash('sha256').update(token).digest('base64url')),
    ...(nonce !== null && { nonce: JSON.stringify(nonce) }),
  })
  const keysOf = (own: ReturnType<typeof pair>): SigningKeys => ({
    own: own.privateKey,
    other: stranger.privateKey,
    published: own.publicKey.export({ format: 'pem', type: 'spki' }) as string,
  })
  const surroundings: Surroundings = {
    gateway,
    server,
    keys: keysOf(issuer),
    clientKeys: keysOf(client),
    agentPurpose: { issuer: agentIssuer, audience: AGENT },
    proof,
    resourceId: RESOURCE,
  }
  const purpose = (): Purpose => ({
    issuer: server.url,
    audience: 'shop',
    nonce: 'nonce',
    state: 'state',
    now: Math.floor(Date.now() / 1_000),
    proof: proof('/', 'access', null),
    proofKey: JSON.stringify(client.jwk),
  })
  const ended = owned.move()
  return {
    places: [...requestPlaces(surroundings), ...loginPlaces(surroundings)],
    keys: keysOf(issuer),
    strangerKey: JSON.stringify(stranger.jwk),
    purpose,
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  }
}

function pair() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, publicKey, jwk: publicKey.export({ format: 'jwk' }) }
}
