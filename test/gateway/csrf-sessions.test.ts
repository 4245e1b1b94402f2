// CsrfFilter with the gateway's own sessions: the token is valid for as long as its session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrowserLike } from '#test/browser-like'
import { RunningGateway } from '#test/gateway'

const options = { timeout: 60_000 }

/** Counts its requests in the session, behind the filter; `/bank/public` does not use it. */
function bank(session: object, cookieName: string) {
  const value = '${empty session.count ? 1 : session.count + 1}'
  return {
    condition: "${find(request.uri.path, '^/bank')}",
    session,
    handler: {
      type: 'Chain',
      config: {
        filters: [
          { type: 'CsrfFilter', config: { cookieName } },
          {
            type: 'ConditionalFilter',
            config: {
              condition: "${request.uri.path != '/bank/public'}",
              delegate: { type: 'AssignmentFilter', config: { onRequest: [{ target: '${session.count}', value }] } },
            },
          },
        ],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'count ${session.count}' } },
      },
    },
  }
}

const managers = ['InMemorySessionManager', 'AuthenticatedEncryptedJwtSessionManager'].map(
  (type) => [type, { type, config: { cookie: { name: 'bank-session' } } }] as const,
)

for (const [type, session] of managers) {
  test(
    `${type}: the token of the response that begins a session is valid for all requests of it`,
    options,
    async () => {
      await using gateway = await RunningGateway.reuse({ units: 2, routes: { bank: bank(session, 'bank-session') } })
      const browser = new BrowserLike()
      const post = (token: string) =>
        browser.ask(`${gateway.url}/bank`, { method: 'POST', headers: { 'X-CSRF-Token': token } })
      const page = await browser.ask(`${gateway.url}/bank`)
      const token = page.headers.get('x-csrf-token') ?? ''
      for (let count = 2; count <= 4; count += 1) {
        const { status, text, headers } = await post(token)
        assert.deepEqual([status, text, headers.get('x-csrf-token')], [200, `count ${count}`, token])
      }
      assert.equal((await post('')).status, 403)
      const other = await new BrowserLike().ask(`${gateway.url}/bank`)
      assert.equal((await post(other.headers.get('x-csrf-token') ?? '')).status, 403)
      assert.equal((await browser.ask(`${gateway.url}/bank`)).text, 'count 5')
    },
  )

  test(`${type}: a request without a session is passed on without a token, and begins none`, options, async () => {
    await using gateway = await RunningGateway.reuse({ routes: { bank: bank(session, 'bank-session') } })
    for (const headers of [{}, { Cookie: 'bank-session=forged' }]) {
      const { status, headers: answered } = await gateway.ask('/bank/public', { method: 'POST', headers })
      assert.deepEqual([status, answered['x-csrf-token'], answered['set-cookie']], [200, undefined, undefined])
    }
  })
}

test('the session of the gateway is protected in a route with sessions of its own too', options, async () => {
  const own = { type: 'InMemorySessionManager', config: { cookie: { name: 'of-route' } } }
  const { session: _, ...begin } = { ...bank({}, 'unused'), condition: "${request.uri.path == '/begin'}" }
  await using gateway = await RunningGateway.reuse({ routes: { begin, bank: bank(own, 'gateway-session') } })
  const browser = new BrowserLike()
  await browser.ask(`${gateway.url}/begin`)
  const refused = await browser.ask(`${gateway.url}/bank`, { method: 'POST' })
  assert.equal(refused.status, 403)
  const headers = { 'X-CSRF-Token': refused.headers.get('x-csrf-token') ?? '' }
  assert.equal((await browser.ask(`${gateway.url}/bank`, { method: 'POST', headers })).status, 200)
  assert.equal((await browser.ask(`${gateway.url}/bank`, { method: 'POST' })).status, 403)
})
