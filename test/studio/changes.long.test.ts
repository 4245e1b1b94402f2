// Changes of a route in the Studio: structure and text of a diff, versions, and the audit trail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFindings, deployDraft, HELLO, replaceJson, STUDIO_TEST, StudioUnderTest } from '#test/studio'

const studio = new StudioUnderTest({ routes: { hello: HELLO } })

const WITH_COOKIES = HELLO.replace(
  /\{ "name": "Marked".*/,
  '{ "type": "CookieFilter", "config": {} },\n        $&',
).replace('"entity": "hello"', '"entity": "<b>good morning</b>"')

test(
  'a diff has the objects and fields that were added, removed, changed and moved, beside the texts',
  STUDIO_TEST,
  studio.testOfRoute('hello', async (page) => {
    await replaceJson(page, WITH_COOKIES)
    await page.getByText('draft').waitFor()
    await page.getByRole('button', { name: 'Diff' }).click()
    const diff = page.getByRole('dialog', { name: 'Diff' })
    const changes = diff.getByRole('list', { name: 'Changes of the structure' }).getByRole('listitem')
    assert.deepEqual(await changes.allInnerTexts(), [
      'added CookieFilter /handler/config/filters/0',
      'changed in StaticResponseHandler /handler/config/handler/config/entity "hello" "<b>good morning</b>"',
    ])
    await diff.getByRole('textbox', { name: 'draft' }).getByText('CookieFilter').waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)

test(
  'the history shows who changed which fields, when and how, also rejected changes, and compares structures',
  STUDIO_TEST,
  studio.testOfRoute('hello', async (page) => {
    await replaceJson(page, WITH_COOKIES)
    await deployDraft(page)
    await replaceJson(page, WITH_COOKIES.replace('"CookieFilter"', '"CokieFilter"'))
    await page.getByRole('button', { name: 'Deploy' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    const history = page.getByRole('dialog', { name: 'History' })
    const changes = history.getByRole('table', { name: 'Changes' }).getByRole('row')
    await changes.nth(1).waitFor()
    const rejected = await changes.nth(1).innerText()
    assert.match(rejected, /admin from 127\.0\.0\.1\s+update, studio.*rejected with 400/s)
    const deployed = await changes.nth(2).innerText()
    assert.match(deployed, /admin from 127\.0\.0\.1\s+update, studio/)
    assert.match(deployed, /\/handler\/config\/handler\/config\/entity/)
    assert.match(deployed, /revision [0-9a-f]{8}/)
    const versions = history.getByRole('table', { name: 'Versions' })
    assert.match(await versions.getByRole('row').first().innerText(), /^replaced .* by admin \(update\)/)
    await versions.getByRole('button', { name: 'Compare' }).first().click()
    const list = history.getByRole('list', { name: 'Changes of the structure' })
    await list.getByText('added').first().waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
    await studio.gateway.deploy('hello', HELLO)
  }),
)
