import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createLogger } from '#logging'
import { manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { ConfigAudit } from '../audit/config-audit.ts'
import type { UnitLink } from '../units/unit-link.ts'
import { DeployAudit } from './deploy-audit.ts'
import { Deployment } from './deployment.ts'
import { ReplacedVersions } from './history/replaced-versions.ts'
import { RouteHistory } from './history/route-history.ts'
import { parseRouteFile, RouteFiles } from './route-files.ts'
import { RouteStore, type SharedFolder } from './route-store.ts'

const logger = createLogger({ level: 'silent' })

const edit = { file: 'a.json', next: parseRouteFile('a.json', '{"handler":"H"}', '') }
const conflict = { state: 'not-stored', outcome: { state: 'conflict', path: 'a.json' } }

/** The store of a folder with one unit; `committed` are the changes of each second phase. `write`: that of a shared store. */
function storeOf(folder: Folder, write: SharedFolder['write'] | null = null) {
  const clock = manualClock()
  const committed: (readonly number[])[] = []
  const unit = {
    hasOpen: () => true,
    prepare: async () => [],
    commit: async (_deploy: number, changes: readonly number[]) => void committed.push(changes),
  } as unknown as UnitLink
  const audit = new ConfigAudit({ add: () => {}, attempt: async () => true }, clock)
  const versions = new RouteHistory({ instance: folder.path, directory: join(folder.path, 'history'), logger, clock })
  const files = new RouteFiles(folder.path)
  const history = new ReplacedVersions(versions, folder.path)
  const deployment = new Deployment({
    ...{ files, history, logger, order: 'name', previous: null },
    audit: new DeployAudit(audit, 'routes'),
    units: () => [unit],
    lastGood: () => null,
  })
  const shared = write && { write, onWriteCommitted: async () => {}, catchUp: async () => {}, lastGood: () => null }
  const store = new RouteStore({ files, deployment, history, shared, isReadOnly: false, logger })
  return { store, deployment, committed }
}

describe('an edit of a folder in a shared store', () => {
  test('is swapped in when it is written', async () => {
    using folder = new Folder()
    const { store, deployment, committed } = storeOf(folder, async () => ({ state: 'done' }))
    assert.deepEqual(await store.edit(() => edit), { state: 'done' })
    assert.deepEqual(committed, [[0]])
    assert.deepEqual([...deployment.served.keys()], ['a'])
  })

  test('is discarded by units when its write throws', async () => {
    using folder = new Folder()
    const { store, deployment, committed } = storeOf(folder, async () => {
      throw new TypeError('a fault of the store')
    })
    await assert.rejects(
      store.edit(() => edit),
      /a fault of the store/,
    )
    assert.deepEqual(committed, [[]])
    assert.equal(deployment.served.size, 0)
  })
})

describe('an edit of a folder', () => {
  test('is written only if the file has the content on which it was decided', async () => {
    using folder = new Folder({ 'a.json': '{"handler":"Old"}' })
    const { store, committed } = storeOf(folder)
    assert.deepEqual(await store.edit(() => edit), conflict, 'the file was not read')
    store.files.reread('a.json')
    folder.write('a.json', '{"handler":"Other"}')
    assert.deepEqual(await store.edit(() => edit), conflict, 'the file was changed')
    assert.equal(folder.read('a.json'), '{"handler":"Other"}')
    store.files.reread('a.json')
    assert.deepEqual(await store.edit(() => edit), { state: 'done' })
    assert.equal(folder.read('a.json'), '{"handler":"H"}')
    assert.deepEqual(await store.edit(() => ({ file: 'a.json', next: null })), { state: 'done' })
    assert.equal(existsSync(folder.in('a.json')), false)
    assert.deepEqual(committed, [[], [], [0], [0]])
  })

  test('of a removed file is a conflict', async () => {
    using folder = new Folder({ 'a.json': '{"handler":"Old"}' })
    const { store } = storeOf(folder)
    store.files.reread('a.json')
    rmSync(folder.in('a.json'))
    assert.deepEqual(await store.edit(() => ({ file: 'a.json', next: null })), conflict)
  })

  test('that can not be written changes nothing', async () => {
    using folder = new Folder()
    // A folder can not be replaced by a file.
    mkdirSync(folder.in('a.json'))
    writeFileSync(folder.in('a.json/inner'), '')
    const { store, deployment, committed } = storeOf(folder)
    store.files.reread('a.json')
    const outcome = await store.edit(() => edit)
    assert.equal('state' in outcome && outcome.state, 'unwritten')
    assert.deepEqual(committed, [[]])
    assert.equal(deployment.served.size, 0)
  })

  test('does not read a pipe', { skip: process.platform === 'win32' }, async () => {
    using folder = new Folder()
    assert.equal(spawnSync('mkfifo', [folder.in('a.json')]).status, 0)
    const { store } = storeOf(folder)
    store.files.reread('a.json')
    assert.deepEqual(await store.edit(() => edit), { state: 'done' })
    assert.equal(folder.read('a.json'), '{"handler":"H"}')
  })
})
