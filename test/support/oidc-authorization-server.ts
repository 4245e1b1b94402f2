import type { Configuration } from 'oidc-provider'
import { OidcProvider } from './oidc-provider.ts'
import { sendRequest } from './send-request.ts'

/** The client that gets tokens, and the client of the gateway. */
export const TOKEN_CLIENT = { id: 'application', secret: 'application-secret' }
export const GATEWAY_CLIENT = { id: 'gateway', secret: 'gateway-secret' }

/** An independent authorization server, on a free loopback port. */
export interface OidcAuthorizationServer extends AsyncDisposable {
  readonly issuer: string
  readonly introspectionEndpoint: string
  readonly jwkUrl: string
  /** Number of introspections of known tokens. */
  readonly introspections: number
  /** A token by client credentials; one for a resource is a JSON Web Token. */
  token(scope: string, resource?: string): Promise<string>
  revoke(token: string): Promise<void>
}

const configuration = (counted: () => boolean): Configuration => ({
  clients: [
    {
      client_id: TOKEN_CLIENT.id,
      client_secret: TOKEN_CLIENT.secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
    {
      client_id: GATEWAY_CLIENT.id,
      client_secret: GATEWAY_CLIENT.secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  scopes: ['read', 'write'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: counted },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({ scope: 'read write', audience: resource, accessTokenFormat: 'jwt' }),
    },
  },
})

/** Opens the server. */
export async function oidcAuthorizationServer(): Promise<OidcAuthorizationServer> {
  let introspections = 0
  const counted = () => {
    introspections++
    return true
  }
  const opened = await OidcProvider.start(() => configuration(counted))
  const { url: issuer } = opened
  const post = async (path: string, fields: Record<string, string>) => {
    const { id, secret } = TOKEN_CLIENT
    const answered = await sendRequest(`${issuer}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(fields).toString(),
    })
    if (answered.status !== 200) throw new Error(`${path}: ${answered.status} ${answered.text}`)
    return answered.text
  }
  return {
    issuer,
    introspectionEndpoint: `${issuer}/token/introspection`,
    jwkUrl: `${issuer}/jwks`,
    get introspections() {
      return introspections
    },
    async token(scope, resource) {
      const fields = { grant_type: 'client_credentials', scope, ...(resource !== undefined && { resource }) }
      return (JSON.parse(await post('/token', fields)) as { access_token: string }).access_token
    },
    async revoke(token) {
      await post('/token/revocation', { token })
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
