import { globSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf } from '#releases'
import type { FetchContents } from '../../src/control/fleet/content-store.ts'
import type { CopiedRelease } from '../../src/control/fleet/copied-release.ts'

/** Texts by path. */
export type Files = Readonly<Record<string, string>>

/** A release with these files, for the local copy. */
export function copiedRelease(number: number, files: Files): CopiedRelease {
  const entries = Object.entries(files).map(([path, text]) => {
    const { hash, bytes } = contentOf(text)
    return [path, { hash, bytes }] as const
  })
  const record = { parent: null, author: 'admin', created: '2026-01-01T00:00:00Z', note: null }
  return { store: 'store', release: number, write: `write-${number}`, ...record, files: new Map(entries) }
}

/** Fetches the contents of these files. */
export function fetchOf(files: Files): FetchContents {
  const byHash = new Map(Object.values(files).map((text) => [contentOf(text).hash, Buffer.from(text)]))
  return async function* (entries) {
    for (const { hash } of entries) {
      const data = byHash.get(hash)
      if (data === undefined) throw new Error('the store is not available')
      yield { hash, data }
    }
  }
}

export const unreachable: FetchContents = fetchOf({})

/** The files of a release below a folder, with their texts. */
export function filesIn(root: string): Files {
  const paths = globSync('{config,scripts}/**', { cwd: root }).filter((path) => lstatSync(join(root, path)).isFile())
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}
