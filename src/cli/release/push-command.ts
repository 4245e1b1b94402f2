import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { instanceDirectories } from '#instance'
import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { INSTANCE_OPTION } from '../instance-settings.ts'
import { namedAddress } from '../management/management-options.ts'
import type { ProcessContext } from '../process-context.ts'
import { counted, paintFor, printable, writeJson } from '../terminal.ts'
import {
  labelsOf,
  labelText,
  problemText,
  RELEASE_EXITS,
  RELEASE_OPTIONS,
  WAIT_OPTION,
  waitTime,
  withReleases,
} from './release-access.ts'
import type { Release, ReleaseClient } from './release-client.ts'
import {
  changeLines,
  changeSummary,
  changesBetween,
  diffLines,
  type FileChange,
  folderSide,
  releaseSide,
} from './release-differences.ts'
import { readReleaseFiles } from './release-files.ts'
import { waitForRelease } from './wait-for-release.ts'

const ADMIN_PASSWORD = 'gateway.admin.password'

/** Changes that are listed one by one. */
const MOST_LISTED = 50

/** `gateway push`: a folder becomes a release. */
export const command: Command = {
  usage: [
    'push DIR [--note TEXT] [--only LABEL=VALUE]... [--wait TIME] [--dry-run] [--diff] [--gateway URL] [--password-file FILE] [--ca FILE] [--json]',
  ],
  description: [
    'Makes a release of config/config.json, config/routes and scripts of a folder in the store that gateways share, and deploys it. The gateway that takes it validates and builds all of it first: nothing is made of a release that does not load. Only contents that the gateway does not have are sent. admin.json, secrets and state belong to a machine, and are not sent. Of a folder that is an instance with an admin password, address and password are used, unless --instance or $GATEWAY_INSTANCE_DIR names another one.',
    'A push that changes nothing makes no release. With --only the release is staged: only instances with all of these labels serve it, until `gateway release promote` or `gateway release rollback`.',
    'For a store that contradicts what gateways serve (empty, or restored from a backup), a push decides that the folder is right; `gateway release adopt` decides that the store is.',
  ],
  options: [
    { name: 'note', value: 'TEXT', description: 'Note of the release.' },
    { name: 'only', value: 'LABEL=VALUE', repeated: true, description: 'Stage it for instances with this label.' },
    WAIT_OPTION,
    { name: 'dry-run', description: 'Show what would change, and send nothing.' },
    { name: 'diff', description: 'Show the changes as unified diffs.' },
    ...RELEASE_OPTIONS,
  ],
  operands: { least: 1, most: 1, complete: 'directory' },
  examples: [
    { line: 'gateway push ./checkout --note "new shop" --wait 30s', note: 'deploy, and wait for all instances' },
    { line: 'gateway push ./checkout --only stage=canary', note: 'on some instances first' },
    { line: 'gateway push ./checkout --dry-run --diff', note: 'what would change?' },
  ],
  exits: [
    [EXIT.failed, 'an instance does not serve it in time (--wait), or there are differences (--dry-run)'],
    ...RELEASE_EXITS,
    [EXIT.configuration, 'the folder does not validate or is too large: nothing was made'],
  ],
  async run(args, context) {
    const [directory = ''] = args.operands
    const time = waitTime(args)
    const only = labelsOf(args, 'only')
    const { files, problems } = readReleaseFiles(directory)
    for (const problem of problems) context.stderr.write(`${printable(problemText(problem))}\n`)
    if (problems.length > 0) return EXIT.configuration
    if (files.size === 0)
      throw new UsageError(`${JSON.stringify(directory)} has no config/config.json, no config/routes and no scripts`)
    return withReleases('push', args, context, (releases) => push(releases, { files, only, time }, args, context), {
      instance: pushedInstance(directory, args, context),
    })
  },
}

interface Pushing {
  readonly files: ReadonlyMap<string, Buffer>
  readonly only: Readonly<Record<string, string>> | null
  readonly time: number | null
}

async function push(
  releases: ReleaseClient,
  { files, only, time }: Pushing,
  args: Arguments,
  context: ProcessContext,
): Promise<number> {
  const current = await releases.current()
  const before = current === null ? folderSide(new Map()) : await releaseSide(releases, current._id)
  const after = folderSide(files)
  const changes = changesBetween(before, after)
  if (!args.json) {
    report(current, changes, context)
    if (args.has('diff'))
      for await (const line of diffLines(before, after, changes, paintFor(context.stdout, context)))
        context.stdout.write(`${line}\n`)
  }
  if (args.has('dry-run')) {
    if (args.json) writeJson(context.stdout, { parent: numberOf(current), changes })
    return changes.length === 0 ? EXIT.ok : EXIT.failed
  }
  const note = args.value('note') ?? null
  const known = new Set(before.files.values())
  const release = await releases.create({ files, known, note, only, parent: numberOf(current) })
  return pushed(releases, release, { changes, only, time, json: args.json }, context)
}

/**
 * The pushed folder, where it is an instance with its own password and no other one is named. Its password is not for a gateway that
 * is named.
 */
function pushedInstance(directory: string, args: Arguments, { env }: ProcessContext): string | undefined {
  const isNamed = args.has(INSTANCE_OPTION.name) || (env['GATEWAY_INSTANCE_DIR'] ?? '') !== ''
  if (isNamed || namedAddress(args, { env }) !== null) return undefined
  const { config, secrets } = instanceDirectories(directory)
  const isInstance = existsSync(join(config, 'admin.json')) && existsSync(join(secrets, ADMIN_PASSWORD))
  return isInstance ? directory : undefined
}

interface Pushed {
  readonly changes: readonly FileChange[]
  readonly only: Readonly<Record<string, string>> | null
  readonly time: number | null
  readonly json: boolean
}

async function pushed(
  releases: ReleaseClient,
  release: Release,
  { changes, only, time, json }: Pushed,
  context: ProcessContext,
): Promise<number> {
  const { stdout } = context
  const isUnchanged = release.unchanged === true
  if (json) writeJson(stdout, { release: Number(release._id), unchanged: isUnchanged, changes })
  else if (isUnchanged) stdout.write(`nothing to push: release ${release._id} has the same files\n`)
  else {
    const stage = only === null ? 'is deployed' : `is staged for ${printable(labelText(only))}`
    stdout.write(`release ${release._id} ${stage}: ${counted(release.files, 'file')}, ${changeSummary(changes)}\n`)
  }
  if (time === null) return EXIT.ok
  return (await waitForRelease(releases, Number(release._id), only, time, context)) ? EXIT.ok : EXIT.failed
}

function report(current: Release | null, changes: readonly FileChange[], context: ProcessContext): void {
  const { stderr } = context
  const lines = changeLines(changes.slice(0, MOST_LISTED), paintFor(stderr, context))
  const more = changes.length > MOST_LISTED ? [`and ${changes.length - MOST_LISTED} more`] : []
  const base = current === null ? 'the store has no release' : `compared with release ${current._id}`
  stderr.write(`${[`${base}: ${changeSummary(changes)}`, ...lines, ...more].join('\n')}\n`)
}

function numberOf(release: Release | null): number | null {
  return release === null ? null : Number(release._id)
}
