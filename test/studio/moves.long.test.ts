// Moving filters on the canvas of the Studio: between branches, several at once, by pointer and by key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  accessibilityFindings,
  canvasNode,
  canvasShows,
  deployDraft,
  runCommand,
  STUDIO_TEST,
  StudioUnderTest,
} from '#test/studio'
import { waitUntil } from '#test/waiting'

const filter = (name: string) => ({
  name,
  type: 'HeaderFilter',
  config: { messageType: 'RESPONSE', add: { [name]: ['1'] } },
})
const ANSWER = { type: 'StaticResponseHandler', config: { status: 200 } }
const chain = (filters: readonly unknown[], handler: unknown) => ({ type: 'Chain', config: { filters, handler } })
const BRANCHES = {
  condition: "${find(request.uri.path, '^/branches')}",
  handler: chain([filter('First'), filter('Second'), filter('Third')], {
    type: 'DispatchHandler',
    config: { bindings: [{ condition: '${true}', handler: chain([filter('Inner')], ANSWER) }] },
  }),
}
const COMMENTED = `{
  "handler": {
    "type": "Chain",
    "config": {
      "filters": [
        { "name": "First", "type": "CookieFilter", "config": {} },
        {
          // Kept for the partner.
          "name": "Second",
          "type": "CookieFilter",
          "config": {}
        },
        { "name": "Third", "type": "CookieFilter", "config": {} }
      ],
      "handler": "ReverseProxyHandler"
    }
  },
  "condition": "\${find(request.uri.path, '^/commented')}"
}
`
const studio = new StudioUnderTest({ routes: { branches: BRANCHES, commented: COMMENTED } })

const START = ['First', 'Second', 'Third', 'DispatchHandler', 'Inner', 'StaticResponseHandler']

function onCanvas(use: (page: Page) => Promise<void>): () => Promise<void> {
  return studio.testOfRoute('branches', async (page) => {
    await canvasShows(page, ...START)
    await use(page)
  })
}

/** Drags an object to the left of another one, and waits for the mark of the place before it is dropped. */
async function dragBefore(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()]
  assert.ok(start !== null && end !== null)
  const [x, y] = [start.x + start.width / 2, start.y + start.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 5, y, { steps: 2 })
  const [left, middle] = [end.x - start.width * 0.1, end.y + end.height / 2]
  await page.mouse.move(left, middle, { steps: 5 })
  const marker = page.locator('.drop-marker')
  const isMarked = async () => {
    const box = (await marker.count()) === 0 ? null : await marker.boundingBox()
    return box !== null && Math.abs(box.x - end.x) < start.width / 2 && Math.abs(box.y - end.y) < start.height
  }
  await waitUntil('the place is marked', isMarked, 10_000)
  await page.mouse.up()
  await marker.waitFor({ state: 'detached' })
}

test(
  'a filter is dragged into a branch, where a mark shows its place, and back by undo',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await dragBefore(page, canvasNode(page, /Second/), canvasNode(page, /Inner/))
    await canvasShows(page, 'First', 'Third', 'DispatchHandler', 'Second', 'Inner', 'StaticResponseHandler')
    await page.getByRole('button', { name: 'Undo' }).click()
    await canvasShows(page, ...START)
  }),
)

test(
  'all selected filters are dragged together, in their order',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await canvasNode(page, /First/).click()
    await canvasNode(page, /Third/).click({ modifiers: ['Shift'] })
    await page.getByText('2 objects selected').waitFor()
    await dragBefore(page, canvasNode(page, /Third/), canvasNode(page, /StaticResponseHandler/))
    await canvasShows(page, 'Second', 'DispatchHandler', 'Inner', 'First', 'Third', 'StaticResponseHandler')
    await page.getByText('2 objects selected').waitFor()
    await page.getByText('No problems.').waitFor()
  }),
)

test(
  'Alt with the arrow keys moves filters earlier, later, into a branch and out of it, and the focus goes with them',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await canvasNode(page, /Third/).focus()
    await page.keyboard.press('Alt+ArrowLeft')
    await canvasShows(page, 'First', 'Third', 'Second', 'DispatchHandler', 'Inner', 'StaticResponseHandler')
    await isFocused(page, /Third/)
    await page.keyboard.press('Alt+ArrowRight')
    await canvasShows(page, ...START)
    await isFocused(page, /Third/)
    await page.keyboard.press('Alt+ArrowDown')
    await canvasShows(page, 'First', 'Second', 'DispatchHandler', 'Third', 'Inner', 'StaticResponseHandler')
    await isFocused(page, /Third/)
    await page.keyboard.press('Alt+ArrowUp')
    await canvasShows(page, ...START)
    await isFocused(page, /Third/)
  }),
)

