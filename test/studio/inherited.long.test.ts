// Objects that a route inherits and decorators of the route itself, in the Studio.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  accessibilityFindings,
  canvasNode,
  chooseCompletion,
  deployDraft,
  enter,
  openRoute,
  replaceJson,
  STUDIO_TEST,
  StudioUnderTest,
} from '#test/studio'

const CONFIG = {
  heap: [
    { name: '_router', type: 'Router' },
    { name: 'Marked', type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Mark': ['secret mark'] } } },
    {
      name: 'Rates',
      type: 'MappedThrottlingPolicy',
      config: {
        throttlingRateMapper: 'x',
        throttlingRatesMapping: {},
        defaultRate: { numberOfRequests: 1000, duration: '1 minute' },
      },
    },
    { name: 'Answer', type: 'StaticResponseHandler', config: { status: 200, entity: 'of config.json' } },
  ],
  handler: '_router',
}
const ROUTE = {
  condition: "${find(request.uri.path, '^/inherited')}",
  timer: true,
  baseURI: 'http://localhost:8081',
  handler: {
    type: 'Chain',
    config: {
      filters: ['Marked', { name: 'Throttled', type: 'ThrottlingFilter', config: { throttlingRatePolicy: 'Rates' } }],
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'own' } },
    },
  },
}
const studio = new StudioUnderTest({ files: { 'config/config.json': CONFIG }, routes: { inherited: ROUTE } })

test(
  'objects of config.json stand beside the route, linked where they are used; decorators of the route are badges',
  STUDIO_TEST,
  studio.testOfRoute('inherited', async (page) => {
    const rates = canvasNode(page, /^Rates, MappedThrottlingPolicy, inherited from config\.json$/)
    await rates.waitFor()
    await canvasNode(page, /^Marked, HeaderFilter, inherited from config\.json$/).waitFor()
    assert.equal(await canvasNode(page, /Answer/).count(), 0, 'an object that is not used')
    assert.equal(await canvasNode(page, /^Throttled/).getAttribute('aria-description'), 'uses Rates')
    const entry = canvasNode(page, /condition, timer, baseURI$/)
    assert.deepEqual(await entry.locator('.badge').allInnerTexts(), ['timer', 'baseURI'])
    const text = await page.content()
    assert.ok(!text.includes('secret mark'), 'configuration of inherited objects is not sent')
    await rates.press('Delete')
    await rates.press('Alt+ArrowLeft')
    await rates.press('Enter')
    assert.equal(await page.getByRole('button', { name: 'Undo' }).isDisabled(), true, 'nothing is changed')
    assert.deepEqual(await accessibilityFindings(page), [])
    const line = `getComputedStyle(document.querySelector('.react-flow__edge.reference path'))`
    assert.deepEqual(await page.evaluate(`[${line}.animationName, ${line}.strokeDasharray]`), ['none', '5px'])
  }),
)

test(
  'inherited objects of fitting types are choices of a reference',
  STUDIO_TEST,
  studio.testOfRoute('inherited', async (page) => {
    const properties = page.getByRole('region', { name: 'Properties' })
    const choicesOf = async (field: string) => {
      const list = await properties.getByLabel(field, { exact: true }).getAttribute('list')
      const options = page.locator(`datalist[id="${list}"] option`)
      return options.evaluateAll((found) => found.map((one) => (one as { value?: string }).value))
    }
    await canvasNode(page, /^Throttled/).click()
    await properties.getByLabel('throttlingRatePolicy', { exact: true }).waitFor()
    assert.deepEqual(await choicesOf('throttlingRatePolicy'), ['Rates'])
    await canvasNode(page, /^Marked, inherited$/).click()
    await properties.getByLabel('reference').waitFor()
    assert.deepEqual(await choicesOf('reference'), ['Marked', 'TransactionIdOutboundFilter'])
    await enter(properties.getByLabel('reference'), 'TransactionIdOutboundFilter')
    await canvasNode(page, /^TransactionIdOutboundFilter, inherited$/).waitFor()
  }),
)

test(
  'the text completes keys of a route, names of fitting objects, and fitting types',
  STUDIO_TEST,
  studio.test(async (page) => {
    await openRoute(page, 'inherited')
    await replaceJson(page, '{ ')
    await page.keyboard.type('"cond')
    await chooseCompletion(page, 'condition')
    await page.keyboard.insertText(`"\${find(request.uri.path, '^/inherited')}", `)
    await page.keyboard.type('"tim')
    await chooseCompletion(page, 'timer')
    await page.keyboard.insertText('true, "handler": { "type": "Chain", "config": { "filters": [')
    await page.keyboard.type('"')
    await page.getByRole('option', { name: 'Marked', exact: true }).waitFor()
    assert.equal(await page.getByRole('option', { name: 'Answer', exact: true }).count(), 0)
    await chooseCompletion(page, 'Marked')
    await page.keyboard.type(', { "type": "C')
    await page.getByRole('option', { name: 'CookieFilter', exact: true }).waitFor()
    assert.equal(await page.getByRole('option', { name: 'ClientHandler', exact: true }).count(), 0)
    await chooseCompletion(page, 'CookieFilter')
    await page.keyboard.insertText(', "config": {} }], "handler": ')
    await page.keyboard.type('"Ans')
    await chooseCompletion(page, 'Answer')
    await page.keyboard.insertText(' } } }')
    await page.getByText('No problems.').waitFor()
    await deployDraft(page)
    assert.equal(await studio.entityOf('/inherited'), 'of config.json')
    await studio.gateway.deploy('inherited', ROUTE)
  }),
)
