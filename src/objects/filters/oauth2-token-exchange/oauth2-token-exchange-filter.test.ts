import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AmService,
  AmServiceKind,
  HandlerKind,
  type OAuth2Failure,
  OAuth2FailureContext,
  type OAuth2TokenExchange,
  OAuth2TokenExchangeContext,
  ResourceAccessKind,
} from '#contracts'
import { type Filter, type Handler, respond, Uri } from '#http'
import type { JsonValue } from '#json'
import { config, defineType, string } from '#schema'
import { build, manualClock } from '#test/build'
import { auditedExchange, exchangeFor } from '#test/exchange'
import { type TokenRequest, type TokenResponse, tokenEndpoint } from '#test/token-endpoint'
import { Chain } from '../../handlers/chain/chain.ts'
import { ClientHandler } from '../../handlers/reverse-proxy/client-handler.ts'
import { TransactionIdOutboundFilter } from '../transaction-id-outbound/transaction-id-outbound-filter.ts'
import { OAuth2TokenExchangeFilter } from './oauth2-token-exchange-filter.ts'

const URN = 'urn:ietf:params:oauth:token-type:'
const GOOD = { access_token: 'new', token_type: 'Bearer', issued_token_type: `${URN}access_token`, scope: 'a b' }

const Failed = defineType({
  name: 'Failed',
  kind: HandlerKind,
  summary: 'Answers 418 with the data of the failure.',
  config: {},
  create: (): Handler => async (exchange) => {
    const failure = exchange.context(OAuth2FailureContext) as OAuth2Failure
    return respond(418, {}, JSON.stringify(failure))
  },
})

const Scopes = defineType({
  name: 'Scopes',
  kind: ResourceAccessKind,
  summary: 'Wants scopes by the method.',
  config: {},
  create: () => ({ requiredScopes: async ({ request }) => new Set([request.method.toLowerCase(), 'all']) }),
})

const Am = defineType({
  name: 'Am',
  kind: AmServiceKind,
  summary: 'An access manager of which only the address matters.',
  config: { url: config(string()) },
  create: ({ url }) => {
    const am: Pick<AmService, 'oauth2Uri'> = {
      oauth2Uri: (path) => Uri.parse(`${url}/oauth2/realms/root/realms/alpha/${path}`),
    }
    return am as AmService
  },
})

const TYPES = [Chain, ClientHandler, TransactionIdOutboundFilter, Failed, Scopes, Am]

async function exchanged(
  reply: TokenResponse,
  more: Record<string, JsonValue> | ((url: string) => Record<string, JsonValue>) = {},
  headers: Record<string, string> = { token: 'old' },
) {
  await using endpoint = await tokenEndpoint(() => reply)
  const own = typeof more === 'function' ? more(endpoint.url) : { endpoint: endpoint.url, ...more }
  const config = {
    subjectToken: "${request.headers['token'][0]}",
    endpointHandler: { type: 'ClientHandler' },
    ...own,
  }
  await using built = await build<Filter>(OAuth2TokenExchangeFilter, config, { types: TYPES })
  const seen: OAuth2TokenExchange[] = []
  const exchange = auditedExchange('GET', 'http://app.example/', { headers })
  const response = await built.object(exchange, async (each) => {
    seen.push(each.context(OAuth2TokenExchangeContext) as OAuth2TokenExchange)
    return respond(200)
  })
  const text = Buffer.from(await response.body.read(10_000)).toString()
  const tokenRequest = endpoint.requests[0] as TokenRequest
  return { response, text, seen, tokenRequest, requests: endpoint.requests, exchange, log: built.log }
}

test('the token is exchanged, and the response is in the context of later filters', async () => {
  const { response, seen, tokenRequest } = await exchanged({ json: { ...GOOD, expires_in: 60 } })
  assert.equal(response.status, 200)
  assert.deepEqual(seen, [
    {
      issuedToken: 'new',
      issuedTokenType: `${URN}access_token`,
      scopes: ['a', 'b'],
      rawInfo: { ...GOOD, expires_in: 60 },
    },
  ])
  assert.deepEqual(Object.fromEntries(tokenRequest.form), {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: `${URN}access_token`,
    requested_token_type: `${URN}access_token`,
    subject_token: 'old',
  })
  assert.equal(tokenRequest.method, 'POST')
})

test('types, scopes, resource and audience are sent', async () => {
  const { tokenRequest, seen } = await exchanged(
    { json: { ...GOOD, scope: undefined } },
    {
      subjectTokenType: `${URN}id_token`,
      requestedTokenType: `${URN}jwt`,
      scopes: ['read', '${request.method}'],
      resource: 'https://accounts.example/v1',
      audience: 'accounts',
    },
  )
  assert.equal(tokenRequest.form.get('subject_token_type'), `${URN}id_token`)
  assert.equal(tokenRequest.form.get('requested_token_type'), `${URN}jwt`)
  assert.equal(tokenRequest.form.get('scope'), 'read GET')
  assert.equal(tokenRequest.form.get('resource'), 'https://accounts.example/v1')
  assert.equal(tokenRequest.form.get('audience'), 'accounts')
  assert.deepEqual(seen[0]?.scopes, ['read', 'GET'], 'a server that does not say has granted what was asked for')
})

