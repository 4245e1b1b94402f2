// Log-out started at Keycloak, which sends a logout token to the gateway.
import assert from 'node:assert/strict'
import { BrowserLike } from '#test/browser-like'
import { redisMissing } from '#test/redis'
import { logIn } from '../login-pages.ts'
import { audienceMapper, client } from '../realm.ts'
import { loginRoute, resourceRoute, wellKnown } from '../routes.ts'
import { type Addresses, type Part, type Peers, REALM } from '../suite.ts'
import { bearer } from '../tokens.ts'
import { sessionManagers } from './sessions.ts'

const KINDS = ['memory', 'redis', 'cookies'] as const
const clientIdOf = (kind: string): string => `${kind}-logout`

const registered = (at: Addresses, kind: string, session: boolean) => ({
  attributes: {
    'backchannel.logout.url': `${at.internalApp}/${clientIdOf(kind)}/oidc/backchannel-logout`,
    'backchannel.logout.session.required': `${session}`,
  },
})

/** Ends every session of a user, as an administrator does. */
export async function logOutEverywhere({ admin }: Peers, username: string): Promise<void> {
  const [user] = await admin.get<{ id: string }[]>(`/${REALM}/users?username=${username}&exact=true`)
  await admin.post(`/${REALM}/users/${user?.id}/logout`)
}

/** Ends one session of Keycloak: the one that this browser has. */
async function logOutOne({ admin }: Peers, username: string, clientId: string, last: boolean): Promise<void> {
  const [found] = await admin.get<{ id: string }[]>(`/${REALM}/clients?clientId=${clientId}`)
  const sessions = await admin.get<{ id: string; username: string; start: number }[]>(
    `/${REALM}/clients/${found?.id}/user-sessions`,
  )
  const own = sessions.filter((session) => session.username === username).sort((a, b) => a.start - b.start)
  assert.ok(own.length >= 2, `${own.length} sessions`)
  await admin.delete(`/${REALM}/sessions/${(last ? own.at(-1) : own[0])?.id}`)
}

/** Waits for the log-out to arrive: Keycloak responds to the administrator before it has notified every client. */
async function untilLoggedOut(browser: BrowserLike, url: string): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const { status, headers } = await browser.ask(url)
    if (status === 302) return assert.match(headers.get('location') ?? '', /openid-connect\/auth/)
    assert.ok(performance.now() < deadline, `still ${status} after 10 s`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export const backChannelLogout: Part = {
  clients: (at) => [
    ...KINDS.map((kind) => client(at, clientIdOf(kind), registered(at, kind, true))),
    client(at, clientIdOf('subject'), registered(at, 'subject', false)),
    client(at, clientIdOf('caught'), {
      protocolMappers: [audienceMapper('caught')],
      attributes: { 'backchannel.logout.url': `${at.application}/caught` },
    }),
  ],
  routes: (at) => ({
    ...Object.fromEntries(
      Object.entries({ ...sessionManagers(at), subject: undefined }).map(([kind, session]) => [
        clientIdOf(kind),
        loginRoute(at, clientIdOf(kind), session === undefined ? {} : { session }),
      ]),
    ),
    'caught-logout': loginRoute(at, clientIdOf('caught')),
    'caught-tokens': resourceRoute('/caught-tokens', {
      type: 'StatelessAccessTokenResolver',
      config: {
        wellKnownEndpoint: wellKnown(at.provider),
        issuer: at.issuer,
        audience: clientIdOf('caught'),
        tokenTypes: ['JWT', 'logout+jwt'],
      },
    }),
  }),
  flows: [
    ...KINDS.map((kind) => ({
      name: `back-channel logout ends the session in ${kind} that it names, and no other`,
      skip: kind === 'redis' && redisMissing,
      run: async (peers: Peers) => {
        const url = `${peers.at.app}/${clientIdOf(kind)}/page`
        const [first, second] = [new BrowserLike(), new BrowserLike()]
        assert.match((await logIn(first, url)).text, /alice/)
        await new Promise((resolve) => setTimeout(resolve, 1100))
        assert.match((await logIn(second, url)).text, /alice/)
        await logOutOne(peers, 'alice', clientIdOf(kind), false)
        await untilLoggedOut(first, url)
        assert.equal((await second.ask(url)).status, 200)
        assert.match((await logIn(first, url)).text, /alice/)
      },
    })),
    {
      name: 'back-channel logout by the user alone ends all sessions of the user',
      run: async (peers) => {
        const url = `${peers.at.app}/${clientIdOf('subject')}/page`
        const [first, second, other] = [new BrowserLike(), new BrowserLike(), new BrowserLike()]
        await logIn(first, url, 'carol')
        await logIn(second, url, 'carol')
        await logIn(other, url, 'bob')
        await logOutEverywhere(peers, 'carol')
        await untilLoggedOut(first, url)
        await untilLoggedOut(second, url)
        assert.equal((await other.ask(url)).status, 200)
      },
    },
    {
      name: 'a logout token is refused as an access token, and at the endpoint of another client',
      run: async (peers) => {
        const { at, gateway, application } = peers
        await logIn(new BrowserLike(), `${at.app}/${clientIdOf('caught')}/page`, 'bob')
        await logOutEverywhere(peers, 'bob')
        const form = await application.until('/caught')
        const token = new URLSearchParams(form).get('logout_token') as string
        assert.equal((await gateway.ask('/caught-tokens', bearer(token))).status, 401)
        const answer = await gateway.ask(`/${clientIdOf('memory')}/oidc/backchannel-logout`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: form,
        })
        assert.equal(answer.status, 400)
        assert.equal(answer.headers['cache-control'], 'no-store')
        assert.ok((JSON.parse(answer.text) as { error?: string }).error !== undefined)
      },
    },
  ],
}
