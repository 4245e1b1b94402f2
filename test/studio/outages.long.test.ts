// Sessions, gateways and units that end while pages are open, and routes that are large or unknown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { freePort } from '#test/nginx'
import { PROBE_EXTENSION } from '#test/probe-extension'
import {
  canvasNode,
  deployDraft,
  gatewayWithStudio,
  HELLO,
  logInToStudio,
  openRoute,
  replaceJson,
  STUDIO_PASSWORD,
  STUDIO_TEST,
  StudioUnderTest,
} from '#test/studio'
import { waitUntil } from '#test/waiting'

const FAULTY = {
  condition: "${find(request.uri.path, '^/outside')}",
  handler: {
    type: 'Chain',
    config: {
      filters: [{ type: 'FaultFilter', config: { fault: 'outside' } }],
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    },
  },
}

const studio = new StudioUnderTest({
  admin: { studio: { idleTimeout: '10 seconds', sessionTimeout: '1 hour' } },
  routes: { hello: HELLO, faulty: FAULTY },
  extra: { 'probe.js': PROBE_EXTENSION },
})

const PASSWORD_FILE = 'secrets/gateway.admin.password'
const DRAFT = HELLO.replace('"entity": "hello"', '"entity": "drafted"')

/** Leaves a draft of the route hello. */
async function draftHello(page: Page): Promise<void> {
  await openRoute(page, 'hello')
  await replaceJson(page, DRAFT)
  await page.getByText('draft', { exact: true }).waitFor()
}

/** Waits for what a page shows when it is seen again: it reads the route then, and otherwise every ten seconds. */
async function seen(page: Page, shown: Locator): Promise<void> {
  await waitUntil(`${shown} is shown`, async () => {
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
    return await shown.isVisible()
  })
}

async function logInAgain(page: Page, password = STUDIO_PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('navigation').waitFor()
}

async function openMonitor(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Monitor', exact: true }).click()
  await page.getByRole('status').getByText('The last hour.').waitFor()
}

test(
  'a changed admin password ends the session on every tab, also where only a stream is open, and keeps the draft',
  STUDIO_TEST,
  studio.test(async (page) => {
    await draftHello(page)
    const monitor = await page.context().newPage()
    await monitor.goto(`${studio.gateway.adminUrl}/studio/monitor`)
    await monitor.getByRole('status').getByText('The last hour.').waitFor()
    studio.gateway.instance.write(PASSWORD_FILE, 'changed')
    try {
      await monitor.getByRole('textbox', { name: 'Password' }).waitFor()
      await seen(page, page.getByRole('button', { name: 'Log in' }))
      await logInAgain(page, 'changed')
      await page.getByRole('heading', { name: 'hello' }).waitFor()
      await page.getByRole('textbox', { name: 'JSON' }).getByText('"drafted"').waitFor()
      // The other tab has the same cookie.
      await monitor.getByRole('status').getByText('The last hour.').waitFor()
      await deployDraft(page)
      assert.equal(await studio.entityOf('/hello'), 'drafted')
    } finally {
      studio.gateway.instance.write(PASSWORD_FILE, STUDIO_PASSWORD)
      await studio.gateway.deploy('hello', HELLO)
    }
  }),
)

test(
  'a gateway that is restarted asks for the log-in again; the monitor goes on and the draft is deployed',
  STUDIO_TEST,
  () =>
    studio.chromium.withPage(async (page) => {
      const parts = { routes: { hello: HELLO }, admin: { adminConnector: { port: await freePort() } } }
      const first = await gatewayWithStudio(parts)
      await logInToStudio(page, first.adminUrl)
      await draftHello(page)
      await openMonitor(page)
      await first[Symbol.asyncDispose]()
      await page.getByText('Connection lost; trying again.').waitFor()
      await using second = await gatewayWithStudio(parts)
      await logInAgain(page)
      await page.getByRole('heading', { name: 'Monitor' }).waitFor()
      await page.getByRole('status').getByText('The last hour.').waitFor()
      await openRoute(page, 'hello')
      await page.getByRole('textbox', { name: 'JSON' }).getByText('"drafted"').waitFor()
      await deployDraft(page)
      assert.equal((await second.ask('/hello')).text, 'drafted')
    }),
)

