// Actions whose outcome is unknown, or that meet a change by others: nothing is lost, and the page says what to do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { deployDraft, HELLO, openRoute, replaceJson, STUDIO_PASSWORD, STUDIO_TEST, StudioUnderTest } from '#test/studio'
import { waitUntil } from '#test/waiting'

const studio = new StudioUnderTest()

const greeting = (entity: string) => HELLO.replace('"entity": "hello"', `"entity": "${entity}"`)

/** Runs a test with the draft "mine" of the route hello. */
function withDraft(use: (page: Page) => Promise<void>): () => Promise<void> {
  return studio.test(async (page) => {
    await studio.gateway.deploy('hello', HELLO)
    await page.reload()
    await openRoute(page, 'hello')
    await replaceJson(page, greeting('mine'))
    await page.getByText('draft', { exact: true }).waitFor()
    await use(page)
  })
}

async function more(page: Page, action: string): Promise<void> {
  const button = page.getByRole('button', { name: action, exact: true })
  if (!(await button.isVisible())) await page.getByRole('button', { name: 'More' }).click()
  await button.click()
}

async function textShows(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'JSON' }).getByText(text).waitFor()
}

async function renameTo(page: Page, id: string): Promise<void> {
  await more(page, 'Rename')
  const dialog = page.getByRole('dialog', { name: /^Rename/ })
  await dialog.getByRole('textbox', { name: 'Route ID' }).fill(id)
  await dialog.getByRole('button', { name: 'Rename' }).click()
}

test(
  'a deployment is sent once; one without a response is no conflict when it is tried again',
  STUDIO_TEST,
  withDraft(async (page) => {
    const deploy = page.getByRole('button', { name: 'Deploy' })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let sent = 0
    await page.route('**/routes/hello', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      sent++
      await released
      await route.fetch()
      await route.abort()
    })
    await deploy.click()
    await page.getByText('Deploying…').waitFor()
    assert.equal(await deploy.isDisabled(), true)
    release()
    await page.getByRole('alert').getByText('does not respond').waitFor()
    assert.equal(sent, 1)
    await page.unroute('**/routes/hello')
    // The page may have read the deployed text already.
    if (await deploy.isEnabled()) await deployDraft(page)
    await waitUntil('there is no draft', async () => (await page.getByText('draft', { exact: true }).count()) === 0)
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await studio.entityOf('/hello'), 'mine')
  }),
)

test(
  'a deployment that gets no response ends after two minutes, and can be tried again',
  STUDIO_TEST,
  withDraft(async (page) => {
    await page.clock.install()
    // Never answered.
    await page.route('**/routes/hello', (route) => (route.request().method() === 'PUT' ? undefined : route.continue()))
    await page.getByRole('button', { name: 'Deploy' }).click()
    await page.getByText('Deploying…').waitFor()
    await page.clock.fastForward(120_000)
    await page.getByRole('alert').getByText('does not respond').waitFor()
    await page.unroute('**/routes/hello')
    await deployDraft(page)
    assert.equal(await studio.entityOf('/hello'), 'mine')
  }),
)

test(
  'a draft that was never deployed is renamed; a route that others have changed is not',
  STUDIO_TEST,
  withDraft(async (page) => {
    await studio.gateway.deploy('hello', greeting('theirs'))
    await renameTo(page, 'renamed')
    const dialog = page.getByRole('dialog', { name: /^Rename/ })
    await dialog.getByRole('alert').getByText('was changed at the gateway').waitFor()
    assert.equal(await studio.entityOf('/hello'), 'theirs')
    await page.keyboard.press('Escape')
    await more(page, 'Duplicate')
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'hello-copy' }).waitFor()
    await renameTo(page, 'other')
    await page.getByRole('heading', { name: 'other', exact: true }).waitFor()
    await textShows(page, '"mine"')
    await page.getByRole('link', { name: 'Routes' }).first().click()
    await page.getByRole('row', { name: /other not deployed/ }).waitFor()
    assert.equal(await page.getByRole('row', { name: /hello-copy/ }).count(), 0)
  }),
)

test(
  'a draft that can not overwrite the change of others says so in the conflict',
  STUDIO_TEST,
  withDraft(async (page) => {
    await studio.gateway.deploy('hello', greeting('theirs'))
    await page.getByRole('button', { name: 'Deploy' }).click()
    const conflict = page.getByRole('dialog', { name: 'Conflict' })
    await conflict.getByText('was changed at the gateway while you edited it').waitFor()
    await page.route('**/routes/hello', (route) => route.abort())
    await conflict.getByRole('button', { name: 'Overwrite' }).click()
    await conflict.getByRole('alert').getByText('does not respond').waitFor()
    await page.unroute('**/routes/hello')
    await conflict.getByRole('button', { name: 'Overwrite' }).click()
    await page.getByText(/^Deployed /).waitFor()
    assert.equal(await studio.entityOf('/hello'), 'mine')
  }),
)

