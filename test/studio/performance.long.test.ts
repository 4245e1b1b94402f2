// Costs of the pages in a real browser. The bounds are twice the targets, for a busy machine; `npm run bench -- studio` has the targets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathRoute } from '#test/gateway'
import { STUDIO_PASSWORD, STUDIO_TEST, StudioUnderTest } from '#test/studio'
import { measureFilter, measureFirstPage } from '#test/studio-performance'

const ROUTES = 5_000

const studio = new StudioUnderTest({
  routes: Object.fromEntries(
    Array.from({ length: ROUTES }, (_, at) => [`route-${String(at).padStart(4, '0')}`, pathRoute(`/${at}`, 'x')]),
  ),
})

test(
  'the first page of 5,000 routes takes 3 s of CPU time and 450 KB at most; its filter 100 ms for a key',
  STUDIO_TEST,
  () =>
    studio.chromium.withPage(async (page) => {
      const { adminUrl } = studio.gateway
      const first = await measureFirstPage(page, { adminUrl, password: STUDIO_PASSWORD, route: 'route-0000' })
      assert.ok(first.bytes > 50_000 && first.bytes <= 450_000, `${first.bytes} bytes`)
      assert.ok(first.cpuSeconds > 0 && first.cpuSeconds <= 3, `${first.cpuSeconds} s`)
      await page.getByText(`${ROUTES} routes`).waitFor()
      const costs = await measureFilter(page, 'staticresp 49')
      await page.getByText(/^\d+ of 5000 routes$/).waitFor()
      const median = costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] as number
      assert.ok(median > 0 && median <= 100, costs.map((cost) => cost.toFixed(1)).join())
      assert.ok((await page.getByRole('row').count()) < 100, 'rows beyond the visible ones are in the document')
    }),
)

test(
  'the list of 5,000 routes scrolls to its end with no more rows in the document than are near the visible ones',
  STUDIO_TEST,
  studio.test(async (page) => {
    const list = page.getByRole('table', { name: 'Routes' }).getByRole('rowgroup')
    await list.hover()
    const last = page.getByRole('link', { name: `route-${ROUTES - 1}`, exact: true })
    for (let turn = 0; turn < 200 && !(await last.isVisible()); turn++) {
      await page.mouse.wheel(0, 2_000)
      assert.ok((await page.getByRole('row').count()) < 100, `after ${turn} turns of the wheel`)
    }
    await last.waitFor()
  }),
)
