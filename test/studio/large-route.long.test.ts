// A route with as many objects as a large instance has in one file. Counted is what a key draws, which no other process changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canvasNode, STUDIO_TEST, StudioUnderTest } from '#test/studio'

const OBJECTS = 1_000

const heap = Array.from({ length: OBJECTS }, (_, at) => ({
  name: `Object${at}`,
  type: 'StaticResponseHandler',
  config: { status: 200, entity: `${at}` },
}))

const studio = new StudioUnderTest({
  files: {
    'config/routes/large.json': JSON.stringify({ condition: '${true}', heap, handler: 'Object7' }, null, 2),
  },
})

test(
  'keys in the text of a route with 1,000 objects draw nothing of the picture, and the pause after them one object; the draft is stored',
  STUDIO_TEST,
  studio.testOfRoute('large', async (page) => {
    await page.clock.install()
    await page.getByRole('textbox', { name: 'JSON' }).press('Control+Home')
    for (const key of ['ArrowDown', 'End', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key)
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.evaluate(`
      window.drawn = 0
      new MutationObserver((changes) => { window.drawn += changes.length })
        .observe(document.querySelector('.canvas'), { attributes: true, characterData: true, childList: true, subtree: true })`)
    await page.keyboard.type(' or so')
    await page.getByRole('textbox', { name: 'JSON' }).getByText('${true} or so').waitFor()
    assert.equal(await page.evaluate('window.drawn'), 0)
    await page.clock.fastForward(1_000)
    await canvasNode(page, /^\$\{true\} or so, condition/).waitFor()
    const drawn = await page.evaluate<number>('window.drawn')
    assert.ok(drawn > 0 && drawn < 100, `${drawn} changes of the canvas`)
    await page.keyboard.type('!')
    await page.reload()
    await page.clock.resume()
    await page.getByRole('textbox', { name: 'JSON' }).getByText('${true} or so!').waitFor()
  }),
)