test('an object can return the requested scopes', async () => {
  const { tokenRequest } = await exchanged({ json: GOOD }, { scopes: { type: 'Scopes' } })
  assert.equal(tokenRequest.form.get('scope'), 'get all')
})

test('the token endpoint of amService takes precedence over endpoint', async () => {
  const { tokenRequest } = await exchanged({ json: GOOD }, (url) => ({
    endpoint: 'http://127.0.0.1:1/',
    amService: { type: 'Am', config: { url: new URL(url).origin } },
  }))
  assert.equal(tokenRequest.path, '/oauth2/realms/root/realms/alpha/access_token')
})

test('the token request has the transaction id of the request', async () => {
  const { tokenRequest, exchange } = await exchanged(
    { json: GOOD },
    {
      endpointHandler: {
        type: 'Chain',
        config: { filters: [{ type: 'TransactionIdOutboundFilter' }], handler: { type: 'ClientHandler' } },
      },
    },
  )
  assert.equal(tokenRequest.headers['x-vendor-transactionid'], `${exchange.transactionId.value}/0`)
})

const failures: readonly [string, TokenResponse, number, string][] = [
  ['a token that is not exchanged', { status: 400, json: { error: 'invalid_grant' } }, 403, 'invalid_grant'],
  ['a refusal without JSON', { status: 400, text: 'no' }, 403, 'invalid_request'],
  ['an error page of a proxy', { status: 404, text: '404 page not found' }, 502, 'server_error'],
  ['a gateway that is not accepted, without JSON', { status: 401, text: '' }, 502, 'invalid_client'],
  ['a time-out of a proxy', { status: 408, text: '' }, 503, 'temporarily_unavailable'],
  ['a target that is not allowed', { status: 400, json: { error: 'invalid_target' } }, 403, 'invalid_target'],
  ['a gateway that is not known', { status: 401, json: { error: 'invalid_client' } }, 502, 'invalid_client'],
  [
    'a grant that is not known',
    { status: 400, json: { error: 'unsupported_grant_type' } },
    502,
    'unsupported_grant_type',
  ],
  ['no type of the issued token', { json: { ...GOOD, issued_token_type: undefined } }, 502, 'server_error'],
  ['an empty answer', { text: '' }, 502, 'server_error'],
  ['HTML', { text: '<html></html>' }, 502, 'server_error'],
  ['a redirect', { status: 307, headers: { location: 'http://evil.example/' }, text: '' }, 502, 'server_error'],
  ['an error of the server', { status: 500, json: GOOD }, 503, 'temporarily_unavailable'],
]

for (const [what, reply, status, error] of failures) {
  test(`B62, B65: ${what} gives ${status}, or goes to the failure handler if configured`, async () => {
    const plain = await exchanged(reply)
    assert.equal(plain.response.status, status)
    assert.equal(plain.text, '')
    assert.deepEqual(plain.seen, [])
    assert.equal(plain.exchange.audit?.decision?.result, status === 403 ? 'DENIED' : 'FAILED')
    assert.equal(plain.requests.length, 1)
    const handled = await exchanged(reply, { failureHandler: { type: 'Failed' } })
    assert.equal(handled.response.status, 418)
    assert.equal(JSON.parse(handled.text).error, error)
    assert.deepEqual(handled.seen, [])
  })
}

test('the error description of a server reaches the failure handler without control characters', async () => {
  const json = { error: 'invalid_grant', error_description: 'token\r\nSet-Cookie: x="1"' }
  const { text } = await exchanged({ status: 400, json }, { failureHandler: { type: 'Failed' } })
  assert.deepEqual(JSON.parse(text), {
    error: 'invalid_grant',
    description: 'token??Set-Cookie: x=?1?',
    exception: null,
  })
})

test('the reason of a decision has no text of the server', async () => {
  const refused = async (error: string) => {
    const json = { error, error_description: 'the token old is unknown' }
    const { exchange } = await exchanged({ status: 400, json })
    return exchange.audit?.decision?.reason
  }
  assert.equal(await refused('invalid_grant'), 'the authorization server refused the exchange (invalid_grant)')
  assert.equal(await refused('the token old is unknown'), 'the authorization server refused the exchange')
})

test('an unreachable server gives 503', async () => {
  const { response, exchange } = await exchanged({ json: GOOD }, { endpoint: 'http://127.0.0.1:1/' })
  assert.equal(response.status, 503)
  assert.equal(response.headers.get('retry-after'), '1')
  assert.deepEqual(exchange.audit?.decision, {
    result: 'FAILED',
    by: 'gateway+object',
    reason: 'token request failed: the request failed',
  })
})

test('a request without a token gets 403, and no server is called', async () => {
  for (const headers of [{}, { token: '' }]) {
    const { response, requests } = await exchanged({ json: GOOD }, {}, headers)
    assert.equal(response.status, 403)
    assert.equal(requests.length, 0)
  }
})

test('a scope that is null is a fault', async () => {
  await assert.rejects(exchanged({ json: GOOD }, { scopes: ['${attributes.none}'] }), {
    message: 'scopes: ${attributes.none} gave null; expected a scope',
  })
})

