// Forms, expressions and completion of a route in the Studio.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  accessibilityFindings,
  canvasNode,
  chooseCompletion,
  deployDraft,
  enter,
  openRoute,
  STUDIO_TEST,
  StudioUnderTest,
} from '#test/studio'

const ROUTE = `{
  "properties": { "shop": "of the route" },
  "heap": [
    {
      "name": "Rates",
      "type": "DefaultRateThrottlingPolicy",
      "config": { "delegateThrottlingRatePolicy": "Mapped", "defaultRate": { "numberOfRequests": 9, "duration": "1 minute" } }
    },
    {
      "name": "Mapped",
      "type": "MappedThrottlingPolicy",
      "config": {
        "throttlingRateMapper": "x",
        "throttlingRatesMapping": {},
        "defaultRate": { "numberOfRequests": 9, "duration": "1 minute" }
      }
    },
    { "name": "Cookies", "type": "CookieFilter", "config": {} }
  ],
  "condition": "\${find(request.uri.path, '^/forms')}",
  "handler": {
    "type": "Chain",
    "config": {
      "filters": [
        {
          "name": "Marked",
          "type": "HeaderFilter",
          "config": {
            "messageType": "RESPONSE",
            "add": {
              // Seen by clients.
              "X-Mark": ["1"]
            },
            "_note": "kept"
          }
        },
        {
          "name": "Throttled",
          "type": "ThrottlingFilter",
          "config": { "rate": { "numberOfRequests": 1000, "duration": "1 minute" } }
        }
      ],
      "handler": { "type": "StaticResponseHandler", "config": { "status": 200, "entity": "\${shop} \${request.method}" } }
    }
  }
}
`

const OLD = {
  condition: "${find(request.uri.path, '^/old')}",
  handler: { name: 'Old', type: 'ReverseProxyHandler', config: { systemProxy: false } },
}
const studio = new StudioUnderTest({ routes: { forms: ROUTE, old: OLD } })

/** Runs a test in the editor of the route with an object selected. */
function withSelected(name: RegExp, use: (page: Page, properties: Locator) => Promise<void>): () => Promise<void> {
  return studio.test(async (page) => {
    await studio.gateway.deploy('forms', ROUTE)
    await openRoute(page, 'forms')
    await canvasNode(page, name).click()
    await use(page, page.getByRole('region', { name: 'Properties' }))
  })
}

async function deployed(page: Page): Promise<string> {
  await deployDraft(page)
  return studio.fileOf('forms')
}

test(
  'lists and maps of texts are edited as rows, and comments beside them stay',
  STUDIO_TEST,
  withSelected(/Marked/, async (page, properties) => {
    const add = properties.getByRole('group', { name: 'add' })
    await enter(add.getByLabel('add value 1'), '2')
    await add.getByRole('button', { name: 'Add row' }).click()
    await enter(add.getByLabel('add name 2'), 'X-Other')
    await enter(add.getByLabel('add value 2'), 'one')
    await add.getByRole('button', { name: 'Add value' }).nth(1).click()
    await enter(add.getByLabel('add value 2.2'), 'two')
    const remove = properties.getByRole('group', { name: 'remove' })
    for (const name of ['Server', 'Via']) {
      await remove.getByRole('button', { name: 'Add row' }).click()
      await enter(remove.getByRole('textbox').last(), name)
    }
    await remove.getByRole('button', { name: 'Delete row' }).first().click()
    assert.deepEqual(await accessibilityFindings(page), [])
    const text = await deployed(page)
    assert.match(text, /\/\/ Seen by clients\.\n\s+"X-Mark": \[\s*"2"\s*\]/)
    assert.match(text, /"X-Other": \[\s+"one",\s+"two"\s+\]/)
    assert.match(text, /"_note": "kept"/)
    assert.match(text, /"remove": \[\s+"Via"\s+\]/)
    await remove.getByRole('button', { name: 'Delete row' }).click()
    assert.doesNotMatch(await deployed(page), /"remove"/)
  }),
)

test(
  'a name that is there twice is refused, and nothing is lost',
  STUDIO_TEST,
  withSelected(/Marked/, async (page, properties) => {
    const add = properties.getByRole('group', { name: 'add' })
    await add.getByRole('button', { name: 'Add row' }).click()
    await enter(add.getByLabel('add value 2'), 'other')
    await enter(add.getByLabel('add name 2'), 'X-Mark')
    await add.getByText('The name X-Mark is there twice').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Deploy' }).isDisabled(), true)
    await enter(add.getByLabel('add name 2'), 'X-Second')
    assert.match(await deployed(page), /"X-Mark": \[\s*"1"\s*\],\s+"X-Second": "other"/)
  }),
)

