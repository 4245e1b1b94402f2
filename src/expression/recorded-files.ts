import { AsyncLocalStorage } from 'node:async_hooks'

/** More than the files of one route; beyond it none is recorded. */
const MOST_FILES = 200

/** Null when the recording has ended: timers that were started meanwhile keep its context. */
const recording = new AsyncLocalStorage<{ files: Set<string> | null }>()

/** Runs a build, and returns the paths of the files that it read or sought, missing ones included, if it fails. */
export async function recordFiles<T>(
  build: () => Promise<T>,
): Promise<{ readonly built: T } | { readonly error: unknown; readonly files: readonly string[] }> {
  const files = new Set<string>()
  const current: { files: Set<string> | null } = { files }
  try {
    return { built: await recording.run(current, build) }
  } catch (error) {
    return { error, files: [...files] }
  } finally {
    current.files = null
  }
}

/** A file is read, or sought, for the build that runs now, if any: what is built may depend on its content. */
export function recordFile(path: string): void {
  const files = recording.getStore()?.files
  if (files != null && files.size < MOST_FILES) files.add(path)
}
