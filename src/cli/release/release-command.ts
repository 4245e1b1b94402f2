import { type Arguments, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { ProcessContext } from '../process-context.ts'
import { aligned, paintFor, printable, writeJson } from '../terminal.ts'
import { checkNumber, currentNumber } from './pull-command.ts'
import { labelText, RELEASE_EXITS, RELEASE_OPTIONS, WAIT_OPTION, waitTime, withReleases } from './release-access.ts'
import type { Release, ReleaseClient } from './release-client.ts'
import { changeSummary, changesBetween, diffLines, releaseSide } from './release-differences.ts'
import { waitForRelease } from './wait-for-release.ts'

/** Releases of a list without --all. */
const MOST_LISTED = 20

interface Verb {
  readonly most: number
  run(releases: ReleaseClient, numbers: readonly string[], args: Arguments, context: ProcessContext): Promise<number>
}

const VERBS: Readonly<Record<string, Verb>> = {
  list: { most: 0, run: list },
  show: { most: 1, run: show },
  diff: { most: 2, run: diff },
  rollback: { most: 1, run: rollBack },
  promote: { most: 1, run: promote },
  adopt: { most: 0, run: adopt },
}

/** `gateway release`: the releases of the store. */
export const ReleaseCommand: Command = {
  usage: [
    'release list [--all] [--json]',
    'release show [N] [--json]',
    'release diff [N [M]] [--json]',
    'release rollback [N] [--wait TIME]',
    'release promote [N] [--wait TIME]',
    'release adopt [--empty]',
  ],
  description: [
    'list shows the newest releases, show one of them with its files, diff the changes of release N (by default the current one) against its parent, or from N to M.',
    'rollback N makes a new release with the files of release N. Without a number it drops a staged release, or else goes back to the parent of the current one. promote deploys the staged release to all instances.',
    'adopt is for a store that contradicts what the gateway serves, because it was restored from an older backup, or is another one: the store as it is becomes the truth for that gateway; each one that `gateway instances` lists as failing for this reason needs it. Until then it serves what it has, and changes are refused. --empty is needed for a store without any release; the gateway then serves its own folder.',
  ],
  options: [
    WAIT_OPTION,
    { name: 'all', description: 'List all releases.' },
    { name: 'empty', description: 'Adopt a store without any release.' },
    ...RELEASE_OPTIONS,
  ],
  operands: { least: 1, most: 3, complete: Object.keys(VERBS), completeRest: 'none' },
  examples: [
    { line: 'gateway release list', note: 'who deployed what, and when' },
    { line: 'gateway release diff', note: 'what did the last release change?' },
    { line: 'gateway release rollback --wait 30s', note: 'undo it' },
  ],
  exits: [
    [EXIT.failed, 'diff: there are differences; --wait: an instance does not serve it in time'],
    ...RELEASE_EXITS,
    [EXIT.configuration, 'the release does not validate: nothing was made; or the gateway has no store'],
  ],
  async run(args, context) {
    const [name = '', ...numbers] = args.operands
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
    if (verb === undefined)
      throw new UsageError(`expected ${Object.keys(VERBS).join(', ')}, got ${JSON.stringify(name)}`, {
        word: name,
        known: Object.keys(VERBS),
      })
    if (numbers.length > verb.most)
      throw new UsageError(`release ${name}: unexpected argument ${JSON.stringify(numbers[verb.most])}`)
    for (const number of numbers) checkNumber(`release ${name}`, number)
    waitTime(args)
    return withReleases(`release ${name}`, args, context, (releases) => verb.run(releases, numbers, args, context))
  },
}

async function list(releases: ReleaseClient, _: readonly string[], args: Arguments, context: ProcessContext) {
  const all = await releases.list()
  const { stdout } = context
  if (args.json) {
    writeJson(stdout, { releases: all })
    return EXIT.ok
  }
  const shown = args.has('all') ? all : all.slice(0, MOST_LISTED)
  const paint = paintFor(stdout, context)
  const [head = '', ...rows] = aligned([HEADINGS, ...shown.map(cells)])
  stdout.write(
    `${[paint('bold', head), ...rows.map((row, at) => (shown[at]?.current ? paint('green', row) : row))].join('\n')}\n`,
  )
  if (all.length === 0) stdout.write('the store has no release; make one with gateway push DIR\n')
  if (shown.length < all.length) stdout.write(`${all.length - shown.length} older ones with --all\n`)
  return EXIT.ok
}

const HEADINGS = ['RELEASE', 'STATE', 'PARENT', 'CREATED', 'AUTHOR', 'FILES', 'NOTE']

function cells({ _id, parent, created, author, files, note, problem, ...release }: Release): string[] {
  const texts = [_id, stateOf(release), parent === null ? '-' : String(parent), created, author, String(files)]
  return [...texts, problem ?? note ?? ''].map(printable)
}

function stateOf({ current, stage }: Pick<Release, 'current' | 'stage'>): string {
  if (stage === null) return current ? 'current' : '-'
  return `staged: ${labelText(stage)}`
}

async function show(releases: ReleaseClient, [asked]: readonly string[], args: Arguments, { stdout }: ProcessContext) {
  const number = asked ?? (await currentNumber(releases))
  const files = await releases.files(number)
  const release = await releases.read(number)
  if (args.json) {
    writeJson(stdout, { ...release, contents: Object.fromEntries(files) })
    return EXIT.ok
  }
  const { note, ...facts } = release
  stdout.write(
    `${aligned([
      ['release', number],
      ['state', stateOf(release)],
      ['parent', String(facts.parent ?? '-')],
      ['created', facts.created],
      ['author', facts.author],
      ['note', note ?? '-'],
      ['size', `${facts.bytes} bytes`],
    ])
      .map(printable)
      .join('\n')}\n\n`,
  )
  for (const [path, { sha256, bytes }] of files)
    stdout.write(`${sha256.slice(0, 12)}  ${String(bytes).padStart(9)}  ${printable(path)}\n`)
  return EXIT.ok
}

async function diff(releases: ReleaseClient, numbers: readonly string[], args: Arguments, context: ProcessContext) {
  const to = numbers[1] ?? numbers[0] ?? (await currentNumber(releases))
  const after = await releaseSide(releases, to)
  const from = numbers.length === 2 ? (numbers[0] as string) : ((await releases.read(to)).parent?.toString() ?? null)
  const before =
    from === null ? { files: new Map<string, string>(), contents: nothing } : await releaseSide(releases, from)
  const changes = changesBetween(before, after)
  const { stdout, stderr } = context
  if (args.json) writeJson(stdout, { from: from === null ? null : Number(from), to: Number(to), changes })
  else {
    const paint = paintFor(stdout, context)
    for await (const line of diffLines(before, after, changes, paint)) stdout.write(`${line}\n`)
    stderr.write(`from ${from === null ? 'nothing' : `release ${from}`} to release ${to}: ${changeSummary(changes)}\n`)
  }
  return changes.length === 0 ? EXIT.ok : EXIT.failed
}

async function* nothing(): AsyncGenerator<readonly [string, Buffer]> {}

async function rollBack(releases: ReleaseClient, [asked]: readonly string[], args: Arguments, context: ProcessContext) {
  if (asked !== undefined)
    return changed(releases, await releases.act('deploy', asked), `has the files of release ${asked}`, args, context)
  const all = await releases.list()
  const staged = all.find(({ stage }) => stage !== null)
  if (staged !== undefined) {
    await releases.act('drop', staged._id)
    const current = all.find(({ current }) => current)
    context.stderr.write(`the staged release ${staged._id} is dropped\n`)
    if (current === undefined) return EXIT.ok
    return changed(releases, current, 'is served by all instances', args, context)
  }
  const current = all.find((release) => release.current)
  if (current === undefined || current.parent === null)
    throw new UsageError(current === undefined ? 'the store has no release' : `release ${current._id} is the first one`)
  const parent = String(current.parent)
  return changed(releases, await releases.act('deploy', parent), `has the files of release ${parent}`, args, context)
}

async function promote(releases: ReleaseClient, [asked]: readonly string[], args: Arguments, context: ProcessContext) {
  const number = asked ?? (await releases.list()).find(({ stage }) => stage !== null)?._id
  if (number === undefined) throw new UsageError('no release is staged')
  return changed(releases, await releases.act('promote', number), 'is deployed to all instances', args, context)
}

async function adopt(releases: ReleaseClient, _: readonly string[], args: Arguments, { stdout }: ProcessContext) {
  const adopted = await releases.adopt(args.has('empty'))
  if (args.json) writeJson(stdout, adopted)
  else if (typeof adopted['_id'] === 'string') stdout.write(`release ${adopted['_id']} of the store is adopted\n`)
  else stdout.write('the empty store is adopted: the gateway serves its own folder\n')
  return EXIT.ok
}

async function changed(
  releases: ReleaseClient,
  release: Release,
  what: string,
  args: Arguments,
  context: ProcessContext,
): Promise<number> {
  if (args.json) writeJson(context.stdout, release)
  else context.stdout.write(`release ${release._id} ${what}\n`)
  const time = waitTime(args)
  if (time === null) return EXIT.ok
  return (await waitForRelease(releases, Number(release._id), null, time, context)) ? EXIT.ok : EXIT.failed
}
