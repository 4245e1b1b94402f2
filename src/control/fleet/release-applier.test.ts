import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EtcdClient } from '#etcd'
import { createLogger, memoryLog } from '#logging'
import { EtcdReleases, type Pointer } from '#releases'
import { systemClock } from '#schema'
import { Folder } from '#test/folder'
import { within } from '#test/waiting'
import { FleetState } from './fleet-state.ts'
import { LocalCopy } from './local-copy.ts'
import { ReleaseApplier } from './release-applier.ts'
import type { ServingHost } from './serving-host.ts'

const POINTER: Pointer = { store: 'store', release: 2, last: 2, staged: null }

const HOST: ServingHost = {
  scan: async () => {},
  problems: () => [],
  editAll: async () => 'done',
  replace: async () => [],
  tryOut: async () => ({ starts: true, problems: [] }),
}

test('a release that can not be read is settled after each attempt, so that a reload does not wait for the store', async () => {
  using folder = new Folder()
  const logger = createLogger({ format: 'json', destination: memoryLog() })
  // Nothing listens there.
  await using client = new EtcdClient({
    endpoints: ['http://127.0.0.1:1'],
    username: null,
    password: () => null,
    tls: null,
  })
  using releases = new EtcdReleases(client, { prefix: '/gateway', clock: systemClock })
  const copy = await LocalCopy.open(folder.path, logger)
  const state = new FleetState({}, systemClock, () => {})
  state.storeHas(POINTER, null)
  assert.equal(state.wanted, 2)
  const applier = new ReleaseApplier({ releases, copy, state, logger, host: HOST })
  applier.changed()
  await within('the first attempt ended', applier.settled())
  applier.changed()
  await within('the second attempt ended', applier.settled())
  await applier.close()
  await within('nothing was waited for after the end', applier.settled())
  await copy.close()
})
