// The Studio behind a filter that logs in elsewhere and knows the browser by a cookie.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Chromium } from '#test/chromium'
import { pathRoute } from '#test/gateway'
import { OidcProvider } from '#test/oidc-provider'
import { deployDraft, gatewayWithStudio, HELLO, openRoute, replaceJson, STUDIO_TEST } from '#test/studio'
import { httpUpstream } from '#test/upstream'

/** A login page at another origin: its button sets the cookie and leads back; a broken one leads to a page without a login. */
async function loginServer() {
  const state: { brokenPage: string | null; pages: number } = { brokenPage: null, pages: 0 }
  const server = createServer((request, response) => {
    const goto = new URL(request.url ?? '', 'http://login').searchParams.get('goto') ?? ''
    const cookie = { 'Set-Cookie': 'login=ada; Path=/; HttpOnly; SameSite=Lax' }
    state.pages++
    if (state.brokenPage !== null) return response.writeHead(303, { Location: state.brokenPage }).end()
    if (request.method === 'POST') return response.writeHead(303, { Location: goto, ...cookie }).end()
    return response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end('<form method="post"><button>Sign in</button></form>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/login`
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { state, url, [Symbol.asyncDispose]: close }
}

test(
  'with adminProtection the filter logs in and the Studio opens the asked page; an ended login leads there again and keeps the draft',
  STUDIO_TEST,
  async () => {
    await using login = await loginServer()
    await using gateway = await gatewayWithStudio({
      routes: { hello: HELLO },
      admin: {
        adminProtection: 'login',
        heap: [
          {
            name: 'login',
            type: 'SwitchFilter',
            config: {
              onRequest: [
                {
                  condition: "${empty request.cookies['login']}",
                  handler: {
                    type: 'StaticResponseHandler',
                    config: {
                      status: 302,
                      headers: {
                        Location: [`${login.url}?goto=\${urlEncodeQueryParameterNameOrValue(request.uri.toString())}`],
                      },
                    },
                  },
                },
              ],
            },
          },
        ],
      },
    })
    await using chromium = await Chromium.start()
    await chromium.withPage(async (page, context) => {
      const logIn = () => page.getByRole('button', { name: 'Sign in' }).click()
      await page.goto(`${gateway.adminUrl}/studio/monitor`)
      await logIn()
      await page.getByRole('status').getByText('The last hour.').waitFor()
      assert.equal(page.url(), `${gateway.adminUrl}/studio/monitor`)
      assert.equal(await page.getByRole('button', { name: 'Log out' }).count(), 0)

      await openRoute(page, 'hello')
      await replaceJson(page, HELLO.replace('"entity": "hello"', '"entity": "drafted"'))
      await page.getByText('draft', { exact: true }).waitFor()
      await context.clearCookies()
      // Navigates to the login; the page may notice the end of the session by itself before.
      await page
        .getByRole('button', { name: 'Validate' })
        .click({ timeout: 5_000 })
        .catch(() => undefined)
      await logIn()
      await page.getByRole('textbox', { name: 'JSON' }).getByText('"drafted"').waitFor()
      await deployDraft(page)
      assert.equal((await gateway.ask('/hello')).text, 'drafted')

      login.state.brokenPage = `${gateway.adminUrl}/studio/routes`
      login.state.pages = 0
      await context.clearCookies()
      await page.goto(`${gateway.adminUrl}/studio/routes`)
      await page.getByRole('alert').getByText('the management API still asks for it').waitFor()
      assert.equal(login.state.pages, 1)
    })
  },
)

test(
  'with an OpenID Connect filter as adminProtection the provider logs in, with a session of admin.json',
  STUDIO_TEST,
  async () => {
    await using provider = await OidcProvider.start(() => ({
      clients: [
        {
          client_id: 'studio',
          client_secret: 'a secret of the client',
          redirect_uris: ['http://127.0.0.1/set-below'],
          grant_types: ['authorization_code'],
        },
      ],
      cookies: { keys: ['a key of the test'] },
      features: { devInteractions: { enabled: true } },
      findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    }))
    const registration = {
      type: 'ClientRegistration',
      config: {
        clientId: 'studio',
        clientSecretId: 'studio.client.secret',
        secretsProvider: { type: 'FileSystemSecretStore', config: { directory: '&{gateway.instance.dir}/secrets' } },
        scopes: ['openid'],
        issuer: { type: 'Issuer', config: { wellKnownEndpoint: `${provider.url}/.well-known/openid-configuration` } },
      },
    }
    const received: (string | undefined)[] = []
    await using upstream = await httpUpstream(({ headers }, response) => {
      received.push(headers.cookie)
      response.end('the application')
    })
    await using gateway = await gatewayWithStudio({
      routes: {
        hello: HELLO,
        app: { ...pathRoute('/app', ''), baseURI: upstream.url, handler: 'ReverseProxyHandler' },
      },
      files: { 'secrets/studio.client.secret': Buffer.from('a secret of the client').toString('base64') },
      admin: {
        adminProtection: {
          type: 'AuthorizationCodeOAuth2ClientFilter',
          config: { clientEndpoint: '/login', requireHttps: false, registrations: [registration] },
        },
      },
    })
    const client = await provider.provider.Client.find('studio')
    Object.assign(client ?? {}, { redirectUris: [`${gateway.adminUrl}/login/callback`] })
    await using chromium = await Chromium.start()
    await chromium.withPage(async (page, context) => {
      await page.goto(`${gateway.adminUrl}/studio/routes`)
      await page.locator('input[name=login]').fill('ada')
      await page.locator('input[name=password]').fill('any')
      await page.locator('button[type=submit]').click()
      await page.locator('button[type=submit]').click()
      await page.getByRole('link', { name: 'hello' }).waitFor()
      assert.equal(page.url(), `${gateway.adminUrl}/studio/routes`)
      const names = (await context.cookies(gateway.adminUrl)).map(({ name }) => name)
      assert.ok(names.includes('gateway-admin-session'), names.join())

      // The browser sends the cookies of the host to the traffic connector too.
      const traffic = { url: `${gateway.url}/app`, name: 'a', value: '1' }
      await context.addCookies([traffic])
      await page.goto(traffic.url)
      await page.getByText('the application').waitFor()
      assert.match(received[0] ?? '', /\ba=1\b/)
      assert.doesNotMatch(received[0] ?? '', /gateway-(?:admin|studio)-/)
    })
  },
)
