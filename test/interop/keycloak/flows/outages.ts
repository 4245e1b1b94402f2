// An unavailable provider, and a load balancer that responds in its place.
import assert from 'node:assert/strict'
import { BrowserLike } from '#test/browser-like'
import { type Fault, HTML_ERROR } from '../../relay.ts'
import { logIn } from '../login-pages.ts'
import { client } from '../realm.ts'
import { loginRoute } from '../routes.ts'
import { type Part, type Peers, REALM } from '../suite.ts'

const tooMany: Fault = (_request, response) => {
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' }).end('{"error":"slow_down"}')
  return true
}

const reset: Fault = (request) => {
  request.socket.destroy()
  return true
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'an HTML page with 503': HTML_ERROR,
  'status 429': tooMany,
  'a reset connection': reset,
}

/** Requests share the failure of a refresh for a second. */
const recovered = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1200))

const expired = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2500))

export const outages: Part = {
  clients: (at) => [client(at, 'outage', { attributes: { 'access.token.lifespan': '2' } })],
  routes: (at) => ({ outage: loginRoute(at, 'outage') }),
  flows: [
    ...Object.entries(FAULTS).map(([what, fault]) => ({
      name: `${what} in place of a refresh is 503 and keeps the tokens`,
      run: async ({ at, relay }: Peers) => {
        const browser = new BrowserLike()
        await logIn(browser, `${at.app}/outage/page`)
        await expired()
        await relay.failing(fault, async () => {
          assert.equal((await browser.ask(`${at.app}/outage/page`)).status, 503)
        })
        await recovered()
        const back = await browser.ask(`${at.app}/outage/page`)
        assert.equal(back.status, 200, back.headers.get('location') ?? '')
      },
    })),
    {
      name: 'a refresh that Keycloak refuses (invalid_grant) leads to a new login',
      run: async ({ at, admin }) => {
        const browser = new BrowserLike()
        await logIn(browser, `${at.app}/outage/page`)
        const [alice] = await admin.get<{ id: string }[]>(`/${REALM}/users?username=alice&exact=true`)
        await admin.post(`/${REALM}/users/${alice?.id}/logout`)
        await expired()
        const answer = await browser.ask(`${at.app}/outage/page`)
        assert.equal(answer.status, 302)
        assert.ok(answer.headers.get('location')?.startsWith(at.issuer))
      },
    },
  ],
}
