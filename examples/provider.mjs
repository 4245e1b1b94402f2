// An OpenID provider for the examples: users log in with any name and password. `node examples/provider.mjs [PORT] [GATEWAY]`
// The address of the gateway is that of the redirect URIs of its client.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const [port = '9000', gateway = 'http://localhost:8080'] = process.argv.slice(2)
const server = createServer()
server.listen(Number(port), '127.0.0.1', () => {
  const issuer = `http://localhost:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'portal',
        client_secret: 'portal-secret',
        redirect_uris: [`${gateway}/portal/login/callback`],
        post_logout_redirect_uris: [`${gateway}/portal/`],
      },
      {
        client_id: 'reports',
        client_secret: 'reports-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    scopes: ['openid', 'profile', 'read', 'write'],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: `User ${id}` }) }),
    cookies: { keys: ['of the examples'] },
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        // Access tokens for an API are JSON Web Tokens.
        getResourceServerInfo: (_, audience) => ({ scope: 'read write', audience, accessTokenFormat: 'jwt' }),
      },
    },
  })
  server.on('request', provider.callback())
  console.log(`provider on ${issuer}`)
})
