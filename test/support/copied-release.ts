import { contentOf } from '#releases'
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
