// What happens around an editor: no draft is lost.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, chromiumMissing } from '#test/chromium'
import type { RunningGateway } from '#test/gateway'
import { gatewayWithStudio, logInToStudio, STUDIO_PASSWORD } from '#test/studio'

const options = { skip: chromiumMissing, timeout: 60_000 }
let chromium: Chromium
let running: RunningGateway

const answer = (entity: string) => ({
  condition: "${find(request.uri.path, '^/answer')}",
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
})

before(async () => {
  if (chromiumMissing !== false) return
  ;[running, chromium] = await Promise.all([gatewayWithStudio(), Chromium.start()])
})

after(async () => {
  await chromium?.[Symbol.asyncDispose]()
  await running?.[Symbol.asyncDispose]()
})

/** Runs a test with an edited route that is not deployed. */
function withDraft(use: (page: Page) => Promise<void>): () => Promise<void> {
  return () =>
    chromium.withPage(async (page) => {
      await running.deploy('answer', answer('before'))
      await logInToStudio(page, running.adminUrl)
      await page.getByRole('link', { name: 'answer' }).click()
      await page.getByRole('group', { name: /StaticResponseHandler/ }).waitFor()
      await page.getByRole('textbox', { name: 'JSON' }).click()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.insertText(JSON.stringify(answer('after'), null, 2))
      await page.getByText('draft').waitFor()
      await use(page)
    })
}

async function deploy(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.getByText(/^Deployed /).waitFor()
  assert.equal((await running.ask('/answer')).text, 'after')
}

test(
  'a session that ends in an edit leads to the login, and then back to the draft',
  options,
  withDraft(async (page) => {
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Deploy' }).click()
    await page.getByRole('textbox', { name: 'Password' }).fill(STUDIO_PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'answer' }).waitFor()
    await deploy(page)
  }),
)

test(
  'a gateway that can not be reached is an alert, and the draft is deployed when it is back',
  options,
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
  options,
  withDraft(async (page) => {
    await running.undeploy('answer')
    await page.getByRole('button', { name: 'Deploy' }).click()
    const conflict = page.getByRole('dialog', { name: 'Conflict' })
    await conflict.getByText(/was deleted/).waitFor()
    await conflict.getByRole('button', { name: 'Overwrite' }).click()
    await page.getByText(/^Deployed /).waitFor()
    assert.equal((await running.ask('/answer')).text, 'after')
  }),
)

test(
  'a draft of one tab is there in another, and survives a reload',
  options,
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

test('a text without changes follows the one that is served', options, () =>
  chromium.withPage(async (page) => {
    await running.deploy('answer', answer('before'))
    await logInToStudio(page, running.adminUrl)
    await page.getByRole('link', { name: 'answer' }).click()
    const text = page.getByRole('textbox', { name: 'JSON' })
    await text.getByText('"before"').waitFor()
    await running.deploy('answer', answer('changed elsewhere'))
    await text.getByText('"changed elsewhere"').waitFor()
    assert.equal(await page.getByText('draft').count(), 0)
  }),
)
