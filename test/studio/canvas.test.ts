// Edits of a route on the canvas of the Studio.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { Chromium, chromiumMissing } from '#test/chromium'
import type { RunningGateway } from '#test/gateway'
import { gatewayWithStudio, logInToStudio } from '#test/studio'
import { waitUntil } from '#test/waiting'

const options = { skip: chromiumMissing, timeout: 60_000 }
let chromium: Chromium
let running: RunningGateway

const filter = (name: string) => ({
  name,
  type: 'HeaderFilter',
  config: { messageType: 'RESPONSE', add: { [name]: ['1'] } },
})
const route = (id: string, filters: readonly unknown[], handler: unknown) => ({
  condition: `\${find(request.uri.path, '^/${id}')}`,
  handler: { type: 'Chain', config: { filters, handler } },
})
const ANSWER = { type: 'StaticResponseHandler', config: { status: 200 } }
const ROUTES = {
  source: route('source', [filter('First'), filter('Second'), filter('Third')], ANSWER),
  target: route('target', [filter('First')], 'ReverseProxyHandler'),
}

before(async () => {
  if (chromiumMissing !== false) return
  ;[running, chromium] = await Promise.all([gatewayWithStudio({ routes: ROUTES }), Chromium.start()])
})

after(async () => {
  await chromium?.[Symbol.asyncDispose]()
  await running?.[Symbol.asyncDispose]()
})

/** Runs a test in a page of the Studio with the route `source`; errors of the page fail it. */
function onCanvas(use: (page: Page) => Promise<void>): () => Promise<void> {
  return () =>
    chromium.withPage(async (page) => {
      const errors: string[] = []
      page.on('pageerror', ({ message }) => errors.push(message))
      await logInToStudio(page, running.adminUrl)
      await page.getByRole('link', { name: 'source' }).click()
      await node(page, /Third/).waitFor()
      await use(page)
      assert.deepEqual(errors, [])
    })
}

function node(page: Page, name: RegExp) {
  return page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name })
}

/** Waits until the canvas has these objects in this order: names, or types of those without. */
async function shows(page: Page, ...names: readonly string[]): Promise<void> {
  const shown = page.locator('.canvas .node:not(.entry) .node-name')
  const expected = names.join(' ')
  let found = ''
  const isShown = async () => {
    found = (await shown.allTextContents()).join(' ')
    return found === expected
  }
  await waitUntil(`the canvas shows ${expected}`, isShown, 10_000).catch(() => assert.equal(found, expected))
}

async function openTarget(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Routes' }).first().click()
  await page.getByRole('link', { name: 'target' }).click()
  await node(page, /ReverseProxyHandler, inherited/).waitFor()
}

async function run(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command' }).fill(command)
  await page.keyboard.press('Enter')
}

test(
  'filters are selected with Shift, copied, and pasted into another route after the focused one',
  options,
  onCanvas(async (page) => {
    await node(page, /First/).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText('2 objects selected').waitFor()
    await page.keyboard.press('Control+c')
    await openTarget(page)
    await node(page, /First/).focus()
    await page.keyboard.press('Control+v')
    await shows(page, 'First', 'First-2', 'Second', 'ReverseProxyHandler')
  }),
)

test(
  'a cut object is pasted again; a handler has the place of the selected one',
  options,
  onCanvas(async (page) => {
    await node(page, /First/).click()
    await page.keyboard.press('Control+x')
    await shows(page, 'Second', 'Third', 'StaticResponseHandler')
    await node(page, /Third/).click()
    await page.keyboard.press('Control+v')
    await shows(page, 'Second', 'Third', 'First', 'StaticResponseHandler')
    await node(page, /StaticResponseHandler/).click()
    await page.keyboard.press('Control+c')
    await openTarget(page)
    await node(page, /ReverseProxyHandler/).click()
    await page.keyboard.press('Control+v')
    await shows(page, 'First', 'StaticResponseHandler')
  }),
)

test(
  'copy, cut and paste are commands, and need no permission for the clipboard',
  options,
  onCanvas(async (page) => {
    await node(page, /Second/).click()
    await run(page, 'Cut')
    await shows(page, 'First', 'Third', 'StaticResponseHandler')
    await node(page, /Third/).click()
    await run(page, 'Paste')
    await shows(page, 'First', 'Third', 'Second', 'StaticResponseHandler')
    await run(page, 'Copy')
    await openTarget(page)
    await node(page, /First/).click()
    await run(page, 'Paste')
    await shows(page, 'First', 'Third', 'ReverseProxyHandler')
  }),
)

