// The same in a real browser: the gateway over TLS at one site, Keycloak at another.
import assert from 'node:assert/strict'
import { chromiumMissing } from '#test/chromium'
import { logInWith } from '../login-pages.ts'
import { client } from '../realm.ts'
import { loginRoute } from '../routes.ts'
import type { Part } from '../suite.ts'

export const browser: Part = {
  clients: (at) => [
    client(at, 'browser', { attributes: { 'post.logout.redirect.uris': `${at.secureApp}/browser/page` } }),
  ],
  routes: (at) => ({
    browser: loginRoute(at, 'browser', {
      filter: { openIdEndSessionOnLogout: true, requireHttps: true, defaultLogoutGoto: `${at.secureApp}/browser/page` },
    }),
  }),
  flows: [
    {
      name: 'Chromium: login, the page, back button, log-out and the login page again',
      skip: chromiumMissing,
      run: async ({ at, chromium }) =>
        chromium?.withPage(async (page) => {
          const url = `${at.secureApp}/browser/page`
          await page.goto(url)
          assert.ok(page.url().startsWith(at.issuer), page.url())
          await logInWith(page)
          await page.waitForURL(url)
          assert.match(await page.locator('body').innerText(), /^\/browser\/page alice/)
          await page.reload()
          assert.match(await page.locator('body').innerText(), /^\/browser\/page alice/)
          await page.goto(`${at.secureApp}/browser/oidc/logout`)
          await page.waitForSelector('#username')
          assert.ok(page.url().startsWith(at.issuer), page.url())
        }),
    },
    {
      name: 'Chromium: two tabs at the login page both return to their own pages',
      skip: chromiumMissing,
      run: async ({ at, chromium }) =>
        chromium?.withPage(async (first, context) => {
          const second = await context.newPage()
          await first.goto(`${at.secureApp}/browser/page?tab=1`)
          await second.goto(`${at.secureApp}/browser/page?tab=2`)
          await logInWith(first)
          await first.waitForURL(`${at.secureApp}/browser/page?tab=1`)
          // Keycloak redirects tabs at its login page automatically.
          await second.waitForURL(`${at.secureApp}/browser/page?tab=2`)
        }),
    },
  ],
}
