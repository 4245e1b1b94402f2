// Error and login pages of the gateway in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Chromium, chromiumMissing } from '#test/chromium'
import { RunningGateway } from '#test/gateway'
import { accessibilityFindings } from '#test/studio'

const options = { skip: chromiumMissing, timeout: 60_000 }

/** A login whose provider is not there: its callback page is a failure. */
const LOGIN = {
  condition: "${find(request.uri.path, '^/portal')}",
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          type: 'AuthorizationCodeOAuth2ClientFilter',
          config: {
            clientEndpoint: '/portal/oidc',
            requireHttps: false,
            registrations: [
              {
                type: 'ClientRegistration',
                config: {
                  clientId: 'portal',
                  tokenEndpointAuthMethod: 'none',
                  scopes: ['openid'],
                  issuer: {
                    type: 'Issuer',
                    config: {
                      issuer: 'http://127.0.0.1:1',
                      authorizeEndpoint: 'http://127.0.0.1:1/authorize',
                      tokenEndpoint: 'http://127.0.0.1:1/token',
                    },
                  },
                },
              },
            ],
          },
        },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    },
  },
}

test('error and login pages: shown with their style, without findings of axe-core', options, async () => {
  await using gateway = await RunningGateway.start({ routes: { portal: LOGIN } })
  await using chromium = await Chromium.start()
  for (const [path, status, text] of [
    ['/nowhere', 404, 'There is no page at this address.'],
    ['/portal/oidc/callback?state=unknown&code=x', 400, 'Log in again'],
    ['/portal/oidc/logout', 200, 'You are logged out'],
    [`/${'very-long-word-'.repeat(20)}%00`, 400, 'The request can not be processed.'],
  ] as const) {
    await chromium.withPage(async (page) => {
      const response = await page.goto(gateway.url + path)
      assert.equal(response?.status(), status)
      const content = await page.locator('main').innerText()
      assert.ok(content.includes(text), content)
      // The policy of the page allows its style.
      assert.equal(await page.evaluate('getComputedStyle(document.querySelector("main")).maxWidth'), '640px')
      assert.deepEqual(await accessibilityFindings(page), [])
      const { ERROR_PAGES: folder } = process.env
      if (folder === undefined) return
      const name = `${folder}/${status}-${path.split('/').length}`
      await page.screenshot({ path: `${name}.png` })
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize({ width: 360, height: 640 })
      await page.screenshot({ path: `${name}-dark-narrow.png` })
      assert.deepEqual(await accessibilityFindings(page), [])
    })
  }
})
