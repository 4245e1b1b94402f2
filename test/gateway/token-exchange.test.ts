// OAuth2TokenExchangeFilter in a whole gateway, with its context in expressions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { type TokenResponse, tokenEndpoint } from '#test/token-endpoint'

const ISSUED = {
  access_token: 'new-token',
  token_type: 'Bearer',
  issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  scope: 'read write',
}

const say = (status: number, entity: string) => ({
  type: 'StaticResponseHandler',
  config: { status, headers: { 'Content-Type': ['text/plain; charset=UTF-8'] }, entity },
})

function route(endpoint: string) {
  return {
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'OAuth2TokenExchangeFilter',
            config: {
              subjectToken: "${split(request.headers['Authorization'][0], ' ')[1]}",
              endpoint,
              endpointHandler: {
                type: 'Chain',
                config: {
                  filters: [
                    {
                      type: 'ClientSecretPostAuthenticationFilter',
                      config: {
                        clientId: 'gateway',
                        clientSecretId: 'client.secret',
                        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
                      },
                    },
                  ],
                  handler: 'ForgeRockClientHandler',
                },
              },
              failureHandler: say(403, '${contexts.oauth2Failure.error}: ${contexts.oauth2Failure.description}'),
            },
          },
        ],
        handler: say(
          200,
          '${contexts.oauth2TokenExchange.issuedToken} ${contexts.oauth2TokenExchange.issuedTokenType} ${join(contexts.oauth2TokenExchange.scopes, ",")} ${contexts.oauth2TokenExchange.rawInfo.token_type}',
        ),
      },
    },
  }
}

test('expressions can read the exchanged token, its type and its scopes; failures go to the failure handler', async () => {
  let reply: TokenResponse = { json: ISSUED }
  await using endpoint = await tokenEndpoint(() => reply)
  await using gateway = await RunningGateway.start({
    env: { CLIENT_SECRET: 'sesame' },
    routes: { exchange: route(endpoint.url) },
  })
  const headers = { Authorization: 'Bearer old-token' }
  const good = await gateway.ask('/', { headers })
  assert.equal(good.text, `new-token ${ISSUED.issued_token_type} read,write Bearer`)
  const form = endpoint.requests[0]?.form
  assert.deepEqual(
    [form?.get('subject_token'), form?.get('client_id'), form?.get('client_secret')],
    ['old-token', 'gateway', 'sesame'],
  )
  reply = { status: 400, json: { error: 'invalid_grant', error_description: 'it was revoked' } }
  const refused = await gateway.ask('/', { headers })
  assert.deepEqual([refused.status, refused.text], [403, 'invalid_grant: it was revoked'])
  reply = { status: 503, text: '' }
  assert.match((await gateway.ask('/', { headers })).text, /^temporarily_unavailable: /)
  assert.doesNotMatch(gateway.log.lines.join('\n'), /old-token|new-token|sesame/)
})
