/** A route to start from. */
export interface Template {
  readonly name: string
  readonly description: string
  route(id: string): object
}

function condition(id: string): string {
  return `\${find(request.uri.path, '^/${id.replaceAll('.', '\\\\.')}')}`
}

/** The gallery of the dialog "New route". */
export const TEMPLATES: readonly Template[] = [
  {
    name: 'Blank',
    description: 'An answer 404, to be replaced.',
    route: (id) => ({
      name: id,
      condition: condition(id),
      handler: { type: 'StaticResponseHandler', config: { status: 404 } },
    }),
  },
  {
    name: 'Proxy',
    description: 'Forwards requests to an application.',
    route: (id) => ({
      name: id,
      baseURI: 'http://localhost:8081',
      condition: condition(id),
      handler: { type: 'ReverseProxyHandler', config: {} },
    }),
  },
  {
    name: 'Static answer',
    description: 'Responds with a fixed status and text.',
    route: (id) => ({
      name: id,
      condition: condition(id),
      handler: {
        type: 'StaticResponseHandler',
        config: { status: 200, headers: { 'Content-Type': ['text/plain; charset=UTF-8'] }, entity: `This is ${id}.` },
      },
    }),
  },
  {
    name: 'API protected by JWT',
    description: 'Lets requests with a signed access token pass.',
    route: (id) => ({
      name: id,
      baseURI: 'http://localhost:8081',
      condition: condition(id),
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'OAuth2ResourceServerFilter',
              config: {
                scopes: ['api'],
                requireHttps: false,
                accessTokenResolver: {
                  type: 'StatelessAccessTokenResolver',
                  config: {
                    issuer: 'https://issuer.example.com',
                    secretsProvider: {
                      type: 'JwkSetSecretStore',
                      config: { jwkUrl: 'https://issuer.example.com/jwks.json' },
                    },
                    verificationSecretId: 'any.value.in.regex.format',
                  },
                },
              },
            },
          ],
          handler: { type: 'ReverseProxyHandler', config: {} },
        },
      },
    }),
  },
  {
    name: 'API protected by introspection',
    description: 'Asks an authorization server about each access token.',
    route: (id) => ({
      name: id,
      baseURI: 'http://localhost:8081',
      condition: condition(id),
      heap: [
        {
          name: 'Secrets',
          type: 'FileSystemSecretStore',
          config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
        },
      ],
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'OAuth2ResourceServerFilter',
              config: {
                scopes: ['api'],
                requireHttps: false,
                accessTokenResolver: {
                  type: 'TokenIntrospectionAccessTokenResolver',
                  config: {
                    endpoint: 'https://issuer.example.com/introspect',
                    providerHandler: {
                      type: 'Chain',
                      config: {
                        filters: [
                          {
                            type: 'HttpBasicAuthenticationClientFilter',
                            config: {
                              username: 'gateway',
                              passwordSecretId: 'introspection.password',
                              secretsProvider: 'Secrets',
                            },
                          },
                        ],
                        handler: 'ForgeRockClientHandler',
                      },
                    },
                  },
                },
              },
            },
          ],
          handler: { type: 'ReverseProxyHandler', config: {} },
        },
      },
    }),
  },
  {
    name: 'OpenID Connect login',
    description: 'Users log in at a provider before they see the application.',
    route: (id) => ({
      name: id,
      baseURI: 'http://localhost:8081',
      condition: condition(id),
      heap: [
        {
          name: 'Secrets',
          type: 'FileSystemSecretStore',
          config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
        },
        {
          name: 'Provider',
          type: 'ClientRegistration',
          config: {
            clientId: 'gateway',
            clientSecretId: 'provider.secret',
            secretsProvider: 'Secrets',
            issuer: {
              type: 'Issuer',
              config: { wellKnownEndpoint: 'https://provider.example.com/.well-known/openid-configuration' },
            },
            scopes: ['openid', 'profile'],
          },
        },
      ],
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'AuthorizationCodeOAuth2ClientFilter',
              config: {
                clientEndpoint: `/${id}/login`,
                registrations: ['Provider'],
                failureHandler: { type: 'StaticResponseHandler', config: { status: 500, entity: 'The login failed.' } },
                requireHttps: false,
              },
            },
          ],
          handler: { type: 'ReverseProxyHandler', config: {} },
        },
      },
    }),
  },
  {
    name: 'Single sign-on with policies',
    description: 'Users log in at an access manager, whose policies decide.',
    route: (id) => ({
      name: id,
      baseURI: 'http://localhost:8081',
      condition: condition(id),
      heap: [
        {
          name: 'Secrets',
          type: 'FileSystemSecretStore',
          config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
        },
        {
          name: 'AmService',
          type: 'AmService',
          config: {
            url: 'https://am.example.com/am',
            agent: { username: 'gateway', passwordSecretId: 'agent.password' },
            secretsProvider: 'Secrets',
          },
        },
      ],
      handler: {
        type: 'Chain',
        config: {
          filters: [
            { type: 'SingleSignOnFilter', config: { amService: 'AmService' } },
            { type: 'PolicyEnforcementFilter', config: { amService: 'AmService', application: 'gateway' } },
          ],
          handler: { type: 'ReverseProxyHandler', config: {} },
        },
      },
    }),
  },
  {
    name: 'Rate-limited API',
    description: 'Admits a number of requests in each period and client address.',
    route: (id) => ({
      name: id,
      baseURI: 'http://localhost:8081',
      condition: condition(id),
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'ThrottlingFilter',
              config: {
                requestGroupingPolicy: '${contexts.client.remoteAddress}',
                rate: { numberOfRequests: 60, duration: '1 minute' },
              },
            },
          ],
          handler: { type: 'ReverseProxyHandler', config: {} },
        },
      },
    }),
  },
  {
    name: 'WebSocket',
    description: 'Forwards requests and WebSocket connections to an application.',
    route: (id) => ({
      name: id,
      baseURI: 'http://localhost:8081',
      condition: condition(id),
      handler: { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } },
    }),
  },
]
