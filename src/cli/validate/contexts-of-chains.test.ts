// Warnings of validate about contexts that no filter adds, and filters without effect behind others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validateWarnings } from '#test/validate-warnings'

const answer = { type: 'StaticResponseHandler', config: { status: 204 } }
const chain = (handler: unknown, ...filters: unknown[]) => ({ type: 'Chain', config: { filters, handler } })
const reading = (name: string) => ({
  type: 'HeaderFilter',
  config: { messageType: 'REQUEST', add: { 'X-User': [`\${contexts.${name}.value}`] } },
})
const am = {
  name: 'am',
  type: 'AmService',
  config: {
    url: 'https://am.example.com/am',
    agent: { username: 'ig', passwordSecretId: 'agent.password' },
    secretsProvider: { type: 'Base64EncodedSecretStore', config: { secrets: { 'agent.password': 'cGFzc3dvcmQ=' } } },
    notifications: { enabled: false },
  },
}
const sso = { type: 'SingleSignOnFilter', config: { amService: 'am' } }
const policy = (subject: string) => ({
  type: 'PolicyEnforcementFilter',
  config: {
    amService: 'am',
    [subject]: subject === 'claimsSubject' ? { sub: 'a' } : "${request.cookies['c'][0].value}",
  },
})

/** The warnings of one route with the handler. */
async function warningsOf(handler: unknown, config: Record<string, unknown> = {}): Promise<string[]> {
  const found = await validateWarnings({ 'routes/a.json': { name: 'a', heap: [am], handler, ...config } })
  return found.map((line) => line.replace(/^routes\/a\.json:\d+:\d+: /, ''))
}

test('an expression that reads a context before its filter causes a warning that names the filter', async () => {
  const [found, ...others] = await warningsOf(chain(answer, reading('ssoToken'), sso))
  assert.deepEqual(others, [])
  assert.equal(
    found,
    '/handler/config/filters/0/config/add/X-User/0: contexts.ssoToken is null here: no filter before adds it; the SingleSignOnFilter has to be before it',
  )
  assert.deepEqual(await warningsOf(chain(answer, sso, reading('ssoToken'))), [])
})

test('a context that nothing adds causes a warning, with the name that was meant', async () => {
  const found = await warningsOf(chain(answer, sso, reading('oauth2'), reading('ssoTokn'), reading('client')))
  assert.equal(found.length, 2, found.join('\n'))
  assert.match(found[0] ?? '', /contexts\.oauth2 is null here: .*contexts\.md/)
  assert.match(found[1] ?? '', /contexts\.ssoTokn is null here: .*did you mean "ssoToken"/)
})

test('contexts of nested chains, of handlers of failures and of the filter itself are known', async () => {
  const page = (entity: string) => ({
    type: 'StaticResponseHandler',
    config: { status: 403, headers: { 'Content-Type': ['text/plain'] }, entity },
  })
  const failure = page('${contexts.cdssoFailure.error}')
  const cdsso = {
    type: 'CrossDomainSingleSignOnFilter',
    config: { amService: 'am', redirectEndpoint: '/agent/cdsso-oauth2', failureHandler: failure },
  }
  const inner = { type: 'ChainOfFilters', config: { filters: [sso] } }
  const behind = page('${contexts.cdsso.token}')
  assert.deepEqual(await warningsOf(chain(chain(behind, reading('ssoToken')), inner, cdsso)), [])
  const [found] = await warningsOf(chain({ ...failure }, cdsso))
  assert.match(found ?? '', /^\/handler\/config\/handler\/config\/entity: contexts\.cdssoFailure is null here/)
})

test('an object is reported where none of the chains that use it has the context', async () => {
  const heap = [am, { name: 'reader', ...reading('ssoToken') }]
  const both = {
    type: 'DispatchHandler',
    config: {
      bindings: [
        { condition: "${request.method == 'GET'}", handler: chain(answer, sso, 'reader') },
        { handler: chain(answer, 'reader') },
      ],
    },
  }
  assert.deepEqual(await warningsOf(both, { heap }), [])
  const [found] = await warningsOf(chain(answer, 'reader', sso), { heap })
  assert.match(found ?? '', /^\/heap\/1\/config\/add\/X-User\/0: contexts\.ssoToken is null here/)
})

test('filters around the router count for its routes', async () => {
  const config = { heap: [am], handler: chain({ type: 'Router' }, sso) }
  const route = { name: 'a', handler: chain(answer, reading('ssoToken')) }
  assert.deepEqual(await validateWarnings({ 'config.json': config, 'routes/a.json': route }), [])
})

test('advices without single sign-on cause a warning, for sessions of users only', async () => {
  const [found, ...others] = await warningsOf(chain(answer, policy('ssoTokenSubject')))
  assert.deepEqual(others, [])
  assert.match(
    found ?? '',
    /^\/handler\/config\/filters\/0\/config\/ssoTokenSubject: contexts\.loginWay is missing here: /,
  )
  assert.deepEqual(await warningsOf(chain(answer, policy('claimsSubject'))), [])
  assert.deepEqual(await warningsOf(chain(answer, sso, policy('ssoTokenSubject'))), [])
})

test('a DataPreservationFilter behind the login causes a warning', async () => {
  const keep = { type: 'DataPreservationFilter' }
  const [found, ...others] = await warningsOf(chain(answer, sso, keep))
  assert.deepEqual(others, [])
  assert.equal(
    found,
    '/handler/config/filters/1: DataPreservationFilter has no effect behind a SingleSignOnFilter: put it before that filter',
  )
  assert.deepEqual(await warningsOf(chain(answer, keep, sso)), [])
})

test('a service of a filter is checked at the filter', async () => {
  const policyOfClient = {
    type: 'ThrottlingFilter',
    config: {
      throttlingRatePolicy: {
        type: 'MappedThrottlingPolicy',
        config: {
          throttlingRateMapper: '${contexts.oauth2.accessToken.info.client_id}',
          throttlingRatesMapping: {},
          defaultRate: { numberOfRequests: 10, duration: '1 second' },
        },
      },
    },
  }
  const [found] = await warningsOf(chain(answer, policyOfClient))
  assert.match(found ?? '', /throttlingRateMapper: contexts\.oauth2 is null here/)
})
