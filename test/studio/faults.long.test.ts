// What happens around an editor: no draft is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  accessibilityFindings,
  deployDraft,
  openRoute,
  replaceJson,
  STUDIO_PASSWORD,
  STUDIO_TEST,
  StudioUnderTest,
} from '#test/studio'

const studio = new StudioUnderTest()

const answer = (entity: string) => ({
  condition: "${find(request.uri.path, '^/answer')}",
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
})

/** Runs a test with an edited route that is not deployed. */
function withDraft(use: (page: Page) => Promise<void>): () => Promise<void> {
  return studio.test(async (page) => {
    await studio.gateway.deploy('answer', answer('before'))
    await openRoute(page, 'answer')
    await replaceJson(page, JSON.stringify(answer('after'), null, 2))
    await page.getByText('draft').waitFor()
    await use(page)
  })
}

async function textShows(page: Page, entity: string): Promise<void> {
  await page.getByRole('textbox', { name: 'JSON' }).getByText(`"${entity}"`).waitFor()
}

/** Types ONE in a tab, and then TWO in another one, which is returned. */
async function twoDrafts(page: Page): Promise<Page> {
  await studio.gateway.deploy('answer', answer('before'))
  await openRoute(page, 'answer')
  const other = await page.context().newPage()
  await other.goto(page.url())
  await textShows(other, 'before')
  for (const [tab, entity] of [
    [page, 'ONE'],
    [other, 'TWO'],
  ] as const) {
    await replaceJson(tab, JSON.stringify(answer(entity), null, 2))
    await tab.getByText('draft', { exact: true }).waitFor()
  }
  return other
}

async function deploy(page: Page): Promise<void> {
  await deployDraft(page)
  assert.equal(await studio.entityOf('/answer'), 'after')
}

test(
  'a route that can not be loaded is listed as failed with its problems',
  STUDIO_TEST,
  studio.test(async (page) => {
    await studio.gateway.deploy('broken', { handler: { type: 'Chain', config: { handler: 'Missing' } } })
    await page.reload()
    const row = page.getByRole('table', { name: 'Routes' }).getByRole('row', { name: /^broken/ })
    await row.getByText('failed', { exact: true }).waitFor()
    await row.getByText(/^\/handler\/config\/filters: .*required/).waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)

test(
  'a session that ends in an edit leads to the login, and then back to the draft',
  STUDIO_TEST,
  withDraft(async (page) => {
    await page.context().clearCookies()
    // The login is shown already where the page has read the route again in the meantime.
    await page
      .getByRole('button', { name: 'Deploy' })
      .click({ timeout: 2_000 })
      .catch(() => {})
    await page.getByRole('textbox', { name: 'Password' }).fill(STUDIO_PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'answer' }).waitFor()
    await deploy(page)
  }),
)

test(
  'a gateway that can not be reached is an alert, and the draft is deployed when it is back',
  STUDIO_TEST,
  withDraft(async (page) => {
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Deploy' }).click()
    assert.match(await page.getByRole('alert').innerText(), /does not respond/)
    await page.context().setOffline(false)
    await deploy(page)
  }),
)

test(
  'a route that was deleted elsewhere is a conflict, and can be stored again',
  STUDIO_TEST,
  withDraft(async (page) => {
    await studio.gateway.undeploy('answer')
    await page.getByRole('button', { name: 'Deploy' }).click()
    const conflict = page.getByRole('dialog', { name: 'Conflict' })
    await conflict.getByText(/was deleted/).waitFor()
    await conflict.getByRole('button', { name: 'Overwrite' }).click()
    await page.getByText(/^Deployed /).waitFor()
    assert.equal(await studio.entityOf('/answer'), 'after')
  }),
)

test(
  'a draft of one tab is there in another, and survives a reload',
  STUDIO_TEST,
  withDraft(async (page) => {
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByText('draft').waitFor()
    await other.getByRole('textbox', { name: 'JSON' }).getByText('"after"').waitFor()
    await page.reload()
    await page.getByText('draft').waitFor()
    await deploy(page)
  }),
)

test(
  'the outcome of a deployment goes away when the text is changed',
  STUDIO_TEST,
  withDraft(async (page) => {
    await deploy(page)
    await replaceJson(page, JSON.stringify(answer('broken')).replace('"status":', '"status"'))
    await page.getByText(/^Deployed /).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Deploy' }).click()
    await page.getByRole('alert').getByText('does not load').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('No problems.').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
  }),
)

test(
  'each of two tabs keeps its draft while the other one types and deploys',
  STUDIO_TEST,
  studio.test(async (page) => {
    const other = await twoDrafts(page)
    await page.reload()
    await textShows(page, 'ONE')
    await deployDraft(page)
    await other.reload()
    await textShows(other, 'TWO')
    await other.getByText('The route was changed at the gateway').waitFor()
  }),
)

test(
  'the draft of another tab is offered; discarded here it stays there, and is found after that tab is closed',
  STUDIO_TEST,
  studio.test(async (page) => {
    const other = await twoDrafts(page)
    await page.getByText('Another draft of this route is kept').waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
    await page.getByRole('button', { name: /^Open that of/ }).click()
    await textShows(page, 'TWO')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await textShows(page, 'before')
    await page.getByText('2 other drafts of this route are kept').waitFor()
    await other.close()
    await page.reload()
    await textShows(page, 'TWO')
    await page.getByText('Another draft of this route is kept').waitFor()
  }),
)

test(
  'the page of a route that does not exist says so, stores nothing, and can create it',
  STUDIO_TEST,
  studio.test(async (page) => {
    await page.goto(`${studio.gateway.adminUrl}/studio/routes/_router/nosuch`)
    await page.getByText('There is no such route').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'JSON' }).count(), 0)
    assert.deepEqual(await page.evaluate('Object.keys(localStorage)'), [])
    assert.deepEqual(await accessibilityFindings(page), [])
    await page.getByRole('button', { name: 'Create it' }).click()
    await page.getByText('No problems.').waitFor()
    await page.getByRole('link', { name: 'Routes' }).first().click()
    await page.getByRole('row', { name: /^nosuch not deployed/ }).waitFor()
  }),
)

test(
  'a text without changes follows the one that is served',
  STUDIO_TEST,
  studio.test(async (page) => {
    await studio.gateway.deploy('answer', answer('before'))
    await page.getByRole('link', { name: 'answer' }).click()
    const text = page.getByRole('textbox', { name: 'JSON' })
    await text.getByText('"before"').waitFor()
    await studio.gateway.deploy('answer', answer('changed elsewhere'))
    await text.getByText('"changed elsewhere"').waitFor()
    assert.equal(await page.getByText('draft').count(), 0)
  }),
)