test(
  'a unit that is lost and replaced is counted in the monitor',
  STUDIO_TEST,
  studio.test(async (page) => {
    await openMonitor(page)
    await studio.gateway.ask('/outside').catch(() => {})
    await studio.gateway.log.until(/a unit ended/)
    await studio.gateway.untilReady()
    const units = page.getByRole('region', { name: 'Units' })
    await units
      .getByText(/^[1-9]/)
      .nth(2)
      .waitFor()
    assert.match(await units.innerText(), /restarts\s+1/)
    assert.match(await units.innerText(), /ready\s+1/)
  }),
)

test(
  'a visible page uses its session, also where it only shows a stream',
  STUDIO_TEST,
  studio.test(async (page) => {
    const expires = () =>
      page.evaluate<string>(
        `fetch('/api/studio/session').then((response) => response.json()).then(({ expires }) => expires)`,
      )
    await openMonitor(page)
    const first = await expires()
    await waitUntil('the session is used', async () => (await expires()) > first)
  }),
)

test(
  'a route with as many values as the API takes is edited and deployed; one with more opens, and has a problem that says so',
  STUDIO_TEST,
  studio.test(async (page) => {
    const withValues = (length: number) => ({
      properties: Object.fromEntries(Array.from({ length }, (_, at) => [`name${at}`, `value ${at}`])),
      ...JSON.parse(HELLO.replace('// Greets.', '').replaceAll('hello', 'large')),
    })
    await studio.gateway.deploy('large', withValues(9_900))
    await page.reload()
    await openRoute(page, 'large')
    await canvasNode(page, /StaticResponseHandler/).press('Enter')
    const entity = page.getByRole('region', { name: 'Properties' }).getByLabel('entity')
    await entity.fill('still large')
    await entity.press('Enter')
    await page.getByText('draft', { exact: true }).waitFor()
    await deployDraft(page)
    assert.equal(await studio.entityOf('/large'), 'still large')
    await replaceJson(page, JSON.stringify(withValues(10_001), null, 2))
    await page.getByRole('list', { name: 'Problems' }).getByText('the route has more than 10000 values').waitFor()
    await studio.gateway.undeploy('large')
  }),
)

test(
  'a type that the gateway does not know is a node with a problem, and its fields are kept as they are',
  STUDIO_TEST,
  studio.test(async (page) => {
    const unknown = HELLO.replace('"HeaderFilter"', '"FromAnotherVersion"')
    await studio.gateway.deploy('unknown', unknown)
    await page.reload()
    await page.getByRole('row', { name: /unknown failed/ }).waitFor()
    await page.getByRole('link', { name: 'unknown', exact: true }).click()
    await canvasNode(page, /Marked, FromAnotherVersion, problem/).press('Enter')
    const properties = page.getByRole('region', { name: 'Properties' })
    await properties.getByLabel('messageType').waitFor()
    await properties.getByLabel('name', { exact: true }).fill('Renamed')
    await properties.getByLabel('name', { exact: true }).press('Enter')
    await canvasNode(page, /Renamed, FromAnotherVersion/).waitFor()
    const text = await page.evaluate<string>(
      `JSON.parse(Object.entries(localStorage).find(([key]) => key.endsWith(':_router/unknown'))[1]).text`,
    )
    assert.equal(text, unknown.replace('"Marked"', '"Renamed"'))
    await studio.gateway.undeploy('unknown')
  }),
)

test(
  'a file that is changed by hand while it is edited is announced, and both texts are there to compare',
  STUDIO_TEST,
  studio.test(async (page) => {
    await draftHello(page)
    await studio.gateway.deploy('hello', HELLO.replace('Greets', 'Greets by hand'))
    await seen(page, page.getByText('The route was changed at the gateway since this draft was begun.'))
    await page.getByRole('button', { name: 'Compare' }).click()
    const conflict = page.getByRole('dialog', { name: 'Conflict' })
    await conflict.getByText('Greets by hand').first().waitFor()
    await conflict.getByText('"drafted"').first().waitFor()
    await conflict.getByRole('button', { name: 'Use theirs' }).click()
    await page.getByRole('textbox', { name: 'JSON' }).getByText('Greets by hand').waitFor()
    await studio.gateway.deploy('hello', HELLO)
  }),
)
