import { type Arguments, named, UsageError } from '../arguments.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { ProcessContext } from '../process-context.ts'
import { aligned, paintFor, printable, table, writeJson } from '../terminal.ts'
import { checkNumber, currentNumber } from './pull-command.ts'
import { labelText, RELEASE_EXITS, RELEASE_OPTIONS, WAIT_OPTION, waitTime, withReleases } from './release-access.ts'
import type { Release, ReleaseClient, ReleasedFile } from './release-client.ts'
import { changeSummary, changesBetween, diffLines, releaseSide } from './release-differences.ts'
import { waitForRelease } from './wait-for-release.ts'

/** Releases of a list without --all. */
const MOST_LISTED = 20

/** A call of the management API: `--json` prints its answer, which `lines` shows to a person. */
interface Call<T> {
  /** Numbers of releases at most. */
  readonly most: number
  answer(releases: ReleaseClient, numbers: readonly string[], args: Arguments): Promise<T>
  lines(answer: T, args: Arguments, context: ProcessContext): readonly string[]
}

interface Verb {
  readonly most: number
  run(releases: ReleaseClient, numbers: readonly string[], args: Arguments, context: ProcessContext): Promise<number>
}

const VERBS: Readonly<Record<string, Verb>> = {
  list: printed({
    most: 0,
    answer: async (releases) => ({ releases: await releases.list() }),
    lines: listLines,
  }),
  show: printed({ most: 1, answer: shown, lines: releaseLines }),
  diff: { most: 2, run: diff },
  rollback: { most: 1, run: rollBack },
  promote: { most: 1, run: promote },
  adopt: printed({
    most: 0,
    answer: (releases, _, args) => releases.adopt(args.has('empty')),
    lines: ({ _id }) => [
      typeof _id === 'string'
        ? `release ${_id} of the store is adopted`
        : 'the empty store is adopted: the gateway serves its own folder',
    ],
  }),
}

function printed<T>({ most, answer, lines }: Call<T>): Verb {
  return {
    most,
    run: async (releases, numbers, args, context) => {
      const found = await answer(releases, numbers, args)
      if (args.json) writeJson(context.stdout, found)
      else
        context.stdout.write(
          lines(found, args, context)
            .map((line) => `${line}\n`)
            .join(''),
        )
      return EXIT.ok
    },
  }
}

/** `gateway release`: the releases of the store. */
export const command: Command = {
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
    const verb = named(VERBS, name)
    if (numbers.length > verb.most)
      throw new UsageError(`release ${name}: unexpected argument ${JSON.stringify(numbers[verb.most])}`)
    for (const number of numbers) checkNumber(`release ${name}`, number)
    waitTime(args)
    return withReleases(`release ${name}`, args, context, (releases) => verb.run(releases, numbers, args, context))
  },
}

const HEADINGS = ['RELEASE', 'STATE', 'PARENT', 'CREATED', 'AUTHOR', 'FILES', 'NOTE']

function listLines(
  { releases: all }: { readonly releases: readonly Release[] },
  args: Arguments,
  context: ProcessContext,
) {
  const shown = args.has('all') ? all : all.slice(0, MOST_LISTED)
  const colour = ({ current }: Release) => (current ? ('green' as const) : null)
  return [
    ...table(HEADINGS, shown, { cells, colour }, context, false),
    ...(all.length === 0 ? ['the store has no release; make one with gateway push DIR'] : []),
    ...(shown.length < all.length ? [`${all.length - shown.length} older ones with --all`] : []),
  ]
}

function cells({ _id, parent, created, author, files, note, problem, ...release }: Release): string[] {
  const texts = [_id, stateOf(release), parent === null ? '-' : String(parent), created, author, String(files)]
  return [...texts, problem ?? note ?? '']
}

function stateOf({ current, stage }: Pick<Release, 'current' | 'stage'>): string {
  if (stage === null) return current ? 'current' : '-'
  return `staged: ${labelText(stage)}`
}

type ReleaseContents = Release & { readonly contents: Readonly<Record<string, ReleasedFile>> }

async function shown(releases: ReleaseClient, [asked]: readonly string[]): Promise<ReleaseContents> {
  const number = asked ?? (await currentNumber(releases))
  const files = await releases.files(number)
  return { ...(await releases.read(number)), contents: Object.fromEntries(files) }
}

function releaseLines({ contents, ...release }: ReleaseContents): readonly string[] {
  const facts = aligned([
    ['release', release._id],
    ['state', stateOf(release)],
    ['parent', String(release.parent ?? '-')],
    ['created', release.created],
    ['author', release.author],
    ['note', release.note ?? '-'],
    ['size', `${release.bytes} bytes`],
  ])
  const files = Object.entries(contents).map(
    ([path, { sha256, bytes }]) => `${sha256.slice(0, 12)}  ${String(bytes).padStart(9)}  ${path}`,
  )
  return [...facts, '', ...files].map(printable)
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
