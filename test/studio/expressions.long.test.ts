// Expressions in the Studio: highlighting, completion, errors while typing, and dry runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  accessibilityFindings,
  canvasNode,
  chooseCompletion,
  deployDraft,
  openRoute,
  STUDIO_TEST,
  StudioUnderTest,
} from '#test/studio'
import { waitUntil } from '#test/waiting'

const ROUTE = {
  properties: { shop: { city: 'Bern' } },
  condition: "${find(request.uri.path, '^/expressions')}",
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'plain' } },
}
const studio = new StudioUnderTest({ routes: { expressions: ROUTE } })

/** Runs a test with the handler of the route selected. */
function withHandler(use: (page: Page, properties: Locator) => Promise<void>): () => Promise<void> {
  return studio.test(async (page) => {
    await studio.gateway.deploy('expressions', ROUTE)
    await openRoute(page, 'expressions')
    await canvasNode(page, /StaticResponseHandler/).click()
    await use(page, page.getByRole('region', { name: 'Properties' }))
  })
}

test(
  'a field is completed with bindings, functions and properties of the gateway while an expression is typed',
  STUDIO_TEST,
  withHandler(async (page, properties) => {
    await properties.getByLabel('entity').fill('')
    await properties.getByLabel('entity').click()
    await page.keyboard.type('in ${sh')
    await chooseCompletion(page, 'shop')
    await page.keyboard.type('.ci')
    await chooseCompletion(page, 'city')
    await page.keyboard.type('.')
    await chooseCompletion(page, 'toUpperCase')
    await page.keyboard.press('End')
    await page.keyboard.type(' == toLow')
    await page.getByRole('option', { name: /^toLowerCase\(text\)$/ }).waitFor()
    await page.keyboard.press('Escape')
    for (let length = ' == toLow'.length; length > 0; length--) await page.keyboard.press('Backspace')
    await page.keyboard.type('}')
    await page.keyboard.press('Enter')
    await deployDraft(page)
    assert.equal(await studio.entityOf('/expressions'), 'in BERN')
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)

test(
  'an error of an expression is shown with its column while it is typed, and goes when it is corrected',
  STUDIO_TEST,
  withHandler(async (page, properties) => {
    await properties.getByLabel('entity').fill('')
    await properties.getByLabel('entity').click()
    await page.keyboard.type('${nothing(1)')
    await page.keyboard.type('}')
    await properties.getByText('Column 3: there is no function "nothing"').waitFor()
    const field = properties.getByRole('textbox', { name: 'entity' })
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.equal(await page.getByRole('button', { name: 'Deploy' }).isDisabled(), true, 'nothing is applied yet')
    await field.fill('${toString(1)}')
    await waitUntil('the error is gone', async () => (await field.getAttribute('aria-invalid')) === 'false', 10_000)
  }),
)

test(
  'expressions are highlighted in fields and in the text',
  STUDIO_TEST,
  withHandler(async (page, properties) => {
    const json = page.getByRole('textbox', { name: 'JSON' })
    await json.locator('.expression.function', { hasText: 'find' }).waitFor()
    await json.locator('.expression.string', { hasText: '^/expressions' }).waitFor()
    await canvasNode(page, /condition/).click()
    await properties
      .getByRole('textbox', { name: 'condition' })
      .locator('.expression.name', { hasText: 'uri' })
      .waitFor()
  }),
)

test(
  'an expression in the text is completed as in a field, also after escapes of JSON',
  STUDIO_TEST,
  withHandler(async (page) => {
    await page.getByRole('textbox', { name: 'JSON' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(
      '{ "handler": { "type": "StaticResponseHandler", "config": { "status": 200, "entity": "\\"\\u0041\\" ${requ',
    )
    await page.keyboard.type('e')
    await chooseCompletion(page, 'request')
    await page.keyboard.type('.met')
    await chooseCompletion(page, 'method')
    await page.keyboard.type('}" } } }')
    await page.getByText('No problems.').waitFor()
    await deployDraft(page)
    assert.equal(await studio.entityOf('/expressions'), '"A" GET')
  }),
)

test(
  'an expression is evaluated for a request of the live traffic, and its value is shown with its type',
  STUDIO_TEST,
  withHandler(async (page, properties) => {
    await properties.getByLabel('entity').fill('${request.method} ${request.uri.path}')
    await properties.getByRole('textbox', { name: 'entity' }).press('Enter')
    await properties.getByRole('button', { name: 'Dry run' }).click()
    const panel = properties.getByRole('group', { name: 'Dry run' })
    await panel.getByRole('button', { name: 'Pick a live request' }).click()
    await panel.getByText('Requests appear as they are answered.').waitFor()
    const live = panel.getByRole('button', { name: 'GET /expressions/live 200' }).first()
    const isShown = async () => {
      await studio.gateway.ask('/expressions/live')
      return (await live.count()) > 0
    }
    await waitUntil('a live request is offered', isShown, 20_000)
    await live.click()
    assert.equal(await panel.getByLabel('URL').inputValue(), '/expressions/live')
    await panel.getByRole('button', { name: 'Evaluate' }).click()
    await panel.getByText('"GET /expressions/live" string').waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)
