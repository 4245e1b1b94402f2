import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RouterOpening } from '#contracts'
import { createLogger } from '#logging'
import { MetricsRegistry } from '#metrics'
import { manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { ConfigAudit } from '../audit/config-audit.ts'
import type { UnitLink } from '../units/unit-link.ts'
import { RouteHistory } from './history/route-history.ts'
import { OpenFolders } from './open-folders.ts'
import { parseRouteFile } from './route-files.ts'

const logger = createLogger({ level: 'silent' })

/** The part of a unit that route stores use. */
class Unit {
  readonly isFirst = true
  readonly deployed: string[] = []
  readonly #routers = new Set<string>()

  hasOpen(directory: string): boolean {
    return this.#routers.has(directory)
  }

  opens(directory: string): void {
    this.#routers.add(directory)
  }

  closes(directory: string): void {
    this.#routers.delete(directory)
  }

  async prepare(_deploy: number, _directory: string, changes: readonly object[]): Promise<readonly []> {
    this.deployed.push(JSON.stringify(changes))
    return []
  }

  async commit(): Promise<void> {}
}

class Gateway extends Folder {
  readonly serving: Unit[] = [new Unit()]
  readonly starting: Unit[] = []
  readonly stores: OpenFolders

  constructor() {
    super()
    const clock = manualClock()
    const trail = { add: () => {}, attempt: async () => true }
    this.stores = new OpenFolders(
      { units: this.serving, starting: this.starting } as unknown as ConstructorParameters<typeof OpenFolders>[0],
      {
        metrics: new MetricsRegistry(),
        history: new RouteHistory({ instance: this.path, directory: join(this.path, 'history'), logger, clock }),
        audit: new ConfigAudit(trail, clock),
        isReadOnly: false,
        fleet: () => null,
      },
      logger,
    )
  }

  open(unit: Unit): Promise<unknown> {
    const router: RouterOpening = {
      directory: this.path,
      scanInterval: 0,
      name: '_router',
      order: 'name',
      router: 'gateway._router',
    }
    return this.stores.open(unit as unknown as UnitLink, router, { signal: new AbortController().signal })
  }

  opened(unit: Unit): void {
    this.stores.opened(unit as unknown as UnitLink, this.path, [])
  }

  /** Units that start take the place of those that serve. */
  takeOver(): void {
    this.serving.splice(0, this.serving.length, ...this.starting.splice(0))
    this.stores.takeOver()
  }
}

const edit = () => ({ file: 'a.json', next: parseRouteFile('a.json', '{"handler":"H"}', '') })

test('an edit does not wait for a unit that was replaced before it had built its routes', async () => {
  using gateway = new Gateway()
  const [restarted] = gateway.serving as [Unit]
  await gateway.open(restarted)
  const [store] = gateway.stores.all
  const edited = store?.edit(edit)
  const next = new Unit()
  gateway.starting.push(next)
  await gateway.open(next)
  gateway.opened(next)
  gateway.takeOver()
  assert.deepEqual(await edited, { state: 'unavailable' })
  assert.deepEqual(next.deployed, [], 'the files of the replaced store may be outdated')
})

test('an edit by the store of the units that took over is deployed', async () => {
  using gateway = new Gateway()
  const [before] = gateway.serving as [Unit]
  await gateway.open(before)
  gateway.opened(before)
  const next = new Unit()
  gateway.starting.push(next)
  await gateway.open(next)
  gateway.opened(next)
  gateway.takeOver()
  const [store] = gateway.stores.all
  assert.deepEqual(await store?.edit(edit), { state: 'done' })
  assert.equal(next.deployed.length, 1)
})