test(
  'a draft stays when an earlier version is brought back, and can be compared with it',
  STUDIO_TEST,
  withDraft(async (page) => {
    await deployDraft(page)
    await replaceJson(page, greeting('unfinished'))
    await page.getByText('draft', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Roll back' }).first().click()
    await page.getByText('The route was changed at the gateway since this draft was begun.').waitFor()
    await textShows(page, '"unfinished"')
    assert.equal(await studio.entityOf('/hello'), 'hello')
  }),
)

test(
  'a route that others have changed is not deleted at once: the question says so, and deletes it when it is answered again',
  STUDIO_TEST,
  withDraft(async (page) => {
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await more(page, 'Delete route')
    const dialog = page.getByRole('dialog', { name: /^Delete the route/ })
    await studio.gateway.deploy('hello', greeting('theirs'))
    await dialog.getByRole('button', { name: 'Delete route' }).click()
    await dialog.getByRole('alert').getByText('is not deleted').waitFor()
    assert.equal(await studio.entityOf('/hello'), 'theirs')
    await textShows(page, '"theirs"')
    await dialog.getByRole('button', { name: 'Delete route' }).click()
    await page.getByRole('heading', { name: 'Routes' }).waitFor()
    await waitUntil('the route is gone', async () => (await studio.gateway.ask('/hello')).status === 404)
  }),
)

test(
  'a file whose name is no ID is imported under another one; one that is too large is refused',
  STUDIO_TEST,
  studio.test(async (page) => {
    const choose = async (name: string, text: string) => {
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Import' }).click()
      await (await chooser).setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })
    }
    await choose('large.json', `"${'x'.repeat(4 * 1024 * 1024)}"`)
    await page.getByRole('alert').getByText('"large.json" is not imported').waitFor()
    await choose('...json', HELLO)
    await page.getByRole('heading', { name: 'imported' }).waitFor()
    await page.getByText('No problems.').waitFor()
  }),
)

test(
  'the focus is back where it was when a dialog is closed, stays on a button that has done its work, and is on another page',
  STUDIO_TEST,
  withDraft(async (page) => {
    const focused = () => page.evaluate('document.activeElement.localName + " " + document.activeElement.textContent')
    const diff = page.getByRole('button', { name: 'Diff' })
    await diff.press('Enter')
    await page.getByRole('dialog', { name: 'Diff' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await focused(), 'button Diff')
    const deploy = page.getByRole('button', { name: 'Deploy' })
    await deploy.press('Enter')
    await page.getByText(/^Deployed /).waitFor()
    assert.equal(await deploy.isDisabled(), true)
    assert.equal(await focused(), 'button Deploy')
    await page.getByRole('main').getByRole('link', { name: 'Routes' }).press('Enter')
    await page.getByRole('table', { name: 'Routes' }).waitFor()
    assert.match(String(await focused()), /^main /)
  }),
)

test(
  'a filter of requests that is not right is refused with the reason, and the next one is taken',
  STUDIO_TEST,
  studio.test(async (page) => {
    await page.getByRole('link', { name: 'Requests' }).click()
    const filter = page.getByRole('searchbox', { name: 'Filter requests' })
    await filter.fill('status ge')
    await page.getByRole('alert').getByText('_queryFilter').waitFor()
    assert.equal(await page.getByText('Connection lost').count(), 0)
    await filter.fill('status ge 500')
    await page.getByText('0 shown').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
  }),
)

test(
  'the request that was composed is there after the session has ended, and not after a log-out',
  STUDIO_TEST,
  studio.test(async (page) => {
    const url = page.getByRole('textbox', { name: 'URL' })
    const openTryIt = () => page.getByRole('link', { name: 'Try it' }).click()
    const logIn = async () => {
      await page.getByRole('textbox', { name: 'Password' }).fill(STUDIO_PASSWORD)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('heading', { name: 'Try it' }).waitFor()
    }
    await openTryIt()
    await url.fill('/composed')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Explain' }).click()
    await logIn()
    assert.equal(await url.inputValue(), '/composed')
    await page.getByRole('button', { name: 'Log out' }).click()
    await logIn()
    assert.equal(await url.inputValue(), '/')
  }),
)

test(
  'a log-out that does not reach the gateway says that the session goes on',
  STUDIO_TEST,
  studio.test(async (page) => {
    assert.equal(await page.title(), 'Routes - Identity Gateway Studio')
    await page.route('**/session?_action=logout', (route) => route.abort())
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('alert').getByText('You are still logged in').waitFor()
    await page.unroute('**/session?_action=logout')
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
  }),
)