test('no token is logged', async () => {
  const { log } = await exchanged({ status: 400, json: { error: 'invalid_grant' } }, {}, { token: 'hunter2' })
  assert.doesNotMatch(JSON.stringify(log), /hunter2/)
})

for (const [what, config, message] of [
  ['no subject token', { endpoint: 'http://a/' }, /\/subjectToken: .*this field is required/],
  ['no server', { subjectToken: 'x' }, /give at least one of amService, endpoint/],
  [
    'a fragment',
    { subjectToken: 'x', endpoint: 'http://a/', resource: 'http://b/#c' },
    /\/resource: expected a URL without a fragment/,
  ],
] as const) {
  test(`${what} is refused at load`, async () => {
    const whole = { endpointHandler: { type: 'ClientHandler' }, ...config }
    await assert.rejects(build(OAuth2TokenExchangeFilter, whole, { types: TYPES }), { message })
  })
}

/** A filter with a cache; the endpoint numbers the tokens it issues. */
async function caching(cache: Record<string, JsonValue> = {}, more: Record<string, unknown> = { expires_in: 3600 }) {
  const clock = manualClock()
  const endpoint = await tokenEndpoint((_, count) => ({ json: { ...GOOD, access_token: `new${count}`, ...more } }))
  const config = {
    endpoint: endpoint.url,
    subjectToken: "${request.headers['token'][0]}",
    scopes: ["${request.headers['scope'][0]}"],
    endpointHandler: { type: 'ClientHandler' },
    cache: { enabled: true, ...cache },
  }
  const built = await build<Filter>(OAuth2TokenExchangeFilter, config, { types: TYPES, clock, units: 2 })
  const send = async (token: string, scope = 'read', status = 200) => {
    let issued = ''
    await built.object(exchangeFor('GET', 'http://app.example/', { headers: { token, scope } }), async (exchange) => {
      issued = exchange.context(OAuth2TokenExchangeContext)?.issuedToken ?? ''
      return respond(status)
    })
    return issued
  }
  const dispose = async () => {
    await built[Symbol.asyncDispose]()
    await endpoint[Symbol.asyncDispose]()
  }
  return { clock, endpoint, send, [Symbol.asyncDispose]: dispose }
}

test('cache: requests with the same token and scopes share an exchange, also concurrent ones', async () => {
  await using at = await caching()
  assert.deepEqual(await Promise.all([at.send('a'), at.send('a'), at.send('a')]), ['new1', 'new1', 'new1'])
  assert.deepEqual([await at.send('a'), await at.send('a', 'write'), await at.send('b')], ['new1', 'new2', 'new3'])
  assert.equal(at.endpoint.requests.length, 3)
})

test('cache: a token is used for maxTimeout at most, and not in the last part of its lifetime', async () => {
  await using at = await caching({ maxTimeout: '10 minutes' })
  await at.send('a')
  at.clock.advance(599_000)
  assert.equal(await at.send('a'), 'new1')
  at.clock.advance(2_000)
  assert.equal(await at.send('a'), 'new2')
  await using brief = await caching({}, { expires_in: 10 })
  await brief.send('a')
  brief.clock.advance(9_001)
  assert.equal(await brief.send('a'), 'new2')
  await using silent = await caching({ defaultTimeout: '20 s' }, {})
  await silent.send('a')
  silent.clock.advance(18_001)
  assert.equal(await silent.send('a'), 'new2')
})

test('cache: an entry does not outlive the token that was exchanged', async () => {
  await using at = await caching()
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const subject = `${part({ alg: 'RS256' })}.${part({ exp: at.clock.now() / 1_000 + 60 })}.c2ln`
  await at.send(subject)
  at.clock.advance(59_000)
  assert.equal(await at.send(subject), 'new1')
  at.clock.advance(1_000)
  assert.equal(await at.send(subject), 'new2')
})

test('cache: a service that rejects every token causes one exchange more in ten seconds', async () => {
  await using at = await caching()
  const sent = []
  for (let request = 0; request < 5; request += 1) sent.push(await at.send('a', 'read', 401))
  assert.deepEqual(sent, ['new1', 'new2', 'new2', 'new2', 'new2'])
  at.clock.advance(10_000)
  for (let request = 0; request < 3; request += 1) sent.push(await at.send('a', 'read', 401))
  assert.deepEqual(sent.slice(5), ['new2', 'new3', 'new3'])
  assert.equal(at.endpoint.requests.length, 3)
})

test('cache: a token that the service rejects is dropped, failures are not cached, and each unit has its share of the size', async () => {
  await using at = await caching({ maximumSize: 4 })
  assert.equal(await at.send('a', 'read', 401), 'new1')
  assert.equal(await at.send('a'), 'new2')
  await at.send('b')
  await at.send('a')
  await at.send('c')
  assert.deepEqual([await at.send('a'), await at.send('b')], ['new2', 'new5'])
  await using failing = await caching({}, { access_token: null })
  await failing.send('a')
  await failing.send('a')
  assert.equal(failing.endpoint.requests.length, 2)
})
