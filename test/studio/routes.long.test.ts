// Routes of a running gateway in the Studio, as a person works with them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  accessibilityFindings,
  deployDraft,
  HELLO,
  logInToStudio,
  openRoute,
  replaceJson,
  STUDIO_TEST,
  StudioUnderTest,
} from '#test/studio'

const studio = new StudioUnderTest({ routes: { hello: HELLO } })

test(
  'a wrong password is refused with an alert; a reload stays on the page; log-out ends the session on every tab',
  STUDIO_TEST,
  () =>
    studio.chromium.withPage(async (page, context) => {
      await page.goto(`${studio.gateway.adminUrl}/`)
      await page.getByRole('textbox', { name: 'User' }).fill('admin')
      await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
      await page.getByRole('button', { name: 'Log in' }).click()
      assert.match(await page.getByRole('alert').innerText(), /password/i)
      await logInToStudio(page, studio.gateway.adminUrl)
      await page.getByRole('link', { name: 'Try it' }).click()
      await page.reload()
      await page.getByRole('heading', { name: 'Try it' }).waitFor()
      const other = await context.newPage()
      await other.goto(`${studio.gateway.adminUrl}/studio/monitor`)
      await other.getByRole('button', { name: 'Log out' }).click()
      await other.getByRole('button', { name: 'Log in' }).waitFor()
      await page.getByRole('button', { name: 'Log in' }).waitFor()
    }),
)

test(
  'a route is created from a template, deployed, renamed, deleted and brought back',
  STUDIO_TEST,
  studio.test(async (page) => {
    await page.getByRole('button', { name: 'New route' }).click()
    const dialog = page.getByRole('dialog', { name: 'New route' })
    const id = dialog.getByRole('textbox', { name: 'Route ID' })
    for (const wrong of ['hello', 'default', '../x', '.hidden']) {
      await id.fill(wrong)
      assert.equal(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), true, wrong)
    }
    await id.fill('fresh')
    await dialog.getByRole('radio', { name: /^Static answer/ }).check()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page
      .getByRole('region', { name: 'Canvas' })
      .getByRole('group', { name: /StaticResponseHandler/ })
      .waitFor()
    await deployDraft(page)
    assert.equal(await studio.entityOf('/fresh'), 'This is fresh.')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Route ID' }).fill('renamed')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'renamed' }).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Delete route' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete route' }).click()
    await page.getByRole('button', { name: 'Deleted routes' }).click()
    const deleted = page.getByRole('dialog', { name: 'Deleted routes' })
    await deleted
      .getByRole('row', { name: /renamed/ })
      .getByRole('button', { name: 'Bring back' })
      .click()
    await deleted.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('table', { name: 'Routes' }).getByRole('link', { name: 'renamed' }).waitFor()
    assert.equal(await studio.entityOf('/fresh'), 'This is fresh.')
  }),
)

test(
  'the text keeps its comments when a field is edited by form; undo and redo; history rolls back',
  STUDIO_TEST,
  studio.test(async (page) => {
    await page.getByRole('link', { name: 'hello' }).click()
    const canvas = page.getByRole('region', { name: 'Canvas' })
    await canvas.getByRole('group', { name: /StaticResponseHandler/ }).press('Enter')
    const properties = page.getByRole('region', { name: 'Properties' })
    await properties.getByLabel('entity').fill('good morning')
    await properties.getByLabel('entity').press('Enter')
    await page.getByRole('button', { name: 'Undo' }).click()
    assert.equal(await page.getByRole('button', { name: 'Deploy' }).isDisabled(), true)
    await page.getByRole('button', { name: 'Redo' }).click()
    await deployDraft(page)
    assert.equal(await studio.entityOf('/hello'), 'good morning')
    assert.equal(studio.fileOf('hello'), HELLO.replace('"hello" }', '"good morning" }'))
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('dialog', { name: 'History' }).getByRole('button', { name: 'Roll back' }).first().click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await studio.entityOf('/hello'), 'hello')
    assert.equal(studio.fileOf('hello'), HELLO)
  }),
)