test(
  'the buttons of Properties move an object with its comments, and it stays selected',
  STUDIO_TEST,
  studio.testOfRoute('commented', async (page) => {
    const properties = page.getByRole('region', { name: 'Properties' })
    const isSelected = async (name: string) =>
      waitUntil(
        `${name} is selected`,
        async () => (await properties.getByRole('textbox', { name: 'name', exact: true }).inputValue()) === name,
        10_000,
      )
    await canvasNode(page, /Second/).click()
    await isSelected('Second')
    await properties.getByRole('button', { name: 'Move earlier' }).click()
    await canvasShows(page, 'Second', 'First', 'Third', 'ReverseProxyHandler')
    await isSelected('Second')
    await properties.getByRole('button', { name: 'Move later' }).click()
    await properties.getByRole('button', { name: 'Move later' }).click()
    await canvasShows(page, 'First', 'Third', 'Second', 'ReverseProxyHandler')
    await isSelected('Second')
    await page.getByRole('textbox', { name: 'JSON' }).getByText('// Kept for the partner.').waitFor()
    await deployDraft(page)
    assert.match(
      studio.fileOf('commented'),
      /"Third"[^}]*\}\s*\},\s*\{\s*\/\/ Kept for the partner\.\s*"name": "Second"/,
    )
  }),
)

test(
  'the same moves are commands, for all selected objects',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await canvasNode(page, /Second/).click()
    await canvasNode(page, /Third/).click({ modifiers: ['Shift'] })
    await runCommand(page, 'Move earlier')
    await canvasShows(page, 'Second', 'Third', 'First', 'DispatchHandler', 'Inner', 'StaticResponseHandler')
    await runCommand(page, 'Move in')
    await canvasShows(page, 'First', 'DispatchHandler', 'Second', 'Third', 'Inner', 'StaticResponseHandler')
    await runCommand(page, 'Move out')
    await canvasShows(page, 'First', 'Second', 'Third', 'DispatchHandler', 'Inner', 'StaticResponseHandler')
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)

test(
  'without a selection of several objects the canvas has no empty panel',
  STUDIO_TEST,
  onCanvas(async (page) => {
    const panel = page.locator('.canvas .react-flow__panel.top.left')
    assert.ok(((await panel.boundingBox())?.width ?? 0) <= 1, JSON.stringify(await panel.boundingBox()))
    await canvasNode(page, /Second/).click()
    await canvasNode(page, /Third/).click({ modifiers: ['Shift'] })
    await page.getByText('2 objects selected').waitFor()
    assert.ok(((await panel.boundingBox())?.width ?? 0) > 50)
  }),
)

test(
  'the whole picture is shown when objects are added, until the user moves it',
  STUDIO_TEST,
  onCanvas(async (page) => {
    const canvas = await page.getByRole('region', { name: 'Canvas' }).boundingBox()
    assert.ok(canvas !== null)
    const right = async () => {
      const box = await canvasNode(page, /^StaticResponseHandler/).boundingBox()
      return (box?.x ?? 0) + (box?.width ?? 0) - canvas.x
    }
    const add = async (count: number) => {
      await page.getByRole('searchbox', { name: 'Search types' }).fill('CookieFilter')
      for (let n = 0; n < count; n++) await page.getByRole('button', { name: 'Add CookieFilter' }).click()
      await canvasNode(page, /CookieFilter/)
        .nth(count - 1)
        .waitFor()
    }
    await canvasNode(page, /First/).click()
    await add(2)
    await waitUntil('the picture is fitted', async () => (await right()) < canvas.width, 10_000)
    await page.getByRole('button', { name: 'Zoom In' }).click()
    const zoomed = async () => (await canvasNode(page, /First/).boundingBox())?.width ?? 0
    const width = await zoomed()
    await page.getByRole('button', { name: 'Add CookieFilter' }).click()
    await canvasNode(page, /CookieFilter-3/).waitFor()
    assert.ok((await zoomed()) >= width, 'the zoom of the user stays')
  }),
)

test(
  'the picture is fitted again when the window gets narrow',
  STUDIO_TEST,
  onCanvas(async (page) => {
    const canvas = page.getByRole('region', { name: 'Canvas' })
    const place = () => page.locator('.react-flow__viewport').getAttribute('style')
    const before = await place()
    await page.setViewportSize({ width: 390, height: 800 })
    await waitUntil('the picture has another place', async () => (await place()) !== before, 10_000)
    const isShown = async () => {
      const around = await canvas.boundingBox()
      const nodes = await Promise.all((await canvas.locator('.node').all()).map((node) => node.boundingBox()))
      return nodes.some(
        (node) =>
          around !== null &&
          node !== null &&
          node.x >= around.x &&
          node.x + node.width <= around.x + around.width &&
          node.y >= around.y &&
          node.y + node.height <= around.y + around.height,
      )
    }
    await waitUntil('an object is in the canvas', isShown, 10_000)
  }),
)

async function isFocused(page: Page, name: RegExp): Promise<void> {
  const label = () => page.evaluate<string | null>(`document.activeElement?.getAttribute('aria-label')`)
  await waitUntil(`${name} has the focus`, async () => name.test((await label()) ?? ''), 10_000)
}
