// The demo of the README and of the guide to logins, in a real browser.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, chromiumMissing } from '#test/chromium'
import { SpawnedCommand } from '#test/spawned-command'
import { accessibilityFindings } from '#test/studio'

const options = { skip: chromiumMissing, timeout: 60_000 }
let demo: SpawnedCommand
let chromium: Chromium
let traffic: string
let secure: string

before(async () => {
  if (chromiumMissing !== false) return
  demo = new SpawnedCommand(['demo', '--port', '0', '--tls-port', '0', '--admin-port', '0', '--am-port', '0', '--json'])
  const [[facts]] = await Promise.all([
    demo.writes(/^\{\n[\s\S]*?^\}$/m),
    Chromium.start().then((started) => {
      chromium = started
    }),
  ])
  ;({ traffic, secure } = JSON.parse(facts) as { traffic: string; secure: string })
})

after(async () => {
  await chromium?.[Symbol.asyncDispose]()
  await demo?.[Symbol.asyncDispose]()
})

async function logIn(page: Page): Promise<void> {
  await page.fill('[name=IDToken1]', 'demo')
  await page.fill('[name=IDToken2]', 'changeit')
  await page.click('button')
}

test('demo: login, the page and its links, a policy that denies, a stronger login, logout', options, () =>
  chromium.withPage(async (page) => {
    await page.goto(`${traffic}/home`)
    assert.equal(await page.title(), 'Log in')
    await logIn(page)
    await page.waitForURL(`${traffic}/home/**`)
    assert.equal(await page.title(), 'A protected application')
    assert.equal(await page.locator('#user').innerText(), 'Logged in as demo by single sign-on')
    await page.getByRole('link', { name: 'echo', exact: true }).click()
    await page.waitForURL(`${traffic}/home/echo`)
    const echo = JSON.parse(await page.locator('body').innerText()) as { headers: Record<string, string> }
    assert.deepEqual([echo.headers['x-user'], echo.headers['cookie']], ['demo', undefined])
    await page.goBack()
    const denied = page.waitForResponse('**/home/slow?ms=2000')
    await page.getByRole('link', { name: 'slow' }).click()
    assert.equal((await denied).status(), 403)
    await page.goto(`${traffic}/home/`)
    await page.getByRole('link', { name: 'download' }).click()
    await page.waitForSelector('[name=IDToken1]')
    const downloading = page.waitForEvent('download')
    await logIn(page)
    const download = await downloading
    assert.equal(download.url(), `${traffic}/home/download?bytes=1000000`)
    await download.cancel()
    await page.goto(`${traffic}/home/logout`)
    assert.equal(page.url(), `${traffic}/`)
    await page.goto(`${traffic}/home/`)
    assert.equal(await page.title(), 'Log in')
  }),
)

test('demo: the pages lead from one feature to the next, and say who is logged in', options, () =>
  chromium.withPage(async (page) => {
    const next = () => page.getByRole('link', { name: /^Next: / }).click()
    const heading = () => page.locator('main h2').innerText()
    const user = () => page.locator('#user').innerText()
    await page.goto(`${traffic}/app`)
    assert.deepEqual([await heading(), await user()], ['Proxy', 'Not logged in'])
    assert.deepEqual(await accessibilityFindings(page), [])
    await screenshot(page, 'demo')
    await next()
    await logIn(page)
    await page.waitForURL(`${traffic}/home/**`)
    assert.equal(await user(), 'Logged in as demo by single sign-on')
    assert.deepEqual(await accessibilityFindings(page), [])
    await next()
    await page.waitForURL(`${traffic}/oidc/**`)
    assert.deepEqual([await heading(), await user()], ['OpenID Connect', 'Logged in as demo by OpenID Connect'])
    await next()
    assert.match(await page.locator('main').innerText(), /added a header: Good \w+, visitor/)
    await next()
    assert.equal(await heading(), 'Throttling')
    let status = 200
    for (let at = 0; at < 6 && status === 200; at++) status = (await page.reload())?.status() ?? 0
    assert.equal(status, 429)
    await page.goto(`${traffic}/websocket/`)
    await page.getByText('hello over WebSocket').waitFor()
    await page.getByLabel('Message').fill('through the gateway')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('THROUGH THE GATEWAY').waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
    await screenshot(page, 'demo-websocket')
    await next()
    assert.match(await page.locator('main').innerText(), /not encrypted/)
    const link = await page.getByRole('link', { name: 'Open this page with TLS' }).getAttribute('href')
    assert.equal(link, `${secure}/secure/`)
    await page.goto(`${secure}/secure/`)
    assert.match(await page.locator('main').innerText(), /This connection is encrypted/)
    await next()
    assert.equal(page.url(), `${traffic}/operate/`)
    assert.deepEqual([await heading(), await user()], ['Metrics and Studio', 'Not logged in'])
    await page.getByRole('link', { name: 'metrics', exact: true }).click()
    assert.match(await page.locator('body').innerText(), /gw_route_request_total\{name="oidc"/)
  }),
)

/** Writes a picture of the page into the folder BROWSER_SCREENSHOTS, where it is set. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['BROWSER_SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) })
}