test(
  'problems are shown at their line and on the node, and what is typed is kept as draft',
  STUDIO_TEST,
  studio.test(async (page) => {
    await openRoute(page, 'hello')
    await replaceJson(page, HELLO.replace('"HeaderFilter"', '"HeadFilter"'))
    assert.match(await page.getByRole('list', { name: 'Problems' }).innerText(), /line 8[\s\S]*HeadFilter/)
    await page.getByRole('group', { name: /Marked.*problem/ }).waitFor()
    await page.reload()
    await page.getByRole('group', { name: /Marked.*problem/ }).waitFor()
    await page.getByRole('button', { name: 'Deploy' }).click()
    assert.match(await page.getByRole('alert').innerText(), /HeadFilter|does not load|invalid/i)
    assert.equal(await studio.entityOf('/hello'), 'hello')
    await page.getByRole('link', { name: 'Routes' }).first().click()
    await page.getByRole('row', { name: /hello.*draft/ }).waitFor()
    await page.getByRole('link', { name: 'hello' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByText('No problems.').waitFor()
  }),
)

test(
  'a change by another person is a conflict with both texts, and neither is lost',
  STUDIO_TEST,
  studio.test(async (page) => {
    await openRoute(page, 'hello')
    await replaceJson(page, HELLO.replace('"entity": "hello"', '"entity": "mine"'))
    await studio.gateway.deploy('hello', HELLO.replace('// Greets.', '// Greets politely.'))
    await page.getByRole('button', { name: 'Deploy' }).click()
    const conflict = page.getByRole('dialog', { name: 'Conflict' })
    await conflict.getByText('Greets politely.').first().waitFor()
    await conflict.getByRole('button', { name: 'Overwrite' }).click()
    await page.getByText(/^Deployed /).waitFor()
    assert.equal(await studio.entityOf('/hello'), 'mine')
    await studio.gateway.deploy('hello', HELLO)
  }),
)

test(
  'the palette adds filters and objects, keys move and remove them, all from the keyboard',
  STUDIO_TEST,
  studio.test(async (page) => {
    await page.getByRole('link', { name: 'hello' }).focus()
    await page.keyboard.press('Enter')
    const canvas = page.getByRole('region', { name: 'Canvas' })
    await canvas.getByRole('group', { name: /Marked/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Search types' }).focus()
    await page.keyboard.type('CookieFilter')
    await page.getByRole('button', { name: 'Add CookieFilter' }).focus()
    await page.keyboard.press('Enter')
    const cookies = canvas.getByRole('group', { name: /CookieFilter/ })
    await cookies.focus()
    await page.keyboard.press('Alt+ArrowLeft')
    const json = page.getByRole('textbox', { name: 'JSON' })
    await json.getByText('"CookieFilter"').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command' }).fill('deploy')
    await page.keyboard.press('Enter')
    await page.getByText(/^Deployed /).waitFor()
    const text = studio.fileOf('hello')
    assert.ok(text.indexOf('CookieFilter') < text.indexOf('HeaderFilter'), text)
    assert.match(text, /\/\/ Greets\./)
    await canvas.getByRole('group', { name: /CookieFilter/ }).focus()
    await page.keyboard.press('Delete')
    await cookies.waitFor({ state: 'detached' })
    await deployDraft(page)
    await studio.gateway.deploy('hello', HELLO)
  }),
)

test(
  'routes of a router in the heap of a route are listed, and edited where they are',
  STUDIO_TEST,
  studio.test(async (page) => {
    const entity = (text: string) => ({
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: text } },
    })
    studio.gateway.instance.write('config/inner/leaf.json', entity('leaf'))
    const inner = { name: 'inner', type: 'Router', config: { directory: '&{ig.instance.dir}/config/inner' } }
    await studio.gateway.deploy('outer', {
      condition: "${find(request.uri.path, '^/outer')}",
      heap: [inner],
      handler: 'inner',
    })
    await page.reload()
    await page.getByRole('row', { name: /leaf of _router\/routes\/outer\/objects\/inner loaded/ }).waitFor()
    await page.getByRole('link', { name: 'leaf' }).click()
    await page.getByRole('group', { name: /StaticResponseHandler/ }).waitFor()
    await replaceJson(page, JSON.stringify(entity('another leaf')))
    await deployDraft(page)
    assert.equal(await studio.entityOf('/outer'), 'another leaf')
    await studio.gateway.undeploy('outer')
  }),
)

test(
  'markup in names, conditions and problems is text',
  STUDIO_TEST,
  studio.test(async (page) => {
    const markup = '<img src=x onerror=alert(1)>'
    await studio.gateway.deploy('markup', {
      name: markup,
      condition: `\${1 == 2 && '${markup}' == ''}`,
      handler: markup,
    })
    await page.reload()
    await page.getByRole('link', { name: 'markup' }).click()
    await page.getByText(markup).first().waitFor()
    assert.equal(await page.locator('img').count(), 0)
    await studio.gateway.undeploy('markup')
  }),
)

for (const scheme of ['light', 'dark'] as const) {
  test(
    `axe-core finds nothing serious on any page (${scheme})`,
    STUDIO_TEST,
    studio.test(async (page) => {
      await page.emulateMedia({ colorScheme: scheme })
      await page.getByRole('link', { name: 'hello' }).waitFor()
      assert.deepEqual(await accessibilityFindings(page), [], 'routes')
      await page.getByRole('button', { name: 'New route' }).click()
      assert.deepEqual(await accessibilityFindings(page), [], 'new route')
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'hello' }).click()
      await page.getByRole('group', { name: /Marked/ }).press('Enter')
      await page.getByRole('region', { name: 'Properties' }).getByLabel('messageType').waitFor()
      assert.deepEqual(await accessibilityFindings(page), [], 'editor')
      for (const name of ['Try it', 'Requests', 'Monitor']) {
        await page.getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { name, exact: true }).waitFor()
        assert.deepEqual(await accessibilityFindings(page), [], name)
      }
    }),
  )
}

test(
  'a comment in the text has one colour, also for names, values and expressions in it',
  STUDIO_TEST,
  studio.testOfRoute('hello', async (page) => {
    await replaceJson(page, HELLO.replace('// Greets.', '// "name": true, "entity": "${request.method}"'))
    await page.locator('.json-comment').getByText('request').waitFor()
    const colours = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.json-comment, .json-comment *')].map((part) => getComputedStyle(part).color)`,
    )
    assert.equal(new Set(colours).size, 1)
    assert.notEqual(
      colours[0],
      await page.evaluate(`getComputedStyle(document.querySelector('.tok-propertyName:not(.json-comment *)')).color`),
    )
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)
