import { decodeLabels, includesLabels, type Labels } from './labels.ts'
import { FORMAT, Manifest } from './manifest.ts'
import { MAX_NUMBER, uuid } from './release-record.ts'

const MAX_POINTER_BYTES = 64 * 1024

/** The value of the one key that instances follow. It is moved by compare-and-swap. */
export interface Pointer {
  /** UUID made with the first release: another one is another store. */
  readonly store: string
  /** The release that instances serve. */
  readonly release: number
  /** The highest number given so far, also to a staged release that was dropped: numbers only grow. */
  readonly last: number
  /** A release that only instances with these labels serve. */
  readonly staged: { readonly release: number; readonly only: Labels } | null
}

export function decodePointer(where: string, data: Buffer): Pointer {
  const manifest = Manifest.parse(where, data, MAX_POINTER_BYTES, 'the pointer to the current release').checkFormat()
  manifest.only('format', 'store', 'release', 'last', 'staged')
  const last = manifest.integer('last', 1, MAX_NUMBER)
  const release = manifest.integer('release', 1, last)
  return { store: uuid(manifest, 'store'), release, last, staged: decodeStaged(manifest, release, last) }
}

export function encodePointer(pointer: Pointer): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...pointer }))
}

/** The release that an instance with these labels serves. */
export function wantedRelease({ release, staged }: Pointer, labels: Labels): number {
  return staged !== null && includesLabels(labels, staged.only) ? staged.release : release
}

function decodeStaged(pointer: Manifest, release: number, last: number): Pointer['staged'] {
  if (pointer.get('staged') === null) return null
  const staged = Manifest.of(pointer.where, pointer.get('staged'), 'the staged release').only('release', 'only')
  // Staged releases are made after the current one, and nothing is made beside them.
  const number = staged.integer('release', Math.min(release + 1, MAX_NUMBER), last)
  return { release: number, only: decodeLabels(pointer.where, staged.get('only')) }
}
