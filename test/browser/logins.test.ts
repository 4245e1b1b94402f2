// Logins in a real browser, with its rules for cookies, sites and redirects.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { opensslMissing } from '#test/certificates'
import { Chromium, chromiumMissing } from '#test/chromium'
import { waitUntil } from '#test/waiting'
import { policy, Sites } from './sites.ts'

const skip = chromiumMissing || opensslMissing
const options = { timeout: 60_000 }

/** Fills in the login page of an access manager, and waits for the next page. */
async function logIn(page: Page, then: RegExp, password = 'changeit'): Promise<void> {
  await page.fill('[name=IDToken1]', 'demo')
  await page.fill('[name=IDToken2]', password)
  await page.click('button')
  await page.waitForURL(then)
}

/** Fills in the pages of an OpenID provider; consent is requested once for each user. */
async function logInAtProvider(page: Page, then: string): Promise<void> {
  await page.fill('[name=login]', 'demo')
  await page.fill('[name=password]', 'anything')
  await page.click('button[type=submit]')
  const consent = page.getByText('Continue')
  await consent.or(page.getByText('demo of test at')).waitFor()
  if (await consent.isVisible()) await consent.click()
  await page.waitForURL(then)
  assert.equal(await heading(page), `demo of test at ${then}`)
}

const heading = (page: Page): Promise<string> => page.locator('h1').innerText()

async function cookieNames(context: BrowserContext, url: string): Promise<string[]> {
  return (await cookiesOf(context, url)).map(({ name }) => name)
}

/** The cookies of a site, without the one that counts logins for ten seconds. */
async function cookiesOf(context: BrowserContext, url: string) {
  return (await context.cookies(url)).filter(({ name }) => !name.includes('gateway-rounds-'))
}

/** The URLs in the history of a page, and its own. */
async function historyOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { entries, currentIndex } = await session.send('Page.getNavigationHistory')
  return entries.slice(0, currentIndex + 1).map(({ url }) => url)
}

