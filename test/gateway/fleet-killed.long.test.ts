// A gateway process that is killed while releases arrive, and started without the store.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EtcdReleases } from '#releases'
import { systemClock } from '#schema'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { fleetParts, INSTANCES } from '#test/fleet'
import { pathRoute } from '#test/gateway'
import { GatewayProcess } from '#test/gateway-process'
import { TestInstance } from '#test/instance'
import { waitUntil } from '#test/waiting'

const by = { author: 'test', note: null }
const KILLS = 6

/** All files of a release have its number; each third one has another config.json. */
function filesOf(number: number): Map<string, string> {
  const defaultHandler = { type: 'StaticResponseHandler', config: { status: 404, entity: `${number - (number % 3)}` } }
  const config = { heap: [{ name: '_router', type: 'Router', config: { defaultHandler } }], handler: '_router' }
  const routes = ['a', 'b', 'c'].map((name) => [
    `config/routes/${name}.json`,
    JSON.stringify(pathRoute(`/${name}`, `${number}`)),
  ])
  return new Map([['config/config.json', JSON.stringify(config)], ...(routes as [string, string][])])
}

/** A process of the instance, which is killed at the end. */
async function runningProcess<T>(instance: TestInstance, run: (running: GatewayProcess) => Promise<T>): Promise<T> {
  const running = new GatewayProcess({ instance })
  try {
    const ready = await running.log.until(/"message":"the gateway is ready"/, 0, 50)
    running.ports = ready['ports'] as number[]
    running.adminPort = ready['adminPort'] as number
    return await run(running)
  } finally {
    running.kill('SIGKILL')
    await running.ended
  }
}

test(`after each of ${KILLS} kills while releases arrive, one of them is served whole, and none that is older`, {
  skip: etcdMissing,
  timeout: 300_000,
}, async (context) => {
  await using etcd = await EtcdMember.start()
  await using client = etcdClient([etcd])
  using releases = new EtcdReleases(client, { prefix: '/identity-gateway', clock: systemClock })
  const { admin = {} } = fleetParts([etcd], { id: 'one' })
  using instance = new TestInstance({ admin })
  let number = 0
  const create = async () => {
    const outcome = await releases.create(filesOf(number + 1), by, { local: null })
    assert.equal(outcome.state, 'done')
    number++
  }
  await create()
  for (let kill = 0; kill < KILLS; kill++) {
    const { current } = await runningProcess(instance, async (running) => {
      const isCurrent = async () =>
        (await running.askAdmin(`${INSTANCES}/one`)).text.includes(`"served":${number},"state":"current"`)
      await waitUntil('it serves the current release', isCurrent)
      const before = number
      // More of them with each kill, so that it is at another step of another release.
      for (let more = 0; more <= kill; more++) await create()
      // Each second time when one of them is on disk, while units are about to serve it.
      const folders = join(instance.directory, 'state/release/releases')
      const isStored = () => readdirSync(folders).some((name) => Number.parseInt(name, 10) > before)
      if (kill % 2 === 1) await waitUntil('a later release is on disk', isStored)
      return { current: before }
    })
    await etcd.kill()
    await runningProcess(instance, async (alone) => {
      const texts = await Promise.all(['/a', '/b', '/c', '/none'].map(async (path) => (await alone.ask(path)).text))
      const served = Number(texts[0])
      context.diagnostic(`release ${served} of ${current} to ${number}`)
      assert.deepEqual(texts, [`${served}`, `${served}`, `${served}`, `${served - (served % 3)}`])
      assert.ok(served >= current && served <= number, `${served} of ${current} to ${number}`)
    })
    await etcd.restart()
  }
})
