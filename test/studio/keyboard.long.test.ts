// Every task of routes, canvas and deployment by keyboard alone: these tests press keys, and use the mouse, `focus` and `fill` for nothing.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { canvasNode, canvasShows, HELLO, STUDIO_PASSWORD, STUDIO_TEST, StudioUnderTest } from '#test/studio'
import { waitUntil } from '#test/waiting'

const studio = new StudioUnderTest({ routes: { hello: HELLO } })

/** A route with a branch, which folds. */
const BRANCHED = {
  condition: "${find(request.uri.path, '^/other')}",
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          name: 'When',
          type: 'ConditionalFilter',
          config: {
            condition: '${true}',
            delegate: { name: 'Inside', type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['X-A'] } },
          },
        },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    },
  },
}

/** More tab stops than any page has. */
const MOST_STOPS = 80

/** Presses Tab until the element has the focus. In the JSON editor Tab indents, and Escape before it leaves the editor. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return
    if (await page.evaluate<boolean>(`document.activeElement.ariaLabel === 'JSON'`)) await page.keyboard.press('Escape')
    await page.keyboard.press(key)
  }
  assert.fail(`no Tab leads to ${target}`)
}

const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true })

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

/** Runs a command of the palette of commands. */
async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command' }).waitFor()
  await page.keyboard.type(words)
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Command' }).waitFor({ state: 'detached' })
}

/** Replaces the text of the focused input. */
async function retype(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

/** Logs in and runs a test by keyboard. */
function byKeyboard(use: (page: Page) => Promise<void>): () => Promise<void> {
  return () =>
    studio.chromium.withPage(async (page) => {
      await page.goto(`${studio.gateway.adminUrl}/studio/`)
      await tabTo(page, page.getByRole('textbox', { name: 'Password' }))
      await page.keyboard.type(STUDIO_PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('navigation').waitFor()
      await use(page)
    })
}

/** Opens a route from the list. */
async function open(page: Page, id: string): Promise<void> {
  await press(page, page.getByRole('link', { name: id, exact: true }))
  await page.getByRole('heading', { name: id, exact: true }).waitFor()
  await page.getByText('No problems.').waitFor()
}

async function deploy(page: Page): Promise<void> {
  await press(page, button(page, 'Deploy'))
  await page.getByText(/^Deployed /).waitFor()
}

test(
  'by keyboard: routes are filtered, created from a template, duplicated, renamed, deleted and brought back',
  STUDIO_TEST,
  byKeyboard(async (page) => {
    const table = page.getByRole('table', { name: 'Routes' })
    await table.getByRole('link', { name: 'hello' }).waitFor()
    await tabTo(page, page.getByRole('searchbox', { name: 'Filter routes' }))
    await page.keyboard.type('headerfilter greets-nothing')
    await page.getByText('No route has these words.').waitFor()
    await retype(page, 'headerfilter')
    await table.getByRole('link', { name: 'hello' }).waitFor()
    await retype(page, ' ')

    await press(page, button(page, 'New route'))
    const dialog = page.getByRole('dialog', { name: 'New route' })
    await tabTo(page, dialog.getByRole('textbox', { name: 'Route ID' }))
    await page.keyboard.type('fresh')
    await tabTo(page, dialog.getByRole('radio').first())
    const wanted = dialog.getByRole('radio', { name: /^Static answer/ })
    for (let steps = 0; steps < 20 && !(await wanted.isChecked()); steps++) await page.keyboard.press('ArrowDown')
    await press(page, button(dialog, 'Create'))
    await canvasNode(page, /StaticResponseHandler/).waitFor()
    await deploy(page)
    assert.equal(await studio.entityOf('/fresh'), 'This is fresh.')

    await press(page, button(page, 'More'))
    await press(page, button(page, 'Duplicate'))
    await tabTo(page, page.getByRole('dialog').getByRole('textbox', { name: 'Route ID' }))
    await retype(page, 'second')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'second', exact: true }).waitFor()
    await deploy(page)

    await command(page, 'rename')
    await tabTo(page, page.getByRole('dialog').getByRole('textbox', { name: 'Route ID' }))
    await retype(page, 'third')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'third', exact: true }).waitFor()

    await command(page, 'delete route')
    await press(page, button(page.getByRole('dialog'), 'Delete route'))
    await page.getByRole('heading', { name: 'Routes' }).waitFor()
    await press(page, button(page, 'Deleted routes'))
    const deleted = page.getByRole('dialog', { name: 'Deleted routes' })
    await press(page, button(deleted.getByRole('row', { name: /third/ }), 'Bring back'))
    await table.getByRole('link', { name: 'third' }).waitFor()
    await page.keyboard.press('Escape')
    await deleted.waitFor({ state: 'detached' })
  }),
)

test(
  'by keyboard: a route is exported and imported as a file',
  STUDIO_TEST,
  byKeyboard(async (page) => {
    await open(page, 'hello')
    const downloaded = page.waitForEvent('download')
    await command(page, 'export')
    const file = await (await downloaded).path()
    assert.equal(readFileSync(file, 'utf8'), HELLO)
    await press(page, page.getByRole('navigation').getByRole('link', { name: 'Routes' }))
    const asked = page.waitForEvent('filechooser')
    await press(page, button(page, 'Import'))
    await (await asked).setFiles({ name: 'imported.json', mimeType: 'application/json', buffer: Buffer.from(HELLO) })
    await page.getByRole('heading', { name: 'imported' }).waitFor()
    await canvasNode(page, /Marked/).waitFor()
    await command(page, 'discard')
    await press(page, button(page.getByRole('dialog'), 'Discard'))
    await page.getByRole('heading', { name: 'Routes' }).waitFor()
  }),
)

