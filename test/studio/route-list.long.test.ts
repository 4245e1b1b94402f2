// Figures in the list of routes, and its movement.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathRoute } from '#test/gateway'
import { logInToStudio, STUDIO_TEST, StudioUnderTest } from '#test/studio'
import { waitUntil } from '#test/waiting'

const busy = { ...pathRoute('/busy', 'x'), name: 'busy' }
const broken = {
  condition: "${find(request.uri.path, '^/broken')}",
  handler: { type: 'StaticResponseHandler', config: { status: 500 } },
}
/** Its ID is a member that every object has. */
const named = { constructor: pathRoute('/constructor', 'x') }
const studio = new StudioUnderTest({ routes: { busy, broken, quiet: pathRoute('/quiet', 'x'), ...named } })

test(
  'the list has the requests per second, the errors and the 99th percentile of each route',
  STUDIO_TEST,
  studio.test(async (page) => {
    const cells = (id: string) =>
      page
        .getByRole('table', { name: 'Routes' })
        .getByRole('row')
        .filter({ has: page.getByRole('link', { name: id, exact: true }) })
        .getByRole('cell')
        .allInnerTexts()
    const figures = async (id: string) => (await cells(id)).slice(3, 6).map(Number)
    await waitUntil('both routes have figures', async () => {
      await Promise.all(['/busy', '/broken', '/busy'].map((path) => studio.gateway.ask(path)))
      const [[requests = 0, errors = 1, p99 = 0], [failed = 0, failures = 0]] = [
        await figures('busy'),
        await figures('broken'),
      ] as [number[], number[]]
      return requests > 0 && errors === 0 && p99 > 0 && failed > 0 && failures > 0
    })
    const [requests = 0, errors = 0] = await figures('quiet')
    assert.deepEqual([requests, errors], [0, 0])
    assert.equal((await cells('constructor'))[0], 'constructor')
  }),
)

test('a page that can not be loaded says why in its place, and the other pages are there', STUDIO_TEST, () =>
  studio.chromium.withPage(async (page) => {
    await logInToStudio(page, studio.gateway.adminUrl)
    // As after an update of the gateway, which has other parts of pages.
    await page.route('**/assets/monitor-page-*', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Monitor' }).click()
    await page.getByRole('alert').getByText('This page can not be shown').waitFor()
    await page.getByRole('link', { name: 'Routes' }).click()
    await page.getByRole('link', { name: 'busy' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.unroute('**/assets/monitor-page-*')
    await page.getByRole('link', { name: 'Monitor' }).click()
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  }),
)
