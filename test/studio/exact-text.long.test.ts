// An edit changes what it concerns, and no other byte of the file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canvasNode, deployDraft, enter, openRoute, STUDIO_TEST, StudioUnderTest } from '#test/studio'

/** Tabs, CRLF, an order of keys and numbers that no formatter would choose. */
const TEXT = `{
	// Greets.
	"properties" : { "z": 9007199254740993, "a" : 1.50 },
	"condition": "\${find(request.uri.path, '^/exact')}",
	"handler": {
		"config" : { "entity": "hello", /* in a moment */ "status": 200 },
		"type": "StaticResponseHandler"
	}
}
`.replaceAll('\n', '\r\n')

const studio = new StudioUnderTest({ files: { 'config/routes/exact.json': TEXT } })

test(
  'an edit by form or by text changes nothing else of a file with CRLF, tabs, comments and exact numbers',
  STUDIO_TEST,
  studio.test(async (page) => {
    await openRoute(page, 'exact')
    assert.equal(await page.getByText('draft', { exact: true }).count(), 0, 'not before the first change')
    await canvasNode(page, /StaticResponseHandler/).click()
    const status = page.getByRole('region', { name: 'Properties' }).getByLabel(/^status/)
    await enter(status, '201')
    await deployDraft(page)
    const byForm = TEXT.replace('"status": 200', '"status": 201')
    assert.equal(studio.fileOf('exact'), byForm)
    await page.getByRole('textbox', { name: 'JSON' }).getByText('// Greets.').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' Often.')
    await deployDraft(page)
    assert.equal(studio.fileOf('exact'), byForm.replace('Greets.', 'Greets. Often.'))
  }),
)
