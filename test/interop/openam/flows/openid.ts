import assert from 'node:assert/strict'
import { BrowserLike } from '#test/browser-like'
import { chromiumMissing } from '#test/chromium'
import type { Flow } from '../../flows.ts'
import { COOKIE } from '../administrator.ts'
import { logInAtXui } from '../login-pages.ts'
import { forwardedRequest, type Peers } from '../peers.ts'
import { USER } from '../set-up.ts'

export const openIdFlows: readonly Flow<Peers>[] = [
  {
    name: "OpenID Connect: login with the defaults of OpenAM's client (Basic, HS256), and a session at the gateway",
    run: (peers) => logIn(peers, 'openid'),
  },
  {
    name: 'OpenID Connect: a secret with special characters, by client_secret_post',
    run: (peers) => logIn(peers, 'special'),
  },
  {
    name: 'OpenID Connect: a client secret that is too short for HS256 is the reason in the log, 503 for the browser',
    async run({ at, gateway, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      const browser = new BrowserLike()
      const [, authorization] = await redirects(browser, `${at.app}/short/page`, 1)
      const answer = await browser.ask(authorization as string, { headers: { Cookie: `${COOKIE}=${session}` } })
      const { status } = await browser.open(answer.headers.get('location') as string)
      assert.equal(status, 503, 'status')
      const line = await gateway.log.until(/short.*(?:HS256|too short|bits|bytes)/)
      return JSON.stringify(line)
    },
  },
  {
    name: 'OpenID Connect: in Chromium, by the pages of XUI',
    skip: chromiumMissing,
    async run({ chromium, at }) {
      await chromium?.withPage(async (page) => {
        await page.goto(`${at.app}/openid/page?x=1`)
        await logInAtXui(page, USER)
        await page.waitForURL(`${at.app}/openid/page?x=1`)
        assert.match(String(await page.innerText('body')), new RegExp(`"x-user":"${USER.name}"`), 'page')
      })
    },
  },
]

async function logIn({ at, openam }: Peers, route: string): Promise<void> {
  const session = await openam.admin.session(USER.name, USER.password)
  const browser = new BrowserLike()
  const [, authorization] = await redirects(browser, `${at.app}/${route}/page?x=1`, 1)
  // With a session OpenAM sends the browser straight back; consent is implied.
  const answer = await browser.ask(authorization as string, { headers: { Cookie: `${COOKIE}=${session}` } })
  assert.equal(answer.status, 302, 'status of the authorization endpoint')
  const page = await browser.open(answer.headers.get('location') as string)
  assert.equal(forwardedRequest({ ...page, headers: {}, rawHeaders: [] }).headers['x-user'], USER.name, 'user')
  assert.equal((await browser.ask(`${at.app}/${route}/other`)).status, 200, 'status of another page')
}

/** The addresses that a number of redirects lead to, without going to the last one. */
async function redirects(browser: BrowserLike, url: string, count: number): Promise<string[]> {
  const found = [url]
  for (let at = 0; at < count; at += 1) {
    const { status, headers } = await browser.ask(found.at(-1) as string)
    assert.equal(status, 302, `status of ${found.at(-1)}`)
    found.push(new URL(headers.get('location') as string, found.at(-1)).href)
  }
  return found
}
