import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import axe, { type AxeResults } from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { Chromium, chromiumMissing } from './chromium.ts'
import { type GatewayParts, RunningGateway } from './gateway.ts'
import { waitUntil } from './waiting.ts'

/** The build that `npm test` makes before the tests. */
const PAGES = join(import.meta.dirname, '..', '..', 'studio', 'dist')

export const STUDIO_PASSWORD = 'a password of the studio'

/** Options of a test in the browser. */
export const STUDIO_TEST = { skip: chromiumMissing, timeout: 60_000 }

/** A route with a comment, a filter and a handler. */
export const HELLO = `{
  // Greets.
  "condition": "\${find(request.uri.path, '^/hello')}",
  "handler": {
    "type": "Chain",
    "config": {
      "filters": [
        { "name": "Marked", "type": "HeaderFilter", "config": { "messageType": "RESPONSE", "add": { "X-Mark": ["1"] } } }
      ],
      "handler": { "type": "StaticResponseHandler", "config": { "status": 200, "entity": "hello" } }
    }
  }
}
`

/** A gateway with the built pages of the Studio, an admin password and one router. */
export function gatewayWithStudio(parts: GatewayParts = {}): Promise<RunningGateway> {
  return RunningGateway.start({
    ...parts,
    studioPages: PAGES,
    files: {
      'secrets/gateway.admin.password': STUDIO_PASSWORD,
      'config/config.json': { heap: [{ name: '_router', type: 'Router' }], handler: '_router' },
      ...parts.files,
    },
  })
}

/** A gateway with the Studio and a browser, for the tests of a file. */
export class StudioUnderTest {
  #gateway: RunningGateway | null = null
  #chromium: Chromium | null = null

  /** Starts both before the tests of the file and ends them afterwards. Without a browser, tests are skipped. */
  constructor(parts: GatewayParts = {}) {
    before(async () => {
      if (chromiumMissing !== false) return
      ;[this.#gateway, this.#chromium] = await Promise.all([gatewayWithStudio(parts), Chromium.start()])
    })
    after(async () => {
      await this.#chromium?.[Symbol.asyncDispose]()
      await this.#gateway?.[Symbol.asyncDispose]()
    })
  }

  get gateway(): RunningGateway {
    assert.ok(this.#gateway !== null)
    return this.#gateway
  }

  get chromium(): Chromium {
    assert.ok(this.#chromium !== null)
    return this.#chromium
  }

  /** A test in a page of the Studio after the login; errors of the page and refusals by its Content-Security-Policy fail it. */
  test(use: (page: Page) => Promise<void>): () => Promise<void> {
    return () =>
      this.chromium.withPage(async (page) => {
        const errors: string[] = []
        page.on('pageerror', ({ message }) => errors.push(message))
        page.on('console', (line) => {
          if (line.text().includes('Content Security Policy')) errors.push(line.text())
        })
        await logInToStudio(page, this.gateway.adminUrl)
        await use(page)
        assert.deepEqual(errors, [])
      })
  }

  /** A test in the editor of a route, with its canvas shown. */
  testOfRoute(id: string, use: (page: Page) => Promise<void>): () => Promise<void> {
    return this.test(async (page) => {
      await openRoute(page, id)
      await use(page)
    })
  }

  /** Text of the entity that the gateway responds with. */
  async entityOf(path: string): Promise<string> {
    return (await this.gateway.ask(path)).text
  }

  /** Text of the file of a route. */
  fileOf(id: string): string {
    return readFileSync(join(this.gateway.instance.directory, `config/routes/${id}.json`), 'utf8')
  }
}

export async function logInToStudio(page: Page, adminUrl: string): Promise<void> {
  await page.goto(`${adminUrl}/studio/`)
  await page.getByRole('textbox', { name: 'User' }).fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill(STUDIO_PASSWORD)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('navigation').waitFor()
}

/** Opens a route from the list. The canvas fits its view before the first validation responds. */
export async function openRoute(page: Page, id: string): Promise<void> {
  await page.getByRole('link', { name: 'Routes' }).first().click()
  await page.getByRole('link', { name: id, exact: true }).click()
  await page.getByText('No problems.').waitFor()
}

/** Objects of the canvas by their accessible name. */
export function canvasNode(page: Page, name: RegExp): Locator {
  return page.getByRole('region', { name: 'Canvas' }).getByRole('group', { name })
}

/** Waits until the canvas has these objects in this order: names, or types of those without. */
export async function canvasShows(page: Page, ...names: readonly string[]): Promise<void> {
  const shown = page.locator('.canvas .node:not(.entry) .node-name')
  const expected = names.join(' ')
  let found = ''
  const isShown = async () => {
    found = (await shown.allTextContents()).join(' ')
    return found === expected
  }
  await waitUntil(`the canvas shows ${expected}`, isShown, 10_000).catch(() => assert.equal(found, expected))
}

/** Replaces the text of the JSON editor. */
export async function replaceJson(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'JSON' }).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

/** Deploys the draft of the editor. */
export async function deployDraft(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Deploy' }).click()
  await page.getByText(/^Deployed /).waitFor()
}

/** Runs a command of the palette of commands. */
export async function runCommand(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command' }).fill(command)
  await page.keyboard.press('Enter')
}

/** Types into an input and applies it. */
export async function enter(input: Locator, text: string): Promise<void> {
  await input.fill(text)
  await input.press('Enter')
}

/** Chooses a completion. CodeMirror ignores a choice shortly after the list was opened, so that it may take several clicks. */
export async function chooseCompletion(page: Page, name: string): Promise<void> {
  // Not the option of a form for the object at the cursor.
  const option = page.locator('.cm-tooltip-autocomplete').getByRole('option', { name, exact: true })
  await option.waitFor()
  const isChosen = async () => {
    await option.click({ timeout: 500 }).catch(() => {})
    return (await option.count()) === 0
  }
  await waitUntil(`the completion ${name} is applied`, isChosen)
}

/** Serious and critical findings of axe-core on the page as it is shown. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the Content-Security-Policy of the page does not concern.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`))
}
