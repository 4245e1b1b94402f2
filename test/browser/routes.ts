import type { JsonObject } from '#json'

/** URLs of the login servers. */
export interface Servers {
  readonly near: string
  readonly far: string
  readonly nearId: string
  readonly farId: string
}

/** The routes of the gateway, each below the path of its name. */
export function routes({ near, far, nearId, farId }: Servers): Record<string, JsonObject> {
  const forUsers = shows('${contexts.ssoToken.info.username} at ${request.uri}')
  return {
    sso: route('sso', [am(near)], [singleSignOn('/sso/logout'), policies()], forUsers),
    bank: route('bank', [am(near)], [singleSignOn(), { type: 'CsrfFilter', config: { cookieName: COOKIE } }], BANK),
    unguarded: route('unguarded', [am(near)], [singleSignOn()], BANK),
    lost: route('lost', [am(far)], [singleSignOn()], forUsers),
    far: route('far', [am(far)], [crossDomain('far'), policies()], forUsers),
    strict: route('strict', [am(far)], [crossDomain('strict', { sameSite: 'STRICT', name: 'strict' })], forUsers),
    'near-id': openId('near-id', nearId, { requireHttps: false }),
    'far-id': { ...openId('far-id', farId), session: { type: 'AuthenticatedEncryptedJwtSessionManager' } },
    'posted-id': openId('posted-id', farId, {}, { responseMode: 'form_post' }),
    'strict-id': { ...openId('strict-id', farId), session: STRICT_SESSION },
  }
}

const COOKIE = 'iPlanetDirectoryPro'
const STRICT_SESSION = {
  type: 'InMemorySessionManager',
  config: { cookie: { name: 'strict-session', sameSite: 'STRICT' } },
}
const SECRETS = {
  name: 'secrets',
  type: 'FileSystemSecretStore',
  config: { directory: '&{gateway.instance.dir}/secrets' },
}

function route(name: string, heap: JsonObject[], filters: JsonObject[], handler: JsonObject): JsonObject {
  return {
    name,
    condition: `\${find(request.uri.path, '^/${name}(/|$)')}`,
    heap: [SECRETS, ...heap],
    handler: { type: 'Chain', config: { filters, handler } },
  }
}

/** A page with a heading. */
function shows(heading: string): JsonObject {
  return page(200, `<!doctype html><meta charset="utf-8"><title>Page</title><h1>${heading}</h1>`)
}

function page(status: number, entity: string): JsonObject {
  return {
    type: 'StaticResponseHandler',
    config: { status, headers: { 'Content-Type': ['text/html; charset=utf-8'] }, entity },
  }
}

function am(url: string): JsonObject {
  return {
    name: 'am',
    type: 'AmService',
    config: {
      url,
      agent: { username: 'ig_agent', passwordSecretId: 'agent.password' },
      secretsProvider: 'secrets',
      sessionCache: { enabled: true },
    },
  }
}

function singleSignOn(logout?: string): JsonObject {
  const ending = logout === undefined ? {} : logoutFields(logout)
  return { type: 'SingleSignOnFilter', config: { amService: 'am', ...ending } }
}

function crossDomain(name: string, authCookie: JsonObject = {}): JsonObject {
  return {
    type: 'CrossDomainSingleSignOnFilter',
    config: { amService: 'am', redirectEndpoint: `/${name}/redirect`, authCookie, ...logoutFields(`/${name}/logout`) },
  }
}

function logoutFields(path: string): JsonObject {
  return { logoutExpression: `\${request.uri.path == '${path}'}`, defaultLogoutLandingPage: '/goodbye' }
}

function policies(): JsonObject {
  return {
    type: 'PolicyEnforcementFilter',
    config: {
      amService: 'am',
      application: 'site',
      ssoTokenSubject: '${contexts.ssoToken.value}',
      cache: { enabled: true },
      failureHandler: page(403, '<h1>not allowed</h1>'),
    },
  }
}

function openId(name: string, server: string, fields: JsonObject = {}, registration: JsonObject = {}): JsonObject {
  const issuer = { wellKnownEndpoint: `${server}/.well-known/openid-configuration` }
  const client = {
    clientId: 'gateway',
    issuer: 'server',
    scopes: ['openid', 'profile'],
    clientSecretId: 'client.secret',
    secretsProvider: 'secrets',
    ...registration,
  }
  const login = {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    config: {
      clientEndpoint: `/${name}/oidc`,
      registrations: ['client'],
      openIdEndSessionOnLogout: true,
      ...fields,
    },
  }
  const heap = [
    { name: 'server', type: 'Issuer', config: issuer },
    { name: 'client', type: 'ClientRegistration', config: client },
  ]
  return route(name, heap, [login], shows('${contexts.oauth2Info.user_info.name} at ${request.uri}'))
}

/** A page that pays with the CSRF token, or by a form without it. */
const PAYING = `<!doctype html><title>Bank</title>
<button id="token" type="button">Pay</button>
<form method="post" action="bank/pay"><button id="form">Pay without token</button></form>
<script>
  document.querySelector('#token').onclick = async () => {
    const token = (await fetch(location.href)).headers.get('X-CSRF-Token')
    await fetch('bank/pay', { method: 'POST', headers: { 'X-CSRF-Token': token } })
  }
</script>`

const BANK: JsonObject = {
  type: 'DispatchHandler',
  config: {
    bindings: [
      { condition: "${request.method == 'POST'}", handler: page(200, 'paid by ${contexts.ssoToken.info.username}') },
      { handler: page(200, PAYING) },
    ],
  },
}
