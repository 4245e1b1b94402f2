import assert from 'node:assert/strict'
import { gateway } from './command-line.ts'
import { Folder } from './folder.ts'

/** The warnings of an instance with these files, by file, line and pointer, each up to its first colon. */
export async function validateWarnings(files: Record<string, unknown>): Promise<string[]> {
  using folder = new Folder(
    Object.fromEntries(
      Object.entries(files).map(([path, content]) => [`config/${path}`, JSON.stringify(content, null, 1)]),
    ),
  )
  const { code, stdout, stderr } = await gateway(['validate', '--instance', folder.path])
  assert.equal(code, 0, stdout + stderr)
  return (
    stderr
      .replaceAll(`${folder.path}/config/`, '')
      .replaceAll('warning: ', '')
      .split('\n')
      // Warnings about unreachable routes are not part of these tests.
      .filter((line) => line !== '' && !line.includes('are unreachable'))
  )
}
