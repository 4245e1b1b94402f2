import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { ManagementUnavailable } from '../management/management-client.ts'
import type { ProcessContext } from '../process-context.ts'
import { StopSignals } from '../run/signals.ts'
import { paintFor, printable, table, writeJson } from '../terminal.ts'
import { Screen } from '../top/screen.ts'
import { labelText, problemText, RELEASE_EXITS, RELEASE_OPTIONS, withReleases } from './release-access.ts'
import type { Instance, ReleaseClient } from './release-client.ts'

const INTERVAL = 1_000

/** `gateway instances`: the living gateways of the store. */
export const command: Command = {
  usage: ['instances [--watch] [--gateway URL] [--password-file FILE] [--ca FILE] [--json]'],
  description: [
    'Lists the living gateways that share the store of a gateway, with the release that each should serve and the last one of which it serves every file. A failing instance names the files that it can not build; it serves the last good version of them. An instance that has ended without a word is gone after 15 seconds.',
    'With --watch the table is refreshed each second; q or Ctrl-C ends it. With --json each state is a line.',
  ],
  options: [{ name: 'watch', description: 'Refresh the table each second.' }, ...RELEASE_OPTIONS],
  operands: { least: 0, most: 0 },
  examples: [
    { line: 'gateway instances', note: 'who serves what?' },
    {
      line: `gateway instances --json | jq -r '.instances[] | select(.state != "current") | ._id'`,
      note: 'those that are not current',
    },
  ],
  exits: [[EXIT.failed, 'an instance is not current'], ...RELEASE_EXITS],
  run: (args, context) =>
    withReleases('instances', args, context, async (releases) => {
      const instances = await releases.instances()
      if (args.has('watch')) return watch(releases, instances, args.json, context)
      if (args.json) writeJson(context.stdout, { instances })
      else context.stdout.write(`${lines(instances, context).join('\n')}\n`)
      return instances.every(({ state }) => state === 'current') ? EXIT.ok : EXIT.failed
    }),
}

/** Until a key or a signal. */
async function watch(releases: ReleaseClient, first: readonly Instance[], json: boolean, context: ProcessContext) {
  const ending = new AbortController()
  using signals = new StopSignals()
  signals.first.then(() => ending.abort())
  const { stdout, stdin } = context
  using screen = json || stdout.isTTY !== true ? null : new Screen(stdout, stdin, () => ending.abort())
  for (let instances: readonly Instance[] | string = first; !ending.signal.aborted; ) {
    if (json) {
      if (typeof instances !== 'string' && !stdout.writableNeedDrain) stdout.write(`${JSON.stringify({ instances })}\n`)
    } else {
      const table = typeof instances === 'string' ? [printable(instances)] : lines(instances, context)
      if (screen === null) stdout.write(`${table.join('\n')}\n\n`)
      else screen.draw([`${releases.address}  (q ends)`, '', ...table])
    }
    await delay(INTERVAL, undefined, { signal: ending.signal }).catch(() => {})
    instances = await releases.instances().catch((error: unknown) => {
      if (error instanceof ManagementUnavailable) return error.message
      throw error
    })
  }
  return EXIT.ok
}

const HEADINGS = ['INSTANCE', 'STATE', 'SERVED', 'WANTED', 'SINCE', 'VERSION', 'ADDRESS', 'LABELS']

function lines(instances: readonly Instance[], context: ProcessContext): string[] {
  const paint = paintFor(context.stdout, context)
  const problems = instances.flatMap(({ _id, problems }) =>
    problems.map((problem) => `${paint('red', printable(_id))}: ${printable(problemText(problem))}`),
  )
  return [...table(HEADINGS, instances, { cells, colour }, context), ...(problems.length > 0 ? ['', ...problems] : [])]
}

function cells({ _id, state, served, wanted, since, version, address, labels }: Instance): string[] {
  const texts = [_id, state, String(served ?? '-'), String(wanted ?? '-'), since, version, address]
  return [...texts, labelText(labels)]
}

function colour({ state }: Instance) {
  if (state === 'failing') return 'red'
  return state === 'behind' ? 'yellow' : null
}
