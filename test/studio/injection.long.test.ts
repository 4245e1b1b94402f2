// Markup and script in every text that comes from outside is text, and the Content-Security-Policy has nothing to refuse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { logInToStudio, replaceJson, STUDIO_TEST, StudioUnderTest } from '#test/studio'
import { waitUntil } from '#test/waiting'

const MARKUP = '<img src=x onerror=window.injected=1><script>window.injected=1</script>'
/** Without a slash, which a path may not have encoded. */
const SEGMENT = encodeURIComponent('<img src=x onerror=window.injected=1>')
const LINK = 'javascript:window.injected=1'
const TEMPLATE = "{{constructor.constructor('window.injected=1')()}}"
const MARKDOWN = '[click](javascript:window.injected=1) ![](x)'

/** A type whose descriptions have markup. */
const EXTENSION = `
export const types = ({ defineType, FilterKind, string, config }) => [
  defineType({
    name: 'MarkupFilter',
    kind: FilterKind,
    summary: ${JSON.stringify(`Summary ${MARKUP} ${MARKDOWN}`)},
    config: { label: config(string()).meta({ description: ${JSON.stringify(`Label ${MARKUP} ${MARKDOWN}`)} }) },
    create: () => (exchange, next) => next(exchange),
  }),
]
`

const ROUTE = {
  name: `named ${MARKUP}`,
  comment: `comment ${MARKUP}`,
  condition: `\${find(request.uri.path, '^/markup') || '${MARKUP}' == ''}`,
  handler: {
    type: 'Chain',
    config: {
      filters: [
        { name: 'Labelled', type: 'MarkupFilter', config: { label: `label ${MARKUP}` } },
        {
          name: 'Marked',
          type: 'HeaderFilter',
          config: { messageType: 'RESPONSE', add: { 'X-Mark': [MARKUP, LINK] } },
        },
        {
          name: 'Named',
          type: 'ScriptableFilter',
          config: {
            type: 'application/javascript',
            source: `contexts.requestAudit.setUserId('user ${MARKUP}'); return next.handle(context, request)`,
          },
        },
      ],
      handler: {
        name: 'Answer',
        type: 'StaticResponseHandler',
        config: { status: 200, headers: { 'Content-Type': ['text/html'] }, entity: `${MARKUP} ${TEMPLATE}` },
      },
    },
  },
}
const TEXT = `// ${MARKUP}\n${JSON.stringify(ROUTE, null, 2)}\n`

const studio = new StudioUnderTest({
  // A busy machine may stop the first run of a script after the default of a second.
  admin: { scriptTimeout: '30 seconds' },
  files: { 'extra/markup.js': EXTENSION },
  routes: { markup: TEXT },
})

/** Records what an injection would do, before any script of the page. */
const WATCH = `
  window.violations = []
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    window.violations.push([violatedDirective, blockedURI, sample].join(' ')))
`