test(
  'by keyboard: objects are added, moved, selected, copied to another route, folded, removed; undo and redo',
  STUDIO_TEST,
  byKeyboard(async (page) => {
    await open(page, 'hello')
    await press(page, canvasNode(page, /Marked/))
    await tabTo(page, page.getByRole('searchbox', { name: 'Search types' }), 'Shift+Tab')
    await page.keyboard.type('CookieFilter')
    await press(page, button(page, 'Add CookieFilter'))
    await canvasShows(page, 'Marked', 'CookieFilter', 'StaticResponseHandler')

    await tabTo(page, canvasNode(page, /CookieFilter/))
    await page.keyboard.press('Alt+ArrowLeft')
    await canvasShows(page, 'CookieFilter', 'Marked', 'StaticResponseHandler')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByText('2 objects selected').waitFor()
    await page.keyboard.press('ControlOrMeta+c')
    await page.keyboard.press('Delete')
    await canvasShows(page, 'StaticResponseHandler')
    await command(page, 'undo')
    await canvasShows(page, 'CookieFilter', 'Marked', 'StaticResponseHandler')
    await command(page, 'redo')
    await canvasShows(page, 'StaticResponseHandler')
    await press(page, button(page, 'Undo'))
    await press(page, button(page, 'Undo'))
    await canvasShows(page, 'Marked', 'CookieFilter', 'StaticResponseHandler')

    await command(page, 'discard')
    await press(page, button(page.getByRole('dialog'), 'Discard'))
    await canvasShows(page, 'Marked', 'StaticResponseHandler')

    await studio.gateway.deploy('other', BRANCHED)
    await press(page, page.getByRole('navigation').getByRole('link', { name: 'Routes' }))
    await open(page, 'other')
    await press(page, canvasNode(page, /^When/))
    await command(page, 'paste')
    await canvasNode(page, /CookieFilter/).waitFor()
    await canvasNode(page, /Marked/).waitFor()
    await press(page, button(canvasNode(page, /^When/), 'Fold'))
    await canvasNode(page, /Inside/).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await canvasNode(page, /Inside/).waitFor()
    for (const name of ['Zoom In', 'Zoom Out', 'Fit View']) await press(page, button(page, name))
    await studio.gateway.undeploy('other')
  }),
)

test(
  'by keyboard: fields are edited by form, the JSON editor is entered and left, problems lead to their object',
  STUDIO_TEST,
  byKeyboard(async (page) => {
    await open(page, 'hello')
    await press(page, canvasNode(page, /StaticResponseHandler/))
    const entity = page.getByRole('region', { name: 'Properties' }).getByLabel('entity')
    await tabTo(page, entity)
    await retype(page, 'typed')
    const json = page.getByRole('textbox', { name: 'JSON' })
    await tabTo(page, json)
    await json.getByText('"typed"').waitFor()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(HELLO.replace('"HeaderFilter"', '"HeadFilter"'))
    await page.getByRole('list', { name: 'Problems' }).waitFor()
    await press(page, page.getByRole('list', { name: 'Problems' }).getByRole('button').first())
    await page.getByRole('region', { name: 'Properties' }).getByText('HeadFilter').first().waitFor()
    await press(page, button(page, 'Undo'))
    await page.getByText('No problems.').waitFor()
    await deploy(page)
    assert.equal(await studio.entityOf('/hello'), 'typed')
    await studio.gateway.deploy('hello', HELLO)
  }),
)

test(
  'by keyboard: a draft is validated, compared, deployed over another change, rolled back and discarded',
  STUDIO_TEST,
  byKeyboard(async (page) => {
    const change = async (entity: string) => {
      await tabTo(page, canvasNode(page, /StaticResponseHandler/))
      await page.keyboard.press('Enter')
      await tabTo(page, page.getByRole('region', { name: 'Properties' }).getByLabel('entity'))
      await retype(page, entity)
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'JSON' }).getByText(`"${entity}"`).waitFor()
    }
    await open(page, 'hello')
    await change('mine')
    await press(page, button(page, 'Validate'))
    await page.getByText('No problems.').waitFor()
    await press(page, button(page, 'Diff'))
    const diff = page.getByRole('dialog', { name: 'Diff' })
    await diff.getByText('"mine"').first().waitFor()
    await press(page, button(diff, 'Close'))
    await diff.waitFor({ state: 'detached' })

    await studio.gateway.deploy('hello', HELLO.replace('Greets', 'Greets politely'))
    await press(page, button(page, 'Deploy'))
    const conflict = page.getByRole('dialog', { name: 'Conflict' })
    await press(page, button(conflict, 'Overwrite'))
    await page.getByText(/^Deployed /).waitFor()
    assert.equal(await studio.entityOf('/hello'), 'mine')

    await press(page, button(page, 'History'))
    const history = page.getByRole('dialog', { name: 'History' })
    await press(page, button(history, 'Compare').first())
    await history.getByText('Greets politely').first().waitFor()
    await press(page, button(history, 'Roll back').first())
    await history.waitFor({ state: 'detached' })
    await waitUntil('the route is rolled back', async () => (await studio.entityOf('/hello')) === 'hello')

    await change('unwanted')
    await press(page, button(page, 'Discard'))
    await press(page, button(page.getByRole('dialog'), 'Discard'))
    await page.getByRole('textbox', { name: 'JSON' }).getByText('"hello"').first().waitFor()
    assert.equal(await page.getByText('draft', { exact: true }).count(), 0)
    await studio.gateway.deploy('hello', HELLO)
  }),
)
