import { randomBytes } from 'node:crypto'
import { type BigIntStats, constants, lstatSync } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ContentEntry, contentOf } from '#releases'
import type { ContentStore, FetchContents } from './content-store.ts'
import { eachOf } from './each-of.ts'

/** Folders of each release, also of one without files in them. */
const FOLDERS = ['config', 'scripts']

/** Beside them: what the folder is. */
export const RECORD = 'release.json'

/** Files whose state is read in one turn: a thread of the pool for each of 10,000 costs five times as much. */
const FILES_IN_A_TURN = 200

/** Of file systems without hard links, or with too many of one file: the file is a copy there. */
const NO_LINK: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
  'EXDEV',
  'ENOSYS',
])

/** Contents of files, by their paths. */
type Files = ReadonlyMap<string, ContentEntry>

/** How a folder differs from a release. */
interface FolderDifference {
  /** Paths of the release that are missing, or have another content. */
  readonly wrong: readonly string[]
  /** Paths that the release does not have. */
  readonly foreign: readonly string[]
}

/** Compares a folder with a release. Links in the folder are not followed. */
export async function compareFolder(root: string, files: Files, contents: ContentStore): Promise<FolderDifference> {
  const folders = foldersOf(files)
  const foreign: string[] = []
  const found = new Set<string>()
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(noneWhereMissing)
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && folders.has(path)) await walk(path)
      else if (!entry.isDirectory() && files.has(path)) found.add(path)
      else if (path !== RECORD) foreign.push(path)
    }
  }
  await walk('')
  const [wrong, unknown]: [string[], [string, string, BigIntStats][]] = [[], []]
  let turn = 0
  for (const [path, { hash }] of files) {
    if (++turn % FILES_IN_A_TURN === 0) await nextTurn()
    const stats = found.has(path) ? statsOf(join(root, path)) : null
    if (stats === null) wrong.push(path)
    else if (!contents.isLink(hash, stats)) unknown.push([path, hash, stats])
  }
  await eachOf(unknown, async ([path, hash, stats]) => {
    if (!(await isContent(join(root, path), hash, stats, contents))) wrong.push(path)
  })
  return { wrong, foreign }
}

/** Makes a folder have the files of a release, whatever is in it, as links to their contents: those that are missing are fetched. */
export async function fillFolder(
  root: string,
  files: Files,
  contents: ContentStore,
  fetch: FetchContents,
): Promise<void> {
  const { wrong, foreign } = await compareFolder(root, files, contents)
  const entries = wrong.map((path) => files.get(path) as ContentEntry)
  await contents.add(entries, fetch)
  for (const path of foreign) await rm(join(root, path), { recursive: true, force: true })
  for (const folder of foldersOf(files)) await mkdir(join(root, folder), { recursive: true, mode: 0o750 })
  await eachOf(wrong, async (path) => place(contents.path((files.get(path) as ContentEntry).hash), join(root, path)))
}

/** Null where it is no regular file, or gone. */
function statsOf(path: string): BigIntStats | null {
  try {
    const stats = lstatSync(path, { bigint: true })
    return stats.isFile() ? stats : null
  } catch {
    return null
  }
}

/** Whether a file has the bytes of a content. */
async function isContent(path: string, hash: string, stats: BigIntStats, contents: ContentStore): Promise<boolean> {
  const bytes = await readRegular(path)
  if (bytes === null || contentOf(bytes).hash !== hash) return false
  await contents.adopt(hash, path, stats)
  return true
}

async function place(content: string, path: string): Promise<void> {
  await linkOrCopy(content, path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    // In one step, so that a unit that reads the file finds it.
    const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`)
    await linkOrCopy(content, temporary)
    await rename(temporary, path)
  })
}

async function linkOrCopy(content: string, path: string): Promise<void> {
  await link(content, path).catch((error: NodeJS.ErrnoException) => {
    if (!NO_LINK.has(error.code)) throw error
    return copyFile(content, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  })
}

/** All folders of a release, those above others first. */
function foldersOf(files: Files): ReadonlySet<string> {
  const folders = new Set(FOLDERS)
  for (const path of files.keys())
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) folders.add(path.slice(0, end))
  return folders
}

function noneWhereMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

/** Null where it is not a regular file, or gone. */
async function readRegular(path: string): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (file === null) return null
  try {
    return (await file.stat()).isFile() ? await file.readFile() : null
  } finally {
    await file.close()
  }
}