describe('in a browser', { skip }, () => {
  let chromium: Chromium
  let sites: Sites

  before(async () => {
    ;[chromium, sites] = await Promise.all([Chromium.start(), Sites.start()])
  })
  after(async () => {
    await chromium[Symbol.asyncDispose]()
    await sites[Symbol.asyncDispose]()
  })

  test('SingleSignOnFilter: login, the page, another host of the domain, logout', options, () =>
    chromium.withPage(async (page, context) => {
      await page.goto(sites.http('/sso/page?x=1'))
      assert.match(page.url(), /^http:\/\/am\.example\.test:\d+\/am\//)
      await logIn(page, /am\.example\.test/, 'wrong')
      assert.equal(await page.getByRole('alert').innerText(), 'Authentication failed.')
      await logIn(page, /^https?:\/\/app\.example\.test.*\/sso\/page\?x=1/)
      assert.match(await heading(page), /^demo at http:\/\/app\.example\.test:\d+\/sso\/page\?x=1$/)
      const [cookie] = await context.cookies(page.url())
      assert.deepEqual([cookie?.name, cookie?.domain, cookie?.httpOnly], ['iPlanetDirectoryPro', '.example.test', true])
      const there = sites.http('/sso/page').replace('app.', 'shop.')
      await page.goto(there)
      assert.equal(await heading(page), `demo at ${there}`)
      await page.goto(sites.http('/sso/logout'))
      await page.waitForURL('**/goodbye')
      assert.deepEqual(await cookieNames(context, page.url()), [])
      await page.goto(sites.http('/sso/page'))
      assert.equal(await heading(page), 'Log in')
    }),
  )

  test(
    'SingleSignOnFilter: a cookie that is never sent back ends in an error page, not in a redirect loop',
    options,
    () =>
      chromium.withPage(async (page) => {
        await page.goto(sites.http('/lost/page'))
        await logIn(page, /^https?:\/\/app\.example\.test/)
        assert.match(await page.locator('body').innerText(), /iPlanetDirectoryPro was not sent/)
      }),
  )

  test('CrossDomainSingleSignOnFilter: login at another site, reload, step-up, logout', options, () =>
    chromium.withPage(async (page, context) => {
      await page.goto(sites.https('/far/page?x=1'))
      assert.match(page.url(), /^http:\/\/am\.other\.test:/)
      await logIn(page, /^https?:\/\/app\.example\.test.*\/far\/page\?x=1/)
      assert.equal(page.url(), sites.https('/far/page?x=1'), 'nothing of the login stays in the address bar')
      assert.match(await heading(page), /^demo at https:\/\/app\.example\.test:\d+\/far\/page\?x=1$/)
      assert.deepEqual(
        (await context.cookies(page.url())).map(({ name, sameSite, secure, httpOnly }) => [
          name,
          sameSite,
          secure,
          httpOnly,
        ]),
        [['gateway-cdsso', 'Lax', true, true]],
      )
      await page.reload()
      assert.match(await heading(page), /^demo at/)
      await page.goto(sites.https('/far/strong'))
      assert.match(page.url(), /^http:\/\/am\.other\.test:/)
      await logIn(page, /^https?:\/\/app\.example\.test.*\/far\/strong/)
      assert.match(await heading(page), /^demo at .*\/far\/strong$/)
      await page.goto(sites.https('/far/logout'))
      await page.waitForURL('**/goodbye')
      assert.deepEqual(await cookieNames(context, page.url()), [])
      await page.goto(sites.https('/far/page'))
      assert.equal(await heading(page), 'Log in')
    }),
  )

  test('CrossDomainSingleSignOnFilter: two tabs at the login page both return to their own pages', options, () =>
    chromium.withPage(async (first, context) => {
      const second = await context.newPage()
      await first.goto(sites.https('/far/page?tab=1'))
      await second.goto(sites.https('/far/page?tab=2'))
      await logIn(first, /\/far\/page\?tab=1/)
      await logIn(second, /\/far\/page\?tab=2/)
      assert.match(await heading(second), /tab=2$/)
      await first.reload()
      assert.match(await heading(first), /tab=1$/)
    }),
  )

  test('CrossDomainSingleSignOnFilter: a SameSite=Strict cookie works too', options, () =>
    chromium.withPage(async (page, context) => {
      await page.goto(sites.https('/strict/page'))
      await logIn(page, /^https?:\/\/app\.example\.test.*\/strict\/page/)
      assert.match(await heading(page), /^demo at .*\/strict\/page$/)
      assert.equal((await context.cookies(page.url()))[0]?.sameSite, 'Strict')
    }),
  )

  for (const [route, where, address] of [
    ['near-id', 'of the same site', (path: string) => sites.http(path)],
    ['far-id', 'of another site', (path: string) => sites.https(path)],
  ] as const) {
    test(`OpenID Connect at a provider ${where}: login, consent, page, reload, logout`, options, () =>
      chromium.withPage(async (page) => {
        const wanted = address(`/${route}/page?x=1`)
        await page.goto(wanted)
        assert.match(page.url(), /^http:\/\/login\.(?:example|other)\.test:\d+\/interaction\//)
        await logInAtProvider(page, wanted)
        await page.reload()
        assert.equal(await heading(page), `demo of test at ${wanted}`)
        await page.goto(address(`/${route}/oidc/logout?goto=/goodbye`))
        await page.getByText('Yes, sign me out').click()
        await page.waitForURL('**/goodbye')
        await page.goto(wanted)
        await page.waitForSelector('[name=login]')
      }),
    )
  }

  test('OpenID Connect: pages opened concurrently, each with a session, are all shown', options, () =>
    chromium.withPage(async (first, context) => {
      const second = await context.newPage()
      await first.goto(sites.http('/near-id/page?tab=1'))
      // Of two responses that set the session cookie, the later one wins.
      await context.clearCookies({ name: 'gateway-session' })
      await second.goto(sites.http('/near-id/page?tab=2'))
      await logInAtProvider(first, sites.http('/near-id/page?tab=1'))
      await logInAtProvider(second, sites.http('/near-id/page?tab=2'))
      assert.deepEqual(await cookieNames(context, first.url()), ['gateway-session'])
    }),
  )

  test('OpenID Connect at a provider of another site, with a SameSite=Strict session cookie', options, () =>
    chromium.withPage(async (page, context) => {
      await page.goto(sites.https('/strict-id/page'))
      await logInAtProvider(page, sites.https('/strict-id/page'))
      const cookies = await cookiesOf(context, page.url())
      assert.deepEqual(
        cookies.map(({ name, sameSite }) => [name, sameSite]),
        [['strict-session', 'Strict']],
      )
      const history = await historyOf(page)
      assert.ok(
        !history.some((url) => url.includes('/callback')),
        `the callback is in the history: ${history.join(' ')}`,
      )
    }),
  )

  test(
    'OpenID Connect: the answer of a provider of another site comes as a form, and the session goes on',
    options,
    () =>
      chromium.withPage(async (page, context) => {
        const wanted = sites.https('/posted-id/page')
        await page.goto(wanted)
        await logInAtProvider(page, wanted)
        const [before] = (await cookiesOf(context, wanted)).map(({ value }) => value)
        const history = await historyOf(page)
        assert.ok(!history.some((url) => url.includes('code=')), history.join(' '))
        assert.deepEqual(await cookieNames(context, wanted), ['gateway-session'])
        await page.goto(sites.https('/posted-id/oidc/login?goto=/posted-id/page'))
        await page.waitForURL(wanted)
        const [after] = (await cookiesOf(context, wanted)).map(({ value }) => value)
        assert.notEqual(after, before, 'a new id for the same session')
      }),
  )

  test('OpenID Connect: the back button after a login shows no error', options, () =>
    chromium.withPage(async (page) => {
      await page.goto(sites.https('/far-id/page'))
      await logInAtProvider(page, sites.https('/far-id/page'))
      const history = await historyOf(page)
      const callback = history.find((url) => url.includes('/callback'))
      if (callback === undefined) return
      await page.goto(callback)
      assert.ok(!page.url().includes('/callback'), page.url())
    }),
  )

  test('advices: a stronger login opens the page for good, an approved transaction once', options, () =>
    chromium.withPage(async (page) => {
      await page.goto(sites.http('/sso/page'))
      await logIn(page, /^https?:\/\/app\.example\.test/)
      await page.goto(sites.http('/sso/strong'))
      assert.equal(await heading(page), 'Log in')
      await logIn(page, /^https?:\/\/app\.example\.test/)
      for (let attempt = 0; attempt < 2; attempt += 1) {
        assert.match(await heading(page), /^demo at .*\/sso\/strong$/)
        await page.reload()
      }
      await page.goto(sites.http('/sso/transfer'))
      await logIn(page, /^https?:\/\/app\.example\.test.*_txid=/)
      assert.match(await heading(page), /^demo at .*\/sso\/transfer$/)
      await page.reload()
      assert.equal(await heading(page), 'Log in')
    }),
  )

  test('a changed policy applies immediately to an open page', options, () =>
    chromium.withPage(async (page) => {
      await page.goto(sites.http('/sso/page'))
      await logIn(page, /^https?:\/\/app\.example\.test/)
      const address = sites.http('/sso/report')
      assert.equal((await page.goto(address))?.status(), 403)
      assert.equal(await heading(page), 'not allowed')
      /** Notifications arrive long before a TTL ends. */
      const becomes = async (status: number): Promise<void> => {
        await waitUntil(`a reload got ${status}`, async () => (await page.reload())?.status() === status)
      }
      sites.near.putPolicy(policy('report', { resources: ['*://*:*/sso/report'] }))
      await becomes(200)
      assert.equal(await heading(page), `demo at ${address}`)
      sites.near.removePolicy('report')
      await becomes(403)
    }),
  )

  test('CsrfFilter: a form of another site is rejected, the own page with the token is not', options, () =>
    chromium.withPage(async (page, context) => {
      await page.goto(sites.http('/bank'))
      await logIn(page, /^https?:\/\/app\.example\.test/)
      /** Presses a button that submits to the bank; returns the response. */
      const pays = async (from: Page, button: string): Promise<string> => {
        const answered = from.waitForResponse('**/pay')
        await from.click(button)
        const answer = await answered
        return answer.ok() ? answer.text() : String(answer.status())
      }
      const elsewhere = await context.newPage()
      await elsewhere.goto(sites.stranger('/unguarded'))
      // Chromium sends a cookie without SameSite for its first two minutes, for any origin of the form.
      assert.equal(await pays(elsewhere, 'button'), 'paid by demo')
      await elsewhere.goto(sites.stranger('/bank'))
      assert.equal(await pays(elsewhere, 'button'), '403')
      assert.equal(await pays(page, '#token'), 'paid by demo')
      assert.equal(await pays(page, '#form'), '403')
    }),
  )
})
