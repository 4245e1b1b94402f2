// Figures in the list of routes, and its movement.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathRoute } from '#test/gateway'
import { STUDIO_TEST, StudioUnderTest } from '#test/studio'
import { waitUntil } from '#test/waiting'

const busy = { ...pathRoute('/busy', 'x'), name: 'busy' }
const broken = {
  condition: "${find(request.uri.path, '^/broken')}",
  handler: { type: 'StaticResponseHandler', config: { status: 500 } },
}
const studio = new StudioUnderTest({ routes: { busy, broken, quiet: pathRoute('/quiet', 'x') } })

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
  }),
)
