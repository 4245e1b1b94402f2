// Parameters of authorization requests, and response modes.
import assert from 'node:assert/strict'
import { BrowserLike } from '#test/browser-like'
import { chromiumMissing } from '#test/chromium'
import { logIn, logInWith } from '../login-pages.ts'
import { client } from '../realm.ts'
import { loginRoute } from '../routes.ts'
import { type Part, type Peers, REALM } from '../suite.ts'

const signed = { attributes: { 'authorization.signed.response.alg': 'RS256' } }

/** Response modes by the client that uses them. */
const FORMS: Readonly<Record<string, string>> = { 'form-post': 'form_post', 'form-post-jarm': 'form_post.jwt' }
const JARM: Readonly<Record<string, string>> = { jarm: 'jwt', 'query-jarm': 'query.jwt' }

const routeOf = (at: Peers['at'], clientId: string, registration: object): object =>
  loginRoute(at, clientId, {
    registration: { clientSecretId: clientId, secretsProvider: 'secrets', ...registration },
  })

export const authorizationRequests: Part = {
  clients: (at) => [
    client(at, 'hints'),
    client(at, 'fixed-hint'),
    ...[...Object.keys(FORMS), ...Object.keys(JARM)].map((id) => client(at, id, id.endsWith('jarm') ? signed : {})),
  ],
  routes: (at) => ({
    hints: routeOf(at, 'hints', { passParameters: ['login_hint', 'ui_locales', 'kc_idp_hint'] }),
    'fixed-hint': routeOf(at, 'fixed-hint', { parameters: { login_hint: "${request.headers['X-User'][0]}" } }),
    ...Object.fromEntries(
      Object.entries({ ...FORMS, ...JARM }).map(([id, responseMode]) => [id, routeOf(at, id, { responseMode })]),
    ),
  }),
  flows: [
    {
      name: 'login_hint of the login link fills in the user name; one that may not be passed does not',
      run: async ({ at }) => {
        const login = `${at.app}/hints/oidc/login?goto=/hints/page`
        assert.match((await new BrowserLike().open(`${login}&login_hint=bob`)).text, /value="bob"/)
        const refused = await new BrowserLike().open(`${login.replaceAll('hints', 'fixed-hint')}&login_hint=bob`)
        assert.doesNotMatch(refused.text, /value="bob"/)
      },
    },
    {
      name: 'parameters by an expression: login_hint of a header',
      run: async ({ at }) => {
        const browser = new BrowserLike()
        const { headers } = await browser.ask(`${at.app}/fixed-hint/page`, { headers: { 'x-user': 'carol' } })
        assert.match((await browser.open(headers.get('location') as string)).text, /value="carol"/)
      },
    },
    {
      name: 'kc_idp_hint leads to the identity provider without the login page',
      run: async ({ at, admin, keycloak }) => {
        const elsewhere = `${keycloak.publicUrl}/realms/master/protocol/openid-connect/auth`
        await admin.post(`/${REALM}/identity-provider/instances`, {
          alias: 'partners',
          providerId: 'oidc',
          enabled: true,
          config: { clientId: 'shop', clientSecret: 'x', authorizationUrl: elsewhere, tokenUrl: elsewhere },
        })
        const browser = new BrowserLike()
        await browser.open(`${at.app}/hints/oidc/login?goto=/hints/page&kc_idp_hint=partners`)
        assert.ok(
          browser.trail.some((url) => url.startsWith(elsewhere)),
          browser.trail.join('\n'),
        )
      },
    },
    ...Object.entries(JARM).map(([id, mode]) => ({
      name: `response_mode ${mode}: a signed response in the query`,
      run: async ({ at }: Peers) => {
        const browser = new BrowserLike()
        const page = await logIn(browser, `${at.app}/${id}/page`)
        assert.match(page.text, /alice/, page.url)
        const callback = new URL(browser.trail.find((url) => url.includes('/oidc/callback')) as string)
        assert.deepEqual([...callback.searchParams.keys()], ['response'])
      },
    })),
    ...Object.entries(FORMS).map(([id, mode]) => ({
      name: `Chromium: response_mode ${mode} from another site`,
      skip: chromiumMissing,
      run: async ({ at, chromium }: Peers) =>
        chromium?.withPage(async (page) => {
          await page.goto(`${at.secureApp}/${id}/page`)
          await logInWith(page)
          await page.waitForURL(`${at.secureApp}/${id}/page`)
          assert.match(await page.locator('body').innerText(), /alice/)
        }),
    })),
  ],
}