test(
  'Delete removes all selected objects in one step of undo',
  options,
  onCanvas(async (page) => {
    await node(page, /First/).click()
    await node(page, /Third/).click({ modifiers: ['Shift'] })
    await page.getByText('2 objects selected').waitFor()
    await page.keyboard.press('Delete')
    await shows(page, 'Second', 'StaticResponseHandler')
    await page.getByRole('button', { name: 'Undo' }).click()
    await shows(page, 'First', 'Second', 'Third', 'StaticResponseHandler')
    await node(page, /First/).click()
    await node(page, /Second/).click({ modifiers: ['ControlOrMeta'] })
    await node(page, /Third/).click()
    await page.keyboard.press('Delete')
    await shows(page, 'First', 'Second', 'StaticResponseHandler')
  }),
)

/** Drags a type of the palette to a point of the canvas, as a part of the width of an object from its left. */
async function dragType(page: Page, type: string, target: Locator, part: number): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search types' }).fill(type)
  await page.getByRole('button', { name: `Add ${type}`, exact: true }).hover()
  const box = await target.boundingBox()
  assert.ok(box !== null)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * part, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
}

test(
  'a type of the palette is dropped before or after an object, on a line, and on the empty canvas',
  options,
  onCanvas(async (page) => {
    await dragType(page, 'CookieFilter', node(page, /Second/), 0.2)
    await shows(page, 'First', 'CookieFilter', 'Second', 'Third', 'StaticResponseHandler')
    await dragType(page, 'CookieFilter', node(page, /Second/), 0.8)
    await shows(page, 'First', 'CookieFilter', 'Second', 'CookieFilter-2', 'Third', 'StaticResponseHandler')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await shows(page, 'First', 'Second', 'Third', 'StaticResponseHandler')
    // The line to the next object is between their borders, 60 of 250 units.
    await dragType(page, 'CookieFilter', node(page, /First/), 1.15)
    await shows(page, 'First', 'CookieFilter', 'Second', 'Third', 'StaticResponseHandler')
    await page.getByRole('searchbox', { name: 'Search types' }).fill('TimerDecorator')
    await page
      .getByRole('button', { name: 'Add TimerDecorator' })
      .dragTo(page.locator('.react-flow__pane'), { targetPosition: { x: 150, y: 15 } })
    await shows(page, 'First', 'CookieFilter', 'Second', 'Third', 'StaticResponseHandler', 'TimerDecorator')
  }),
)

test(
  'a filter is reordered by dragging it past others, and stays where it was when dropped off its row',
  options,
  onCanvas(async (page) => {
    await dragNode(page, node(page, /First/), node(page, /Third/), 0)
    await shows(page, 'Second', 'Third', 'First', 'StaticResponseHandler')
    await dragNode(page, node(page, /First/), node(page, /Second/), 0)
    await shows(page, 'First', 'Second', 'Third', 'StaticResponseHandler')
    await dragNode(page, node(page, /First/), node(page, /Third/), 150)
    await shows(page, 'First', 'Second', 'Third', 'StaticResponseHandler')
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.click()
    await undo.click()
    assert.equal(await undo.isDisabled(), true, 'two steps for three drags')
  }),
)

/** Drags an object past another one. */
async function dragNode(page: Page, from: Locator, past: Locator, down: number): Promise<void> {
  const start = await from.boundingBox()
  const end = await past.boundingBox()
  assert.ok(start !== null && end !== null)
  const [x, y] = [start.x + start.width / 2, start.y + start.height / 2]
  const beyond = end.x > start.x ? start.width * 0.2 : start.width * -0.2
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 5, y, { steps: 2 })
  await page.mouse.move(end.x + end.width / 2 + beyond, y + down, { steps: 5 })
  const isFollowing = async () =>
    (await from.isVisible()) && Math.abs(((await from.boundingBox())?.x ?? 0) - start.x) > 20
  await waitUntil('the object follows the pointer', isFollowing, 10_000)
  await page.mouse.up()
}
