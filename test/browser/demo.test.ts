// The demo of the README and of the guide to logins, in a real browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, chromiumMissing } from '#test/chromium'
import { SpawnedCommand } from '#test/spawned-command'

const options = { skip: chromiumMissing, timeout: 60_000 }
let demo: SpawnedCommand
let chromium: Chromium
let traffic: string

before(async () => {
  if (chromiumMissing !== false) return
  demo = new SpawnedCommand(['demo', '--port', '0', '--admin-port', '0', '--am-port', '0', '--json'])
  const [[facts]] = await Promise.all([
    demo.writes(/^\{\n[\s\S]*?^\}$/m),
    Chromium.start().then((started) => {
      chromium = started
    }),
  ])
  traffic = (JSON.parse(facts) as { traffic: string }).traffic
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
    await page.click('text=echo')
    await page.waitForURL(`${traffic}/home/echo`)
    const echo = JSON.parse(await page.locator('body').innerText()) as { headers: Record<string, string> }
    assert.deepEqual([echo.headers['x-user'], echo.headers['cookie']], ['demo', undefined])
    await page.goBack()
    const denied = page.waitForResponse('**/home/slow?ms=2000')
    await page.click('text=slow')
    assert.equal((await denied).status(), 403)
    await page.goto(`${traffic}/home/`)
    await page.click('text=download')
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