test(
  'an object is edited by its fields, and a reference is the name of a fitting object or a new one',
  STUDIO_TEST,
  withSelected(/Throttled/, async (page, properties) => {
    const rate = properties.getByRole('group', { name: 'rate', exact: true })
    await enter(rate.getByLabel('numberOfRequests'), '7')
    const policy = properties.getByLabel('throttlingRatePolicy')
    const list = page.locator(`datalist[id="${await policy.getAttribute('list')}"] option`)
    assert.deepEqual(await list.evaluateAll((found) => found.map((one) => (one as { value?: string }).value)), [
      'Rates',
      'Mapped',
    ])
    assert.match(await deployed(page), /"rate": \{ "numberOfRequests": 7, "duration": "1 minute" \}/)
    await properties.getByLabel('New inline ThrottlingPolicy').selectOption('ScriptableThrottlingPolicy')
    await page.getByRole('textbox', { name: 'JSON' }).getByText('"ScriptableThrottlingPolicy"').first().waitFor()
  }),
)

test(
  'an expression is evaluated for a sample request, with the properties of the route',
  STUDIO_TEST,
  withSelected(/StaticResponseHandler/, async (_, properties) => {
    await properties.getByRole('button', { name: 'Dry run' }).click()
    const panel = properties.getByRole('group', { name: 'Dry run' })
    await panel.getByLabel('Method').fill('PUT')
    await panel.getByRole('button', { name: 'Evaluate' }).click()
    await panel.getByText('"of the route PUT" string').waitFor()
    await enter(properties.getByLabel('entity'), '${1 + (2}')
    await panel.getByRole('button', { name: 'Evaluate' }).click()
    await panel.getByText(/^Column 9: /).waitFor()
    assert.equal(await panel.getByLabel('Method').inputValue(), 'PUT')
  }),
)

test(
  'the condition of a route is evaluated for a URL',
  STUDIO_TEST,
  withSelected(/condition|find\(/i, async (page, properties) => {
    await properties.getByRole('button', { name: 'Dry run' }).click()
    const panel = properties.getByRole('group', { name: 'Dry run' })
    await panel.getByLabel('URL').fill('/forms/one')
    await panel.getByRole('button', { name: 'Evaluate' }).click()
    await panel.getByText('true boolean').waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
    await panel.getByLabel('URL').fill('/other')
    await panel.getByRole('button', { name: 'Evaluate' }).click()
    await panel.getByText('false boolean').waitFor()
  }),
)

test(
  'the text is completed by the schema of the type around the cursor',
  STUDIO_TEST,
  withSelected(/Marked/, async (page, properties) => {
    await properties.getByRole('group', { name: 'add' }).waitFor()
    const json = page.getByRole('textbox', { name: 'JSON' })
    await json.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('{ "heap": [{ ')
    await page.keyboard.type('"type": "HeaderF')
    await chooseCompletion(page, 'HeaderFilter')
    await page.keyboard.type(', "config": { "mess')
    await chooseCompletion(page, 'messageType')
    await page.keyboard.type('"RESP')
    await chooseCompletion(page, 'RESPONSE')
    await page.keyboard.type(' } }] }')
    await json.getByText('{ "heap": [{ "type": "HeaderFilter", "config": { "messageType": "RESPONSE" } }] }').waitFor()
    assert.match(await page.getByRole('list', { name: 'Problems' }).innerText(), /line 1/)
  }),
)

test(
  'a field of the text shows its description under the pointer',
  STUDIO_TEST,
  withSelected(/Marked/, async (page, properties) => {
    await properties.getByRole('group', { name: 'add' }).waitFor()
    await page.getByRole('textbox', { name: 'JSON' }).getByText('"messageType"').hover()
    await page.getByRole('tooltip').getByText('Message to change: the request or the response.').waitFor()
  }),
)

test(
  'fields are shown with the definition of their type, so that nothing that is typed is lost when it arrives late',
  STUDIO_TEST,
  studio.test(async (page) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/types/StaticResponseHandler*', async (route) => {
      await released
      await route.continue()
    })
    await openRoute(page, 'forms')
    await canvasNode(page, /StaticResponseHandler/).press('Enter')
    const properties = page.getByRole('region', { name: 'Properties' })
    await properties.getByText('Reading the fields of StaticResponseHandler').waitFor()
    assert.equal(await properties.getByLabel('status').count(), 0)
    release()
    await properties.getByLabel('status').waitFor()
  }),
)

test(
  'a deprecated field in use is marked, with its replacement; one that is not in use is not offered',
  STUDIO_TEST,
  studio.testOfRoute('old', async (page) => {
    await canvasNode(page, /Old/).click()
    const properties = page.getByRole('region', { name: 'Properties' })
    await properties.getByLabel(/^systemProxy\s*deprecated/).waitFor()
    await properties.getByText('Deprecated: use proxyOptions with SystemProxyOptions.').waitFor()
    assert.equal(await properties.getByLabel(/^proxy\s*deprecated/).count(), 0)
  }),
)
