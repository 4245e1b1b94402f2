import { accessSync, constants, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const PROGRAM = programOnPath('chromium') ?? programOnPath('chromium-browser') ?? programOnPath('google-chrome')

/** Why tests with a real browser cannot run here, or false. */
export const chromiumMissing: string | false =
  PROGRAM === null ? 'chromium is not on the PATH; nothing was checked in a real browser' : false

/** Time-out of a page, a login or a redirect, as of other waits of tests: a first validation takes long on a busy machine. */
const TIMEOUT = 30_000

/** Host names of tests resolve to loopback; all others, such as those of fonts and browser services, do not resolve. */
const NAMES = 'MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'

/** A real headless browser. Each page context has separate cookies and storage. */
export class Chromium implements AsyncDisposable {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async start(): Promise<Chromium> {
    // Chromium's sandbox can not be set up by root.
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    const args = [...asRoot, `--host-resolver-rules=${NAMES}`, '--no-proxy-server']
    return new Chromium(await chromium.launch({ executablePath: PROGRAM as string, args }))
  }

  /**
   * Runs a function with the browser. If it fails, the content of the pages is written to a folder that the error names: one
   * below BROWSER_FAILURES, or else a temporary one.
   */
  async withPage(use: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
    const context = await this.#browser.newContext({ ignoreHTTPSErrors: true, acceptDownloads: true })
    context.setDefaultTimeout(TIMEOUT)
    try {
      await use(await context.newPage(), context)
    } catch (error) {
      throw new Error(`failed in the browser; what it showed is kept in ${await keepPages(context)}`, { cause: error })
    } finally {
      await context.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
  }
}

async function keepPages(context: BrowserContext): Promise<string> {
  const parent = process.env['BROWSER_FAILURES'] ?? tmpdir()
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(join(parent, 'gateway-browser-'))
  for (const [at, page] of context.pages().entries()) {
    const file = join(directory, `page-${at + 1}`)
    // A crashed page has no content; the failure itself is reported.
    const html = await page.content().catch((error: Error) => `<!-- ${error.message} -->`)
    writeFileSync(`${file}.html`, `<!-- ${page.url()} -->\n${html}`)
    await page.screenshot({ path: `${file}.png`, timeout: 5_000 }).catch(() => {})
  }
  return directory
}

function programOnPath(name: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {}
  }
  return null
}
