import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { type GatewayParts, RunningGateway } from './gateway.ts'

/** The build that `npm test` makes before the tests. */
const PAGES = join(import.meta.dirname, '..', '..', 'studio', 'dist')

export const STUDIO_PASSWORD = 'a password of the studio'

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

export async function logInToStudio(page: Page, adminUrl: string): Promise<void> {
  await page.goto(`${adminUrl}/studio/`)
  await page.getByRole('textbox', { name: 'User' }).fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill(STUDIO_PASSWORD)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('navigation').waitFor()
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
