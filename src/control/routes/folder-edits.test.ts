import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '#logging'
import { manualClock } from '#test/build'
import { Folder } from '#test/folder'
import { ConfigAudit } from '../audit/config-audit.ts'
import type { UnitLink } from '../units/unit-link.ts'
import { DeployedFolder } from './deployed-folder.ts'
import { FolderChanges } from './folder-changes.ts'
import { FolderEdits } from './folder-edits.ts'
import type { FolderTarget } from './folder-target.ts'
import { ReplacedVersions } from './history/replaced-versions.ts'
import { RouteHistory } from './history/route-history.ts'
import { parseRouteFile } from './route-files.ts'
import { TaskQueue } from './task-queue.ts'

const logger = createLogger({ level: 'silent' })

const edit = { file: 'a.json', next: parseRouteFile('a.json', '{"handler":"H"}', '') }

/** Edits of a folder with one unit; `committed` are the changes of each second phase. */
function editsOf(folder: Folder, write: FolderTarget['store']['write']) {
  const clock = manualClock()
  const committed: (readonly number[])[] = []
  const unit = {
    hasOpen: () => true,
    prepare: async () => [],
    commit: async (_deploy: number, changes: readonly number[]) => void committed.push(changes),
  } as unknown as UnitLink
  const audit = new ConfigAudit({ add: () => {}, attempt: async () => true }, clock)
  const history = new RouteHistory({ instance: folder.path, directory: join(folder.path, 'history'), logger, clock })
  const target: FolderTarget = {
    store: { write },
    path: '',
    isReadOnly: false,
    isShared: true,
    written: async () => {},
    hash: async () => null,
    catchUp: async () => true,
    lastGood: () => null,
  }
  const deployed = new DeployedFolder(
    {
      directory: folder.path,
      history: new ReplacedVersions(history, folder.path),
      changes: new FolderChanges(audit, 'routes'),
      target,
    },
    () => [unit],
    logger,
  )
  return { edits: new FolderEdits(deployed, new TaskQueue()), deployed, committed }
}

test('an edit is swapped in when it is written', async () => {
  using folder = new Folder()
  const { edits, deployed, committed } = editsOf(folder, async () => ({ state: 'done' }))
  assert.deepEqual(await edits.edit(() => edit), { state: 'done' })
  assert.deepEqual(committed, [[0]])
  assert.deepEqual([...deployed.served.routes.keys()], ['a'])
})

test('units discard what they have built for an edit whose write throws', async () => {
  using folder = new Folder()
  const { edits, deployed, committed } = editsOf(folder, async () => {
    throw new TypeError('a fault of the store')
  })
  await assert.rejects(
    edits.edit(() => edit),
    /a fault of the store/,
  )
  assert.deepEqual(committed, [[]])
  assert.equal(deployed.served.routes.size, 0)
})
