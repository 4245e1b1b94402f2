// Edits of a route on the canvas of the Studio.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { canvasNode, canvasShows, openRoute, runCommand, STUDIO_TEST, StudioUnderTest } from '#test/studio'
import { waitUntil } from '#test/waiting'

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

const studio = new StudioUnderTest({ routes: ROUTES })

function onCanvas(use: (page: Page) => Promise<void>): () => Promise<void> {
  return studio.testOfRoute('source', use)
}

test(
  'filters are selected with Shift, copied, and pasted into another route after the focused one',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await canvasNode(page, /First/).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText('2 objects selected').waitFor()
    await page.keyboard.press('Control+c')
    await openRoute(page, 'target')
    await canvasNode(page, /First/).focus()
    await page.keyboard.press('Control+v')
    await canvasShows(page, 'First', 'First-2', 'Second', 'ReverseProxyHandler')
  }),
)

test(
  'a cut object is pasted again; a handler has the place of the selected one',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await canvasNode(page, /First/).click()
    await page.keyboard.press('Control+x')
    await canvasShows(page, 'Second', 'Third', 'StaticResponseHandler')
    await canvasNode(page, /Third/).click()
    await page.keyboard.press('Control+v')
    await canvasShows(page, 'Second', 'Third', 'First', 'StaticResponseHandler')
    await canvasNode(page, /StaticResponseHandler/).click()
    await page.keyboard.press('Control+c')
    await openRoute(page, 'target')
    await canvasNode(page, /ReverseProxyHandler/).click()
    await page.keyboard.press('Control+v')
    await canvasShows(page, 'First', 'StaticResponseHandler')
  }),
)

test(
  'copy, cut and paste are commands, and need no permission for the clipboard',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await canvasNode(page, /Second/).click()
    await runCommand(page, 'Cut')
    await canvasShows(page, 'First', 'Third', 'StaticResponseHandler')
    await canvasNode(page, /Third/).click()
    await runCommand(page, 'Paste')
    await canvasShows(page, 'First', 'Third', 'Second', 'StaticResponseHandler')
    await runCommand(page, 'Copy')
    await openRoute(page, 'target')
    await canvasNode(page, /First/).click()
    await runCommand(page, 'Paste')
    await canvasShows(page, 'First', 'Third', 'ReverseProxyHandler')
  }),
)

test(
  'a line leads the response from the handler over the filters back to the entry',
  STUDIO_TEST,
  onCanvas(async (page) => {
    const canvas = page.getByRole('region', { name: 'Canvas' })
    const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? assert.fail('not shown')
    const label = await boxOf(canvas.getByText('response', { exact: true }))
    const [entry, first, last] = [
      await boxOf(canvasNode(page, /condition/)),
      await boxOf(canvasNode(page, /First/)),
      await boxOf(canvasNode(page, /StaticResponseHandler/)),
    ]
    const line = await boxOf(canvas.locator('.react-flow__edge-response path').first())
    assert.ok(label.y + label.height < first.y, 'above the filters')
    assert.ok(line.x < entry.x && line.x + line.width > last.x + last.width, 'from the handler to the entry')
    assert.ok(label.y > (await boxOf(canvas)).y, 'inside the canvas')
  }),
)

test(
  'Delete removes all selected objects in one step of undo',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await canvasNode(page, /First/).click()
    await canvasNode(page, /Third/).click({ modifiers: ['Shift'] })
    await page.getByText('2 objects selected').waitFor()
    await page.keyboard.press('Delete')
    await canvasShows(page, 'Second', 'StaticResponseHandler')
    await page.getByRole('button', { name: 'Undo' }).click()
    await canvasShows(page, 'First', 'Second', 'Third', 'StaticResponseHandler')
    await canvasNode(page, /First/).click()
    await canvasNode(page, /Second/).click({ modifiers: ['ControlOrMeta'] })
    await canvasNode(page, /Third/).click()
    await page.keyboard.press('Delete')
    await canvasShows(page, 'First', 'Second', 'StaticResponseHandler')
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
  STUDIO_TEST,
  onCanvas(async (page) => {
    await dragType(page, 'CookieFilter', canvasNode(page, /Second/), 0.2)
    await canvasShows(page, 'First', 'CookieFilter', 'Second', 'Third', 'StaticResponseHandler')
    await dragType(page, 'CookieFilter', canvasNode(page, /Second/), 0.8)
    await canvasShows(page, 'First', 'CookieFilter', 'Second', 'CookieFilter-2', 'Third', 'StaticResponseHandler')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await canvasShows(page, 'First', 'Second', 'Third', 'StaticResponseHandler')
    // The line to the next object is between their borders, 44 of 214 units.
    await dragType(page, 'CookieFilter', canvasNode(page, /First/), 1.15)
    await canvasShows(page, 'First', 'CookieFilter', 'Second', 'Third', 'StaticResponseHandler')
    await page.getByRole('searchbox', { name: 'Search types' }).fill('TimerDecorator')
    await page
      .getByRole('button', { name: 'Add TimerDecorator' })
      .dragTo(page.locator('.react-flow__pane'), { targetPosition: { x: 150, y: 15 } })
    await canvasShows(page, 'First', 'CookieFilter', 'Second', 'Third', 'StaticResponseHandler', 'TimerDecorator')
  }),
)

test(
  'a filter is reordered by dragging it past others, and stays where it was when dropped off its row',
  STUDIO_TEST,
  onCanvas(async (page) => {
    await dragNode(page, canvasNode(page, /First/), canvasNode(page, /Third/), 0)
    await canvasShows(page, 'Second', 'Third', 'First', 'StaticResponseHandler')
    await dragNode(page, canvasNode(page, /First/), canvasNode(page, /Second/), 0)
    await canvasShows(page, 'First', 'Second', 'Third', 'StaticResponseHandler')
    await dragNode(page, canvasNode(page, /First/), canvasNode(page, /Third/), 150)
    await canvasShows(page, 'First', 'Second', 'Third', 'StaticResponseHandler')
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
