// npm run studio:screenshots [-- FOLDER [WIDTH HEIGHT]]: pictures of the Studio's main pages, light and dark, of a gateway with some traffic.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Chromium, chromiumMissing } from '#test/chromium'
import { gatewayWithStudio, logInToStudio } from '#test/studio'
import { root } from './steps.ts'

const [folder = join(root, 'docs', 'guide', 'studio'), width = 1280, height = 800] = process.argv.slice(2)
if (chromiumMissing !== false) {
  console.error(chromiumMissing)
  process.exit(69)
}

/** Milliseconds of traffic that the charts of the monitor show. */
const CHARTED = 20_000

const shop = {
  name: 'shop',
  condition: "${find(request.uri.path, '^/shop')}",
  capture: 'all',
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          name: 'Limit',
          type: 'ThrottlingFilter',
          config: {
            requestGroupingPolicy: '${contexts.client.remoteAddress}',
            rate: { numberOfRequests: 10000, duration: '1 minute' },
          },
        },
        'SecurityHeaders',
        { name: 'Marked', type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Shop': ['1'] } } },
      ],
      handler: {
        name: 'Pages',
        type: 'DispatchHandler',
        config: {
          bindings: [
            {
              condition: "${request.method == 'GET'}",
              handler: { type: 'StaticResponseHandler', config: { status: 200 } },
            },
            { handler: { name: 'NotAllowed', type: 'StaticResponseHandler', config: { status: 405 } } },
          ],
        },
      },
    },
  },
}
const health = {
  condition: "${request.uri.path == '/ping'}",
  handler: { type: 'StaticResponseHandler', config: { status: 204 } },
}

const page = (path: string) => ({
  condition: `\${find(request.uri.path, '^${path}')}`,
  handler: { type: 'StaticResponseHandler', config: { status: 200 } },
})
/** A field that its type does not have. */
const broken = { condition: "${request.uri.path == '/old'}", handler: { type: 'Router', config: { directry: 'old' } } }

const config = {
  heap: [
    { name: '_router', type: 'Router' },
    {
      name: 'SecurityHeaders',
      type: 'HeaderFilter',
      config: { messageType: 'RESPONSE', add: { 'X-Content-Type-Options': ['nosniff'] } },
    },
  ],
  handler: '_router',
}

await using running = await gatewayWithStudio({
  files: { 'config/config.json': config },
  routes: { health, help: page('/help'), news: page('/news'), old: broken, shop },
})
await using chromium = await Chromium.start()
mkdirSync(folder, { recursive: true })
for (const colorScheme of ['light', 'dark'] as const) {
  await chromium.withPage(async (page) => {
    const shot = async (name: string) => {
      const path = join(folder, `${name}-${colorScheme}.png`)
      await page.screenshot({ path })
      console.log(path)
    }
    const traffic = async () => {
      for (let n = 0; n < 60; n++)
        await running.ask(n % 9 === 0 ? '/ping' : `/shop/${n}`, { method: n % 7 === 0 ? 'POST' : 'GET' })
    }
    await page.setViewportSize({ width: Number(width), height: Number(height) })
    await page.emulateMedia({ colorScheme })
    await logInToStudio(page, running.adminUrl)
    await page.getByRole('row', { name: /shop.*loaded/ }).waitFor()
    await traffic()
    // Requests and their 99th percentile, from the next event of the metrics; a phone has no such columns.
    if (Number(width) > 640) await page.getByRole('row', { name: /shop.*loaded.* [1-9][\d.]* .*\d$/ }).waitFor()
    await shot('routes')
    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByRole('group', { name: /Marked/ }).click()
    await page.getByRole('region', { name: 'Properties' }).getByLabel('messageType').waitFor()
    await shot('route')
    await page.getByRole('link', { name: 'Try it' }).click()
    await page.getByRole('textbox', { name: 'URL' }).fill('/shop/shoes')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('group', { name: /Marked.*ms/ }).waitFor()
    await shot('try-it')
    await page.getByRole('link', { name: 'Requests' }).click()
    const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row')
    while ((await rows.count()) < 30) await traffic()
    await shot('requests')
    await page.getByRole('link', { name: 'Monitor' }).click()
    await page.getByRole('table', { name: 'Busiest routes' }).waitFor()
    const begun = performance.now()
    while (performance.now() - begun < CHARTED) await traffic()
    await shot('monitor')
  })
}
