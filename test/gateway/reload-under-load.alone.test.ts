// F19: routes change all the time under load; no request may fail, be misrouted or be handled by two versions.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { pathRoute, RunningGateway } from '#test/gateway'
import { Load } from '#test/load'
import { PROBE_EXTENSION, PROBE_ROUTE, type Probe, probeUnits } from '#test/probe-extension'
import { httpUpstream } from '#test/upstream'

const CHANGES = 200
const UNITS = 2

test('F19: 200 route changes under load fail and misroute no request, and leave nothing behind', {
  timeout: 180_000,
}, async (t) => {
  await using upstream = await httpUpstream((_request, response) => void response.end('upstream'))
  const changing = (version: number) => ({
    condition: "${find(request.uri.path, '^/changing')}",
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'VersionFilter', config: { version: `v${version}` } }],
        handler: pathRoute('', `body v${version}`).handler,
      },
    },
  })
  const steady = {
    condition: "${find(request.uri.path, '^/steady')}",
    baseURI: upstream.url,
    handler: 'ReverseProxyHandler',
  }
  await using gateway = await RunningGateway.start({
    units: UNITS,
    files: {
      'config/config.json': { handler: { name: '_router', type: 'Router', config: { scanInterval: 'disabled' } } },
    },
    routes: { changing: changing(0), steady, probe: PROBE_ROUTE },
    extra: { 'probe.js': PROBE_EXTENSION },
  })
  await using load = new Load({
    url: gateway.url,
    connections: 4,
    targets: [
      { path: '/steady/x', expected: '^200 - upstream$' },
      { path: '/changing/x', expected: '^200 (v\\d+) body \\1$' },
    ],
  })

  const change = async (round: number): Promise<void> => {
    if (round % 5 === 1) gateway.instance.writeRoute('unrelated', pathRoute('/unrelated', `round ${round}`))
    else if (round % 5 === 2) gateway.instance.writeRoute('broken', '{ "handler": ')
    else if (round % 5 === 3) gateway.instance.removeRoute('unrelated')
    else gateway.instance.writeRoute('changing', changing(round))
    await gateway.scan()
  }
  let before: readonly Probe[] = []
  let [residentBefore, descriptorsBefore] = [0, 0]
  for (let round = 1; round <= CHANGES; round++) {
    await change(round)
    if (round !== CHANGES / 4) continue
    before = await probeUnits((path) => gateway.ask(path), UNITS)
    residentBefore = process.memoryUsage().rss
    descriptorsBefore = descriptors()
  }
  const { requests, wrong, wrongCount } = await load.stop()
  t.diagnostic(`${requests} requests during ${CHANGES} changes`)
  assert.deepEqual([wrongCount, wrong], [0, []])
  assert.ok(requests > CHANGES, `only ${requests} requests`)

  // A quarter of the changes is the warm-up; three times as many must not increase memory and descriptors.
  const afterwards = await probeUnits((path) => gateway.ask(path), UNITS)
  assert.deepEqual(
    afterwards.map(({ live, unhandled }) => ({ live, unhandled })),
    afterwards.map(() => ({ live: 1, unhandled: 0 })),
  )
  for (const { threadId, heapUsed } of afterwards) {
    const earlier = before.find((probe) => probe.threadId === threadId)?.heapUsed ?? 0
    assert.ok(heapUsed < earlier + 8 * 2 ** 20, `heap of a unit grew from ${earlier} to ${heapUsed} bytes`)
  }
  const { rss } = process.memoryUsage()
  assert.ok(rss < residentBefore * 1.35, `resident memory grew from ${residentBefore} to ${rss} bytes`)
  assert.ok(
    descriptors() <= descriptorsBefore + 5,
    `file descriptors grew from ${descriptorsBefore} to ${descriptors()}`,
  )
  assert.equal(await gateway.metric('gw_route_request_active'), 0)
})

function descriptors(): number {
  return readdirSync('/proc/self/fd').length
}
