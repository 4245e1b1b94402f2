// What is typed into a form, and not applied by Enter or by leaving the input.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { canvasNode, HELLO, openRoute, STUDIO_PASSWORD, STUDIO_TEST, StudioUnderTest } from '#test/studio'
import { waitUntil } from '#test/waiting'

const studio = new StudioUnderTest({ files: { 'config/routes/hello.json': HELLO } })

const nameField = (page: Page) => page.getByRole('region', { name: 'Properties' }).getByLabel('name', { exact: true })

/** Types a name of the filter, and leaves the focus in its input. */
async function typeName(page: Page, name: string): Promise<void> {
  await canvasNode(page, /HeaderFilter/).click()
  await nameField(page).press('ControlOrMeta+a')
  await page.keyboard.type(name)
}

/** Waits until the text of the draft has a name. */
async function textHas(page: Page, name: string): Promise<void> {
  await page.getByRole('textbox', { name: 'JSON' }).getByText(`"${name}"`).waitFor()
}

test(
  'a text that is typed into a form is in the draft after a reload, and after Back and Forward',
  STUDIO_TEST,
  studio.testOfRoute('hello', async (page) => {
    await typeName(page, 'Reloaded')
    await page.reload()
    await textHas(page, 'Reloaded')
    await typeName(page, 'WentBack')
    await page.goBack()
    await page.getByRole('table', { name: 'Routes' }).waitFor()
    await page.goForward()
    await textHas(page, 'WentBack')
  }),
)

test(
  'a text that is typed into a form stays when the session ends: applied, or as it is where it is not valid; not after a log-out',
  STUDIO_TEST,
  studio.testOfRoute('hello', async (page) => {
    const other = await page.context().newPage()
    await typeName(page, 'Unfinished')
    await page.getByRole('group', { name: 'add', exact: true }).getByRole('button', { name: 'Add row' }).click()
    await page.getByLabel('add name 2', { exact: true }).fill('X-Half')
    await page.context().clearCookies()
    // Asks whether the session goes on.
    await page.evaluate(`dispatchEvent(new Event('focus')); document.dispatchEvent(new Event('visibilitychange'))`)
    const password = page.getByRole('textbox', { name: 'Password' })
    await password.waitFor()
    assert.equal(await page.getByRole('navigation').count(), 0, 'the pages are hidden')
    await password.fill(STUDIO_PASSWORD)
    await password.press('Enter')
    await page.getByRole('navigation').waitFor()
    await textHas(page, 'Unfinished')
    assert.equal(await nameField(page).inputValue(), 'Unfinished', 'the same object is selected')
    assert.equal(await page.getByLabel('add name 2', { exact: true }).inputValue(), 'X-Half')
    await canvasNode(page, /^Unfinished, HeaderFilter/).waitFor()
    await page.getByText('No problems.').waitFor()
    await typeName(page, 'LoggedOut')
    await other.goto(`${studio.gateway.adminUrl}/studio/`)
    await other.getByRole('button', { name: 'Log out' }).click()
    await password.waitFor()
    const isGone = async () => !(await page.content()).includes('HeaderFilter')
    await waitUntil('nothing of the page is left after the log-out', isGone)
    await password.fill(STUDIO_PASSWORD)
    await password.press('Enter')
    await textHas(page, 'LoggedOut')
  }),
)

test(
  'the browser asks before a page with a text that can not be applied is left',
  STUDIO_TEST,
  studio.test(async (page) => {
    await openRoute(page, 'hello')
    await canvasNode(page, /HeaderFilter/).click()
    const rows = page.getByRole('group', { name: 'add', exact: true })
    await rows.getByRole('button', { name: 'Add row' }).click()
    await page.getByLabel('add name 2', { exact: true }).fill('X-Mark')
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.reload()
    assert.deepEqual(asked, ['beforeunload'])
    await page.getByText('No problems.').waitFor()
    await page.reload()
    assert.deepEqual(asked, ['beforeunload'], 'a page without such a text is left at once')
  }),
)