/** Runs a test in the Studio; anything that was run, refused or inserted as markup fails it. */
function inspected(use: (page: Page) => Promise<void>): () => Promise<void> {
  return () =>
    studio.chromium.withPage(async (page) => {
      const seen: string[] = []
      page.on('dialog', (dialog) => {
        seen.push(`dialog ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('pageerror', ({ message }) => seen.push(message))
      await page.addInitScript(WATCH)
      await logInToStudio(page, studio.gateway.adminUrl)
      await use(page)
      assert.equal(await page.locator('img, iframe, [onerror], a[href^="javascript:"]').count(), 0)
      assert.deepEqual(await page.evaluate('[window.violations, window.injected ?? null]'), [[], null])
      assert.deepEqual(seen, [])
    })
}

test(
  'injected markup is text in the list of routes, the canvas, forms, the JSON text, its hover texts and problems',
  STUDIO_TEST,
  inspected(async (page) => {
    await page.evaluate(`localStorage.setItem('studio.draft:_router/draft ${MARKUP.replaceAll('/', '\\/')}', '{}')`)
    await studio.gateway.deploy('broken', { name: 'broken', handler: `missing ${MARKUP}` })
    await page.reload()
    const table = page.getByRole('table', { name: 'Routes' })
    await table.getByText(`named ${MARKUP}`).waitFor()
    await table.getByText(ROUTE.condition).waitFor()
    await table.getByText(`draft ${MARKUP}`).waitFor()
    assert.match((await table.locator('[title]').first().getAttribute('title')) ?? '', /missing <img/)
    await page.getByRole('searchbox', { name: 'Filter routes' }).fill(MARKUP)
    await table.getByRole('link', { name: 'markup', exact: true }).click()

    await page.getByRole('searchbox', { name: 'Search types' }).fill('<img')
    const title = await page.getByRole('button', { name: 'Add MarkupFilter' }).getAttribute('title')
    assert.equal(title, `Summary ${MARKUP} ${MARKDOWN}`)
    const canvas = page.getByRole('region', { name: 'Canvas' })
    await canvas.getByText(ROUTE.condition).waitFor()
    await canvas.getByRole('group', { name: /Labelled/ }).press('Enter')
    const properties = page.getByRole('region', { name: 'Properties' })
    await properties.getByText(`Label ${MARKUP} ${MARKDOWN}`).waitFor()
    assert.equal(await properties.getByLabel('label').inputValue(), `label ${MARKUP}`)

    const json = page.getByRole('textbox', { name: 'JSON' })
    await json.getByText('"label"').hover()
    await page.locator('.cm-tooltip').getByText(`Label ${MARKUP}`).waitFor()
    await replaceJson(page, TEXT.replace('"MarkupFilter"', JSON.stringify(`Type ${MARKUP}`)))
    const problem = page.getByRole('list', { name: 'Problems' }).getByText(`Type ${MARKUP}`)
    await problem.first().waitFor()
    await canvas.getByRole('group', { name: /Labelled.*problem/ }).waitFor()
    await page.locator('.cm-lint-marker').first().hover()
    await page.locator('.cm-tooltip').getByText(`Type ${MARKUP}`).first().waitFor()
    await page.getByRole('button', { name: 'Deploy' }).click()
    await page.getByRole('alert').waitFor()
    await studio.gateway.undeploy('broken')
  }),
)

test(
  'injected markup is text in diffs, conflicts, history and deleted routes',
  STUDIO_TEST,
  inspected(async (page) => {
    await studio.gateway.deploy('markup', TEXT)
    await page.getByRole('link', { name: 'markup', exact: true }).click()
    await page.getByText('No problems.').waitFor()
    await replaceJson(page, TEXT.replace('"Answer"', JSON.stringify('Answer <i>')).replace('// ', `// mine ${MARKUP} `))
    await page.getByRole('button', { name: 'Diff' }).click()
    const diff = page.getByRole('dialog', { name: 'Diff' })
    await diff.getByText('Answer <i>').first().waitFor()
    await page.keyboard.press('Escape')
    await studio.gateway.deploy('markup', TEXT.replace('// ', `// theirs ${MARKUP} `))
    await page.getByRole('button', { name: 'Deploy' }).click()
    const conflict = page.getByRole('dialog', { name: 'Conflict' })
    await conflict.getByText('theirs <img').first().waitFor()
    await conflict.getByRole('button', { name: 'Overwrite' }).click()
    await page.getByText(/^Deployed /).waitFor()
    await page.getByRole('button', { name: 'History' }).click()
    const history = page.getByRole('dialog', { name: 'History' })
    await history.getByRole('button', { name: 'Compare' }).first().click()
    await history.getByText('theirs <img').first().waitFor()
    await page.keyboard.press('Escape')
    await studio.gateway.deploy('markup', TEXT)
  }),
)

test(
  'injected markup is text in requests that are tried, in their responses, and in live requests',
  STUDIO_TEST,
  inspected(async (page) => {
    await page.getByRole('link', { name: 'Try it', exact: true }).click()
    const url = page.getByRole('textbox', { name: 'URL' })
    await url.fill(LINK)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('alert').waitFor()
    await url.fill(`/markup/${SEGMENT}?q=${encodeURIComponent(MARKUP)}`)
    await page.getByRole('textbox', { name: 'Headers' }).fill(`X-In: ${MARKUP}\nX-<b>: ${LINK}`)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('textbox', { name: 'Headers' }).fill(`X-In: ${MARKUP}`)
    await page.getByRole('textbox', { name: 'Body' }).fill(MARKUP)
    await page.getByRole('textbox', { name: 'Method' }).fill('POST')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('region', { name: 'Explanation' }).getByText(ROUTE.condition).first().waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText(`X-Mark: ${LINK}`).waitFor()
    await answer.getByText(`${MARKUP} ${TEMPLATE}`).waitFor()

    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    const table = page.getByRole('table', { name: 'Requests' })
    await waitUntil('the tail shows the user', async () => {
      const headers = { 'X-ForgeRock-TransactionId': MARKUP }
      await studio.gateway.ask(`/markup/${SEGMENT}`, { headers })
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
      return (await table.getByText(`user ${MARKUP}`).count()) > 0
    })
    const row = table
      .getByRole('row')
      .filter({ hasText: `user ${MARKUP}` })
      .first()
    await row.getByRole('button').click()
    const step = page
      .getByRole('region', { name: 'Trace' })
      .getByRole('listitem')
      .filter({ hasText: /^Marked / })
    await step.getByText('Changes').click()
    await step.getByText(JSON.stringify(MARKUP).slice(1, -1)).waitFor()
    await page.getByRole('searchbox', { name: 'Filter requests' }).fill(`path co "${MARKUP}`)
    await page.getByRole('link', { name: 'Monitor', exact: true }).click()
    await page.getByRole('table', { name: 'busiest routes' }).waitFor()
  }),
)
