import { closeSync, constants, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathProblem } from '#releases'
import { UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { ManagementUnavailable } from '../management/management-client.ts'
import { shownPath } from '../problems.ts'
import { paintFor, printable, writeJson } from '../terminal.ts'
import { linkedPlace } from './linked-place.ts'
import { RELEASE_EXITS, RELEASE_OPTIONS, withReleases } from './release-access.ts'
import type { ReleaseClient } from './release-client.ts'
import { changeLines, changeSummary, changesBetween, folderSide, releaseSide } from './release-differences.ts'
import { readReleaseFiles } from './release-files.ts'

const NEVER_THROUGH_LINKS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW

/** `gateway pull`: a release becomes a folder. */
export const command: Command = {
  usage: ['pull DIR [--release N] [--force] [--gateway URL] [--password-file FILE] [--ca FILE] [--json]'],
  description: [
    'Writes the files of the current release, or of another one, into a folder with the layout of an instance, byte for byte. Files below config/routes and scripts that the release does not have are removed; other files of the folder, such as admin.json and secrets, are left alone.',
    'A file is written only below the folder: where a symbolic link in it leads to the place of a file that would change, nothing is written.',
    'A folder whose files differ is changed only with --force; without it the differences are listed.',
  ],
  options: [
    { name: 'release', value: 'N', description: 'Number of the release; by default the current one.' },
    { name: 'force', description: 'Overwrite and remove files that differ.' },
    ...RELEASE_OPTIONS,
  ],
  operands: { least: 1, most: 1, complete: 'directory' },
  examples: [
    { line: 'gateway pull ./checkout', note: 'what is served' },
    { line: 'gateway pull ./before --release 41', note: 'an earlier release' },
  ],
  exits: [
    [
      EXIT.failed,
      'the folder has other files, and --force is not given, a link is in the place of a file, or a file can not be written',
    ],
    ...RELEASE_EXITS,
  ],
  async run(args, context) {
    const [directory = ''] = args.operands
    const asked = args.value('release')
    if (asked !== undefined) checkNumber('--release', asked)
    return withReleases('pull', args, context, async (releases) => {
      const number = asked ?? (await currentNumber(releases))
      const stored = await releaseSide(releases, number)
      for (const path of stored.files.keys()) checkPath(releases.address, path)
      const { files } = readReleaseFiles(directory)
      const changes = changesBetween(folderSide(files), stored)
      const isNew = !existsSync(directory) || readdirSync(directory).length === 0
      const replaced = changes.filter(({ change }) => change !== 'added')
      const { stdout, stderr } = context
      if (replaced.length > 0 && !isNew && !args.has('force')) {
        stderr.write(`${changeLines(replaced, paintFor(stderr, context)).join('\n')}\n`)
        stderr.write(
          `gateway: pull: ${printable(shownPath(directory))} has other files than release ${number}; overwrite them with --force\n`,
        )
        return EXIT.failed
      }
      const linked = linkedPlace(
        directory,
        changes.map(({ path }) => path),
      )
      if (linked !== null) {
        const place = printable(shownPath(join(directory, linked)))
        stderr.write(
          `gateway: pull: ${place} is a symbolic link, and would be written through; nothing was changed: replace it by a file or folder, or pull into another folder\n`,
        )
        return EXIT.failed
      }
      const written = changes.filter(({ change }) => change !== 'removed').map(({ path }) => path)
      try {
        for await (const [path, content] of stored.contents(written)) {
          mkdirSync(join(directory, dirname(path)), { recursive: true })
          writeUnlinked(join(directory, path), content)
        }
        for (const { path, change } of changes) if (change === 'removed') rmSync(join(directory, path), { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
        stderr.write(`gateway: pull: ${printable((error as Error).message)}\n`)
        return EXIT.failed
      }
      if (args.json) writeJson(stdout, { release: Number(number), changes })
      else stdout.write(`release ${number} is in ${printable(shownPath(directory))}: ${changeSummary(changes)}\n`)
      return EXIT.ok
    })
  },
}

/** Writes a file, and never through a link in its place. */
function writeUnlinked(path: string, content: Uint8Array): void {
  const file = openSync(path, NEVER_THROUGH_LINKS)
  try {
    writeFileSync(file, content)
  } finally {
    closeSync(file)
  }
}

/** A number of a release on the command line. */
export function checkNumber(where: string, text: string): string {
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new UsageError(`${where}: expected the number of a release, got ${JSON.stringify(text)}`)
  return text
}

export async function currentNumber(releases: ReleaseClient): Promise<string> {
  const current = await releases.current()
  if (current === null)
    throw new ManagementUnavailable(`${releases.address}: the store has no release; make one with gateway push DIR`)
  return current._id
}

/** The gateway is not trusted with paths outside of the folder. */
function checkPath(address: string, path: string): void {
  const problem = pathProblem(path)
  if (problem !== null)
    throw new ManagementUnavailable(`${address}: a file of the release has an invalid path: ${problem}`)
}
