// Plans of changes: what a release, a roll back, a promotion makes of the head of the store.
import { randomUUID } from 'node:crypto'
import type { FileChange } from './configuration-store.ts'
import { type Content, contentOf } from './content.ts'
import type { LocalState } from './divergence.ts'
import type { Labels } from './labels.ts'
import { checkPath } from './manifest.ts'
import { ReleaseError } from './release-error.ts'
import { type Base, baseOf, refusal } from './release-guard.ts'
import type { ReleaseReader, StoreHead } from './release-reader.ts'
import type { ReleaseRecord } from './release-record.ts'
import { type Draft, NEW_RELEASE, type ReleaseOutcome } from './release-writer.ts'
import { Tree } from './tree.ts'
import { editTree, entryIn, shardsToRead } from './tree-edit.ts'

type Planned = Promise<Draft | ReleaseOutcome>

/** Some files changed, on top of whatever others changed in other files. */
export class ChangePlan {
  readonly #changes: ReadonlyMap<string, { readonly before: string | null; readonly after: Content | null }>

  constructor(changes: readonly FileChange[]) {
    for (const { path } of changes) checkPath(NEW_RELEASE, path)
    const entries = changes.map(
      ({ path, before, after }) => [path, { before, after: after === null ? null : contentOf(after) }] as const,
    )
    this.#changes = new Map(entries)
    if (this.#changes.size < changes.length) throw new ReleaseError('path', NEW_RELEASE, 'a path is changed twice')
  }

  async on(reader: ReleaseReader, head: StoreHead, local: LocalState | null): Planned {
    const base = await baseOf(reader, head.pointer, local)
    const refused = refusal(base)
    if (refused !== null) return refused
    const { record } = base
    if (record === null) return { state: 'blocked', reason: 'the store has no release; push one first' }
    if (record instanceof ReleaseError) throw record
    const shards = await reader.shards(shardsToRead(record, this.#changes.keys()))
    for (const [path, { before }] of this.#changes) {
      if ((entryIn(record, shards, path)?.hash ?? null) !== before) return { state: 'conflict', path }
    }
    const changed = [...this.#changes].filter(([, { before, after }]) => before !== (after?.hash ?? null))
    if (changed.length === 0) return { state: 'unchanged', release: record.number }
    const edits = new Map(changed.map(([path, { after }]) => [path, after && { hash: after.hash, bytes: after.bytes }]))
    const { contents, ...make } = editTree(NEW_RELEASE, record, shards, edits)
    const files = changed.flatMap(([, { after }]) => (after === null ? [] : [after]))
    return draft(base, make, [...files, ...contents], { local: null, only: null })
  }
}

/** All files of a release. */
export class WholePlan {
  readonly #contents: ReadonlyMap<string, Content>
  readonly #tree: Tree

  constructor(files: ReadonlyMap<string, Buffer | string>) {
    this.#contents = new Map([...files].map(([path, data]) => [path, contentOf(data)]))
    this.#tree = Tree.of(
      NEW_RELEASE,
      [...this.#contents].map(([path, { hash, bytes }]) => [path, { hash, bytes }]),
    )
  }

  /** `overrules`: the files replace what a diverged store has, under the id of the instance's store. */
  async on(reader: ReleaseReader, head: StoreHead, options: WholeOptions): Planned {
    const { local, overrules, only, expected } = options
    const base = await baseOf(reader, head.pointer, local)
    // What an overruled store has staged is replaced too.
    const refused = refusal(overrules && base.divergence ? { ...base, pointer: null, divergence: null } : base)
    if (refused !== null) return refused
    // The current release of an instance whose store is overruled is its own.
    const isOwn = overrules && base.divergence !== null && expected === local?.release
    if (expected !== undefined && !isOwn && (base.pointer?.release ?? null) !== expected) {
      return { state: 'conflict', path: reader.keys.current }
    }
    if (only !== null && base.pointer === null) {
      return { state: 'blocked', reason: 'the store has no release yet; the first one is for all instances' }
    }
    const before = await this.#treeBefore(reader, base.record)
    const make = { files: this.#tree.files, bytes: this.#tree.bytes, ...this.#tree.reference() }
    const isDamaged = ({ hash }: Content): boolean => reader.damaged.has(hash)
    const needed = [...this.#contents].filter(
      ([path, content]) => before?.get(path)?.hash !== content.hash || isDamaged(content),
    )
    const known = shardHashes(before === null ? null : base.record)
    const shards = make.contents.filter((content) => !known.has(content.hash) || isDamaged(content))
    const contents = [...needed.map(([, content]) => content), ...shards]
    const isSame = before !== null && contents.length === 0 && before.files === this.#tree.files
    if (isSame && base.divergence === null && base.pointer) return { state: 'unchanged', release: base.pointer.release }
    const { files, bytes, reference: tree } = make
    return draft(base, { tree, files, bytes }, contents, { local, only })
  }

  /** Null where it can not be read: then all contents are looked for in the store. */
  async #treeBefore(reader: ReleaseReader, record: Base['record']): Promise<Tree | null> {
    if (record === null || record instanceof ReleaseError) return null
    try {
      return await reader.tree(record, this.#tree)
    } catch (error) {
      if (error instanceof ReleaseError) return null
      throw error
    }
  }
}

interface WholeOptions {
  readonly local: LocalState | null
  readonly overrules: boolean
  readonly only: Labels | null
  /** The release that has to be current, null for none; undefined for any. */
  readonly expected: number | null | undefined
}

/** A new release with the files of an earlier one. Its contents are in the store, since the store has its record. */
export async function againPlan(
  reader: ReleaseReader,
  head: StoreHead,
  number: number,
  local: LocalState | null,
): Planned {
  const base = await baseOf(reader, head.pointer, local)
  const refused = refusal(base)
  if (refused !== null) return refused
  if (base.pointer === null) return { state: 'missing', release: number }
  if (base.pointer.release === number) return { state: 'unchanged', release: number }
  const record = await reader.record(number)
  if (record === null) return { state: 'missing', release: number }
  const { tree, files, bytes } = record
  return draft(base, { tree, files, bytes }, [], { local: null, only: null })
}

/** A staged release becomes the current one, or is dropped. */
export async function stagedPlan(
  reader: ReleaseReader,
  head: StoreHead,
  number: number,
  options: { readonly promotes: boolean; readonly local: LocalState | null },
): Planned {
  const base = await baseOf(reader, head.pointer, options.local)
  const refused = refusal({ ...base, pointer: null })
  if (refused !== null) return refused
  const { pointer } = base
  if (pointer?.staged?.release !== number) {
    // Also for a writer whose commit was done without a response.
    const isDone = options.promotes ? pointer?.release === number : pointer?.last === number && !pointer.staged
    return pointer && isDone ? { state: 'unchanged', release: pointer.release } : { state: 'missing', release: number }
  }
  return { move: { ...pointer, release: options.promotes ? number : pointer.release, staged: null } }
}

/** Shards that the store has with a record. One with the entries themselves has no shards. */
function shardHashes(record: Base['record']): Set<string> {
  if (record === null || record instanceof ReleaseError || 'entries' in record.tree) return new Set()
  return new Set([...record.tree.shards.values()].map(({ hash }) => hash))
}

function draft(
  { pointer }: Base,
  make: Pick<ReleaseRecord, 'tree' | 'files' | 'bytes'>,
  contents: readonly Content[],
  { local, only }: { readonly local: LocalState | null; readonly only: Labels | null },
): Draft {
  const store = local?.store ?? pointer?.store ?? randomUUID()
  return {
    make,
    contents,
    last: Math.max(pointer?.last ?? 0, local?.release ?? 0),
    parent: pointer?.release ?? null,
    pointer: (number) => ({
      store,
      release: only === null ? number : (pointer?.release ?? number),
      last: number,
      staged: only === null ? null : { release: number, only },
    }),
  }
}
