import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EtcdClient } from '#etcd'
import { createLogger, memoryLog } from '#logging'
import { EtcdReleases, type Pointer } from '#releases'
import { systemClock } from '#schema'
import { copiedRelease, fetchOf } from '#test/copied-release'
import { Folder } from '#test/folder'
import { within } from '#test/waiting'
import { LocalCopy } from './local-copy.ts'
import { Reconciler } from './reconciler.ts'
import { ReleaseVersions } from './release-versions.ts'
import type { ServingHost } from './serving-host.ts'

const POINTER: Pointer = { store: 'store', release: 2, last: 2, staged: null }
const FILES = { 'config/routes/a.json': '{"a":1}' }

const HOST: ServingHost = {
  scan: async () => {},
  problems: () => [],
  editAll: async () => 'done',
  replace: async () => [],
  tryOut: async () => ({ starts: true, problems: [] }),
}

function versionsOf(copy: LocalCopy | null): ReleaseVersions {
  return new ReleaseVersions({
    labels: {},
    clock: systemClock,
    stored: () => copy?.newest ?? null,
    changed: () => {},
  })
}

test('an attempt to read a release settles when it fails, so that a reload does not wait for the store', async () => {
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
  await copy.put(copiedRelease(1, FILES), fetchOf(FILES))
  const { folders, release } = await copy.openFolders(copy.newest!)
  await copy.serves(folders)
  const versions = versionsOf(copy)
  versions.storeHas(POINTER, null)
  const own = { config: '', scripts: '' }
  const reconciler = new Reconciler({ releases, copy, versions, logger, host: HOST, own })
  reconciler.started(release)
  await within('the first attempt ended', reconciler.settled())
  await within('files are compared', reconciler.verify())
  reconciler.retry()
  await within('the second attempt ended', reconciler.settled())
  assert.deepEqual([versions.wanted, versions.served, versions.state], [2, 1, 'behind'])
  await reconciler.close(new Error('closed'))
  await within('nothing was waited for after the end', reconciler.settled())
  await copy.close()
})

test('a pointer that is older than an own write is not followed, and one that goes back after that is', () => {
  const versions = versionsOf(null)
  versions.storeHas(POINTER, null)
  versions.wrote(3)
  assert.equal(versions.wanted, 3)
  // It was read before the write.
  versions.storeHas(POINTER, null)
  assert.equal(versions.wanted, 3)
  versions.storeHas({ ...POINTER, release: 3, last: 3 }, null)
  // A restored store, whose release this instance has.
  versions.storeHas(POINTER, null)
  assert.equal(versions.wanted, 2)
  versions.wrote(4)
  versions.storeHas(POINTER, { kind: 'older', reason: 'restored' })
  assert.deepEqual([versions.wanted, versions.state, versions.problems[0]?.message], [null, 'failing', 'restored'])
  versions.forceSync(POINTER)
  assert.equal(versions.wanted, 2)
})
