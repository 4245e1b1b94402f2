// Traffic in the Studio: requests that are tried, the live tail, and the monitor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { STUDIO_TEST, StudioUnderTest } from '#test/studio'

const GREETING = {
  condition: "${find(request.uri.path, '^/greet')}",
  handler: {
    type: 'Chain',
    config: {
      filters: [
        { name: 'Marked', type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Mark': ['<b>1</b>'] } } },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'good morning' } },
    },
  },
}
const NEVER = { condition: '${false}', handler: { type: 'StaticResponseHandler', config: { status: 500 } } }

const studio = new StudioUnderTest({ routes: { greet: GREETING, 'a-never': NEVER } })

// The canvas beside it has a status of its own (how many objects are selected).
function resultOf(region: Locator): Locator {
  return region.getByRole('status').filter({ hasText: 'route' })
}

function inStudio(pageName: string, use: (page: Page) => Promise<void>): () => Promise<void> {
  return studio.test(async (page) => {
    await page.getByRole('link', { name: pageName, exact: true }).click()
    await page.getByRole('heading', { name: pageName, exact: true }).waitFor()
    await use(page)
  })
}

test(
  'explain shows the routes that were tried with the values of their conditions, and the way on the canvas',
  STUDIO_TEST,
  inStudio('Try it', async (page) => {
    await page.getByRole('textbox', { name: 'URL' }).fill('/greet/you')
    await page.getByRole('button', { name: 'Explain' }).click()
    const explanation = page.getByRole('region', { name: 'Explanation' })
    await explanation.getByText('The route "greet" takes it.').waitFor()
    assert.match(await explanation.getByRole('listitem').first().innerText(), /a-never .*is false/)
    await explanation.locator('[aria-current="step"]', { hasText: 'Marked' }).waitFor()
  }),
)

test(
  'a request that is imported from curl is sent, and shows the response, the time in each object and its changes',
  STUDIO_TEST,
  inStudio('Try it', async (page) => {
    await page.getByRole('button', { name: 'Import curl' }).click()
    const line = `curl -X POST '/greet?a=b' \\\n -H 'X-One: it'"'"'s' --data-raw '{"a": 1}'`
    await page.getByRole('textbox', { name: 'curl' }).fill(line)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    assert.equal(await page.getByRole('textbox', { name: 'Method' }).inputValue(), 'POST')
    assert.equal(
      await page.getByRole('textbox', { name: 'Headers' }).inputValue(),
      "X-One: it's\nContent-Type: application/x-www-form-urlencoded",
    )
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('good morning').waitFor()
    assert.match(await resultOf(answer).innerText(), /^200 OK in [\d.]+ ms, route "greet"/)
    await answer.getByText('X-Mark: <b>1</b>').waitFor()
    assert.equal(await answer.locator('b').count(), 0)
    const node = answer.getByRole('group', { name: /Marked, HeaderFilter, [\d.]+ ms/ })
    assert.equal(await node.getAttribute('aria-current'), 'step')
  }),
)

test(
  'requests appear in the tail as they are answered, open with the time in each object, and a filter selects at the gateway',
  STUDIO_TEST,
  inStudio('Requests', async (page) => {
    const table = page.getByRole('table', { name: 'Requests' })
    const seen = async (text: string) => {
      // The stream opens after the page; requests before that are not in it.
      for (let attempt = 0; (await table.getByRole('row', { name: text }).count()) === 0; attempt++) {
        assert.ok(attempt < 100, `${text} is not shown`)
        await studio.gateway.ask('/greet/one')
        await studio.gateway.ask('/nothing')
        await page.evaluate('new Promise((resolve) => setTimeout(resolve, 50))')
      }
    }
    await seen('GET /greet/one 200')
    await table.getByRole('button', { name: '/greet/one' }).first().click()
    const trace = table.getByRole('region', { name: 'Trace' })
    assert.match(await resultOf(trace).innerText(), /^200 in [\d.]+ ms, route "greet"$/)
    const node = trace.getByRole('group', { name: /Marked, HeaderFilter, [\d.]+ ms/ })
    assert.equal(await node.getAttribute('aria-current'), 'step')
    const step = trace.getByRole('listitem').filter({ hasText: /^Marked [\d.]+ ms status 200/ })
    await step.getByText('Changes').click()
    await step.getByText('"x-mark": [').waitFor()
    assert.equal(await trace.locator('b').count(), 0)
    const again = await trace.getByRole('link', { name: 'Try it again' }).getAttribute('href')
    assert.match(String(again), /\/try-it\?method=GET&uri=%2Fgreet%2Fone$/)
    await page.getByRole('searchbox', { name: 'Filter requests' }).fill('status eq 404')
    await seen('GET /nothing 404')
    assert.equal(await table.getByRole('row', { name: '/greet/one' }).count(), 0)
  }),
)

test(
  'a request whose trace was discarded says so, and is explained by the routes of now',
  STUDIO_TEST,
  inStudio('Requests', async (page) => {
    const table = page.getByRole('table', { name: 'Requests' })
    // The gateway has no trace with this id.
    const other = new URL(
      '../api/monitor/trace/00000000-0000-0000-0000-000000000000',
      page.url().replace(/requests.*/, ''),
    )
    await page.route('**/api/monitor/trace/*', (route) => route.continue({ url: other.href }))
    const row = table.getByRole('button', { name: '/greet/gone' }).first()
    for (let attempt = 0; (await row.count()) === 0; attempt++) {
      assert.ok(attempt < 100, 'the request is not shown')
      await studio.gateway.ask('/greet/gone')
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 50))')
    }
    await row.click()
    await table.getByRole('alert').getByText('there is no trace with this id').waitFor()
    await table.getByText('The route "greet" takes it.').waitFor()
    const again = await table.getByRole('link', { name: 'Try it again with a trace' }).getAttribute('href')
    assert.match(String(again), /\/try-it\?method=GET&uri=%2Fgreet%2Fgone$/)
  }),
)

test(
  'the monitor shows requests per second',
  STUDIO_TEST,
  inStudio('Monitor', async (page) => {
    const region = page.getByRole('region', { name: 'Requests per second' }).first()
    const rate = region.getByRole('heading').locator('strong')
    for (let attempt = 0; ; attempt++) {
      assert.ok(attempt < 200, 'the rate stays at zero')
      for (let n = 0; n < 5; n++) await studio.gateway.ask('/greet')
      if ((await rate.count()) === 1 && Number(await rate.innerText()) > 0) break
    }
    await page.getByRole('table', { name: 'busiest routes' }).getByRole('cell', { name: 'greet' }).waitFor()
  }),
)
